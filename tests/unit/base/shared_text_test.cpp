#include "gedge/base/shared_text.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <thread>
#include <unordered_set>
#include <vector>

using gedge::SharedText;

TEST_CASE("shared text: reads, compares and adds up like the text that it holds") {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const SharedText web = "web", copy = web, same = std::string("web"), none;
  CHECK(web == "web");
  CHECK(web == same);
  CHECK("wea" < web);
  CHECK(web < std::string("webs"));
  CHECK(none < web);
  CHECK(none.empty());
  CHECK(SharedText("").empty());
  CHECK(SharedText(std::string()) == none);
  CHECK(web.size() == 3);
  CHECK("pod " + web + '/' + same + "!" == "pod web/web!");
  CHECK(web + same == "webweb");
  std::ostringstream out;
  out << web << none;
  CHECK(out.str() == "web");
  CHECK(std::unordered_set<SharedText>{web, copy, same, none}.size() == 2);
  CHECK(std::set<std::string, std::less<>>{"db", "web"}.count(web) == 1);
}

TEST_CASE("shared text: copies share one, and an assignment changes no other") {
  SharedText a = "a name that is longer than fifteen bytes", b = a;
  CHECK(a.c_str() == b.c_str());
  CHECK(a.c_str() != SharedText(a.str()).c_str());
  const std::string& kept = b.str();
  a = "another";
  CHECK(b == "a name that is longer than fifteen bytes");
  CHECK(&b.str() == &kept);
  const SharedText& itself = b;
  b = itself;
  CHECK(&b.str() == &kept);
  SharedText moved = std::move(b);
  CHECK(&moved.str() == &kept);
}

TEST_CASE("shared text: threads copy and drop one text at the same time") {
  const SharedText text = "a name that is longer than fifteen bytes";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&text] {
      for (int round = 0; round < 2000; ++round) std::vector<SharedText>(8, text);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(text == "a name that is longer than fifteen bytes");
}
