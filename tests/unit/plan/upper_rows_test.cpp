#include "plan/upper_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

// Counts its rows where each of them comes before every other row that takes part: by a larger
// total, or by its place where totals are equal.
std::size_t checked(const NodeMask& upper, const std::vector<std::int64_t>& totals) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::pair<std::int64_t, std::int64_t> last_in(kMost, 0), first_out(UpperRows::kOut, 0);
  for (std::uint32_t row = 0; row < totals.size(); ++row) {
    const std::pair here(totals[row], -std::int64_t{row});
    if (upper.test(NodeIndex{row}))
      last_in = std::min(last_in, here);
    else
      first_out = std::max(first_out, here);
  }
  CHECK(upper.size() == totals.size());
  CHECK(last_in > first_out);
  CHECK(last_in.first > UpperRows::kOut);
  return upper.count();
}

}  // namespace

TEST_CASE("upper rows come before all others, while totals change") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    std::vector<std::int64_t> totals(1 + dice.below(700));
    const std::int64_t most = dice.chance(50) ? dice.between(0, 3) : 1'000'000;
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

TEST_CASE(
    "upper rows stay a small part of all while totals fall or rise, and where all are equal") {
  for (const std::int64_t step : {-100, 100, 0}) {
    Dice dice(7);
    std::vector<std::int64_t> totals(1000);
    for (std::int64_t& t : totals) t = step == 0 ? 0 : dice.between(0, 1000);
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
