#include "gedge/base/shared_list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using Words = gedge::SharedList<std::string>;

TEST_CASE("shared list: one without entries is like none") {
  const Words none, from_nothing{std::vector<std::string>{}};
  CHECK(none.empty());
  CHECK(none.size() == 0);
  CHECK(none.begin() == none.end());
  CHECK(none == from_nothing);
  Words emptied{"a"};
  emptied.edit().pop_back();
  CHECK(emptied.empty());
  CHECK(emptied == none);
}

TEST_CASE("shared list: copies share their entries until one is edited") {
  Words first{"a", "b"};
  Words second = first;
  CHECK(&first.front() == &second.front());
  second.edit().push_back("c");
  CHECK(first.get() == std::vector<std::string>{"a", "b"});
  CHECK(second.get() == std::vector<std::string>{"a", "b", "c"});
  first.push_back("d");
  CHECK(first.back() == "d");
  CHECK(second.back() == "c");
}

TEST_CASE("shared list: one that nobody shares is edited where it is") {
  Words words{"a", "b"};
  const std::string* const where = &words.front();
  words.edit().front() = "z";
  CHECK(&words.front() == where);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  { const Words copy = words; }
  words.edit().back() = "y";
  CHECK(&words.front() == where);
  CHECK(words == Words{"z", "y"});
}

TEST_CASE("shared list: two compare by their entries") {
  const Words ab{"a", "b"}, again{"a", "b"}, ac{"a", "c"};
  CHECK(ab == again);
  CHECK(ab != ac);
  CHECK(ab < ac);
  CHECK(Words{} < ab);
}

TEST_CASE("shared list: a copy outlives what was cleared") {
  Words words{"a"};
  const Words copy = words;
  words.clear();
  CHECK(words.empty());
  CHECK(copy.at(0) == "a");
}

TEST_CASE("shared list: one is edited while another thread copies and drops its own") {
  constexpr int kRounds = 2000;
  const Words first{"a", "b"};
  Words edited = first;
  std::size_t seen = 0;
  std::thread other([&first, &seen] {
    for (int i = 0; i < kRounds; ++i) {
      const Words copy = first;  // NOLINT(performance-unnecessary-copy-initialization)
      seen += copy.size();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    edited = first;
    edited.push_back("c");
  }
  other.join();
  CHECK(seen == 2 * kRounds);
  CHECK(first == Words{"a", "b"});
  CHECK(edited == Words{"a", "b", "c"});
}
