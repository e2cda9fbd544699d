#include "plan/upper_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

// Counts its rows where each of them has a larger total than every other row that takes part.
std::size_t checked(const NodeMask& upper, const std::vector<std::int64_t>& totals) {
  std::int64_t least_in = std::numeric_limits<std::int64_t>::max(), most_out = UpperRows::kOut;
  for (std::uint32_t row = 0; row < totals.size(); ++row) {
    if (upper.test(NodeIndex{row}))
      least_in = std::min(least_in, totals[row]);
    else
      most_out = std::max(most_out, totals[row]);
  }
  CHECK(upper.size() == totals.size());
  CHECK(least_in > most_out);
  return upper.count();
}

}  // namespace

TEST_CASE("upper rows have larger totals than all others, while totals change") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    std::vector<std::int64_t> totals(1 + dice.below(700));
    const std::int64_t most = dice.chance(50) ? 3 : 1'000'000;
    const auto total = [&] {
      return dice.chance(10) ? UpperRows::kOut : dice.between(-most, most);
    };
    for (std::int64_t& t : totals) t = total();
    UpperRows upper;
    for (int round = 0; round < 300; ++round) {
      const auto row = static_cast<std::uint32_t>(dice.below(totals.size()));
      totals[row] = total();
      upper.update(NodeIndex{row}, totals[row]);
      if (dice.chance(20)) checked(upper.among(totals), totals);
      if (!dice.chance(2)) continue;
      for (std::int64_t& t : totals) t = total();
      upper.forget();
    }
  }
}

TEST_CASE("upper rows stay a small part of all while totals fall or rise") {
  for (const std::int64_t step : {-100, 100}) {
    Dice dice(7);
    std::vector<std::int64_t> totals(1000);
    for (std::int64_t& t : totals) t = dice.between(0, 1000);
    UpperRows upper;
    for (int round = 0; round < 20000; ++round) {
      const auto row = static_cast<std::uint32_t>(dice.below(totals.size()));
      totals[row] += step;
      upper.update(NodeIndex{row}, totals[row]);
      const std::size_t count = checked(upper.among(totals), totals);
      CHECK(count >= 1);
      CHECK(count <= 1000 / 4 + 64);
    }
  }
}

}  // namespace gedge
