#include "gedge/scale/hashed_lists.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace {

using namespace gedge;

TEST_CASE("what has one hash is given in the order in which it came, and nothing else is") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix dice(seed);
    const std::uint64_t hashes = 1 + dice.below(300);
    HashedLists lists;
    std::map<std::size_t, std::vector<std::uint32_t>> expected;
    for (std::uint32_t number = 0; number < 400; ++number) {
      // Many begin their search in one place.
      const std::size_t hash = dice.below(hashes) << dice.below(3);
      lists.add(hash, number);
      lists.add(hash, number);
      expected[hash].push_back(number);
    }
    INFO("seed " << seed);
    CHECK_FALSE(lists.empty());
    for (std::size_t hash = 0; hash < 4 * hashes; ++hash) {
      std::vector<std::uint32_t> found;
      lists.each(hash, [&](std::uint32_t number) { found.push_back(number); });
      CHECK(found == expected[hash]);
    }
  }
}

TEST_CASE("the number that came first of those that are meant is found") {
  HashedLists lists;
  CHECK(lists.empty());
  CHECK(lists.find(7, [](std::uint32_t) { return true; }) == HashedLists::kNone);
  for (const std::uint32_t number : {9U, 4U, 6U}) lists.add(7, number);
  CHECK(lists.find(7, [](std::uint32_t) { return true; }) == 9);
  CHECK(lists.find(7, [](std::uint32_t number) { return number % 2 == 0; }) == 4);
  CHECK(lists.find(7, [](std::uint32_t number) { return number > 9; }) == HashedLists::kNone);
  CHECK(lists.find(8, [](std::uint32_t) { return true; }) == HashedLists::kNone);
}

TEST_CASE("texts in another order, or cut elsewhere, have another hash") {
  CHECK(hash_of_texts("a", "bc") != hash_of_texts("ab", "c"));
  CHECK(hash_of_texts("a", "b") != hash_of_texts("b", "a"));
  CHECK(hash_of_texts("a", "") != hash_of_texts("a"));
}

}  // namespace
