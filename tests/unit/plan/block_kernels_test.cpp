#include "plan/block_kernels.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "plan/normalize.hpp"
#include "support/dice.hpp"

using namespace gedge;
using namespace gedge::test;

TEST_CASE("masks are cleared and counted as bit by bit") {
  Dice dice(1);
  for (const std::size_t slots : {1U, 63U, 64U, 65U, 1000U}) {
    NodeMask rows(slots), other(slots);
    std::uint32_t both = 0, only = 0;
    for (std::uint32_t i = 0; i < slots; ++i) {
      const bool here = dice.chance(50), there = dice.chance(50);
      if (here) rows.set(NodeIndex{i});
      if (there) other.set(NodeIndex{i});
      both += here && there ? 1 : 0;
      only += here && !there ? 1 : 0;
    }
    NodeMask left = rows, kept = rows;
    CHECK(take_out(left, other) == both);
    CHECK(left.count() == only);
    CHECK(keep_only(kept, other) == only);
    CHECK(kept.count() == both);
  }
}

TEST_CASE("totals that reach a bound are found one by one") {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  Dice dice(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::int64_t> totals(dice.chance(50) ? 64 : 1 + dice.below(64));
    for (std::int64_t& total : totals) total = dice.chance(10) ? kLeast : dice.between(-2, 2);
    const std::int64_t least = dice.chance(10) ? kLeast : dice.between(-2, 3);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < totals.size(); ++i)
      bits |= std::uint64_t{totals[i] >= least ? 1U : 0U} << i;
    CHECK(at_least(totals.data(), static_cast<std::uint32_t>(totals.size()), least) == bits);
  }
}

TEST_CASE("weighted scores are added as one by one, whatever their size") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> sizes{0,         1,     -1,    100, -100, 1LL << 31, -(1LL << 31),
                                        1LL << 61, kMost, -kMost};
  Dice dice(2);
  for (int round = 0; round < 500; ++round) {
    const bool small = dice.chance(50);
    const auto number = [&] { return small ? dice.between(-1000, 1000) : dice.pick(sizes); };
    std::vector<std::int64_t> scores(1 + dice.below(64)), totals(scores.size()), sums;
    for (std::int64_t& score : scores) score = number();
    for (std::int64_t& total : totals) total = number();
    const std::int64_t weight = dice.chance(80) ? dice.between(-5, 1000) : dice.pick(sizes);
    for (std::size_t i = 0; i < scores.size(); ++i)
      sums.push_back(plus_weighted(totals[i], weight, scores[i]));
    add_weighted(scores.data(), static_cast<std::uint32_t>(scores.size()), weight, totals.data());
    CHECK(totals == sums);
  }
}
