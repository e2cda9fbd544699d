// The loops against the formulas that they stand for, on random amounts and at the ends.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "policy/score_kernels.hpp"
#include "support/dice.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kLargest = (std::int64_t{1} << 45) - 1;

struct Columns {
  std::vector<std::int64_t> capacity, requested;
  std::int64_t pod = 0;

  ResourceBlock block(std::int64_t weight = 1) const {
    return {capacity.data(), requested.data(), pod, weight};
  }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(capacity.size()); }
};

// Amounts of every size, requests around the capacity, and the ends of the range.
Columns random_columns(std::mt19937_64& random, std::uint32_t rows) {
  const auto amount = [&] {
    const auto bits = static_cast<int>(random() % 46);
    return static_cast<std::int64_t>(random() & ((std::uint64_t{1} << bits) - 1));
  };
  Columns columns;
  columns.pod = random() % 8 == 0 ? 0 : amount();
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::int64_t capacity =
        std::max<std::int64_t>(1, random() % 16 == 0 ? kLargest : amount());
    std::int64_t requested = amount() % (capacity + 1);
    if (random() % 8 == 0) requested = std::max<std::int64_t>(0, capacity - columns.pod);
    if (random() % 16 == 0) requested = kLargest;
    columns.capacity.push_back(capacity);
    columns.requested.push_back(requested);
  }
  return columns;
}

std::int64_t balance(double a, double b) {
  return static_cast<std::int64_t>((1 - std::abs((a - b) / 2)) * 100.0);
}

double fraction(std::int64_t requested, std::int64_t capacity) {
  return std::min(1.0, static_cast<double>(requested) / static_cast<double>(capacity));
}

TEST_CASE("score kernels: quotients are those of integers") {
  std::mt19937_64 random(1);
  std::size_t over = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 64);
    const Columns c = random_columns(random, rows);
    REQUIRE(is_plain(c.block(), rows));
    const std::int64_t weight = static_cast<std::int64_t>(1 + random() % 1000);
    std::vector<std::int64_t> sum(rows, 7), mean(rows);
    add_least_allocated(c.block(weight), rows, sum.data());
    mean = sum;
    divide(weight, rows, mean.data());
    for (std::uint32_t i = 0; i < rows; ++i) {
      const std::int64_t free = c.capacity[i] - c.requested[i] - c.pod;
      const std::int64_t share = free < 0 ? 0 : 100 * free / c.capacity[i];
      over += free < 0 ? 1 : 0;
      REQUIRE(sum[i] == 7 + weight * share);
      REQUIRE(mean[i] == sum[i] / weight);
    }
  }
  CHECK(over > 10'000);
}

TEST_CASE("score kernels: balance is computed in the doubles of the formula") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 4000; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 64);
    const Columns a = random_columns(random, rows), b = random_columns(random, rows);
    std::vector<std::int64_t> score(rows);
    balanced_of_two(a.block(), b.block(), rows, score.data());
    for (std::uint32_t i = 0; i < rows; ++i) {
      const std::int64_t with = balance(fraction(a.requested[i] + a.pod, a.capacity[i]),
                                        fraction(b.requested[i] + b.pod, b.capacity[i]));
      const std::int64_t without =
          balance(fraction(a.requested[i], a.capacity[i]), fraction(b.requested[i], b.capacity[i]));
      REQUIRE(score[i] == 50 + (50 + with - without) / 2);
    }
  }
}

TEST_CASE("score kernels: slack is negative where any resource is too little") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Columns ends{{0, 0, kMost, kMost, 0, 5}, {0, kMost, 0, kMost, 1, 2}, 3};
  std::vector<std::int64_t> slack(6, 0);
  join_slack(ends.block(), 6, slack.data());
  CHECK(slack == std::vector<std::int64_t>{-1, -1, 0, -1, -1, 0});
  Columns most = ends;
  most.pod = kMost;
  std::fill(slack.begin(), slack.end(), 0);
  join_slack(most.block(), 6, slack.data());
  CHECK(slack == std::vector<std::int64_t>{-1, -1, 0, -1, -1, -1});
  join_slack(ends.block(), 6, slack.data());
  CHECK(slack[5] == -1);
}

TEST_CASE("score kernels: amounts beyond exactness are not plain") {
  Columns c{{1, kLargest}, {0, kLargest}, 0};
  CHECK(is_plain(c.block(), 2));
  c.pod = kLargest + 1;
  CHECK_FALSE(is_plain(c.block(), 2));
  c.pod = 0;
  c.requested[1] = kLargest + 1;
  CHECK_FALSE(is_plain(c.block(), 2));
  c.requested[1] = 0;
  c.capacity[0] = 0;
  CHECK_FALSE(is_plain(c.block(), 2));
  c.capacity[0] = -5;
  CHECK_FALSE(is_plain(c.block(), 2));
}

TEST_CASE("score kernels: RTTs within a limit or unmeasured, bit by bit") {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::uint32_t> some(0, 999);
  for (int round = 0; round < 2000; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 64);
    std::vector<Rtt> us;
    for (std::uint32_t i = 0; i < rows; ++i)
      us.push_back(random() % 5 == 0 ? kUnmeasured : Rtt{some(random)});
    const std::uint32_t limit = random() % 7 == 0 ? kMaxRtt.us : some(random);
    std::uint64_t expected = 0;
    for (std::uint32_t i = 0; i < rows; ++i)
      if (us[i] == kUnmeasured || us[i].us <= limit) expected |= std::uint64_t{1} << i;
    REQUIRE(within_or_unknown(us.data(), rows, limit) == expected);
  }
}

TEST_CASE("score kernels: strips lie over a limit, below it, or on both sides") {
  test::Dice dice(9);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint16_t> least(dice.chance(50) ? kMostPlaced : 4 * (1 + dice.below(16)));
    std::vector<std::uint16_t> most(least.size());
    for (std::size_t i = 0; i < least.size(); ++i) {
      least[i] = static_cast<std::uint16_t>(dice.below(6));
      most[i] = dice.chance(10) ? 0xFFFF : static_cast<std::uint16_t>(least[i] + dice.below(4));
    }
    const auto limit = static_cast<std::uint16_t>(dice.below(8));
    std::vector<std::uint16_t> rows(least.size());
    for (std::uint16_t& strip : rows)
      strip = dice.chance(20) ? 0 : static_cast<std::uint16_t>(dice.below(0x10000));
    const std::vector<std::uint16_t> before = rows;
    const std::uint64_t mixed = place_strips(
        least.data(), most.data(), static_cast<std::uint32_t>(least.size()), limit, rows.data());
    for (std::size_t i = 0; i < kMostPlaced; ++i) {
      const bool is_strip = i < least.size();
      const bool is_left = is_strip && least[i] <= limit && before[i] != 0;
      if (is_strip) CHECK(rows[i] == (least[i] > limit ? 0 : before[i]));
      CHECK((mixed >> i & 1) == (is_left && most[i] >= limit ? 1 : 0));
    }
  }
}

TEST_CASE("score kernels: cells of strips within a limit, the last strip shorter") {
  test::Dice dice(10);
  for (int round = 0; round < 200; ++round) {
    std::vector<Rtt> row(1 + dice.below(100));
    for (Rtt& cell : row)
      cell = dice.chance(20) ? kUnmeasured : Rtt{static_cast<std::uint32_t>(dice.below(5))};
    std::vector<std::uint32_t> strips;
    for (std::uint32_t strip = 0; strip * kStripRows < row.size(); ++strip)
      if (dice.chance(70)) strips.push_back(strip);
    const auto limit = static_cast<std::uint32_t>(dice.below(6));
    std::vector<std::uint16_t> rows((row.size() + kStripRows - 1) / kStripRows);
    for (std::uint16_t& strip : rows) strip = static_cast<std::uint16_t>(dice.below(0x10000));
    const std::vector<std::uint16_t> before = rows;
    within_strips(row, strips, limit, rows.data());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const bool is_asked = std::find(strips.begin(), strips.end(), i) != strips.end();
      for (std::size_t j = 0; j < kStripRows; ++j) {
        const std::size_t at = kStripRows * std::size_t{i} + j;
        const bool is_out = is_asked && (at >= row.size() || row[at].us > limit);
        CHECK((rows[i] >> j & 1) == (is_out ? 0 : before[i] >> j & 1));
      }
    }
  }
}

}  // namespace
}  // namespace gedge
