#include "policy/score_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gedge/base/target_clones.hpp"
#include "gedge/base/to_bits.hpp"

namespace gedge {

GEDGE_FOR_EACH_TARGET bool is_plain(const ResourceBlock& block, std::uint32_t rows) {
  constexpr std::uint64_t kTooLarge = ~((std::uint64_t{1} << 45) - 1);
  std::uint64_t seen = static_cast<std::uint64_t>(block.pod);
  std::int64_t least = 1;
  for (std::uint32_t i = 0; i < rows; ++i) {
    seen |= static_cast<std::uint64_t>(block.capacity[i] | block.requested[i]);
    least = block.capacity[i] < least ? block.capacity[i] : least;
  }
  return (seen & kTooLarge) == 0 && least >= 1;
}

GEDGE_FOR_EACH_TARGET void join_slack(const ResourceBlock& block, std::uint32_t rows,
                                      std::int64_t* slack) {
  for (std::uint32_t i = 0; i < rows; ++i)
    slack[i] |= block.pod > block.capacity[i] - block.requested[i] ? -1 : 0;
}

GEDGE_FOR_EACH_TARGET void add_least_allocated(const ResourceBlock& block, std::uint32_t rows,
                                               std::int64_t* sum) {
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::int64_t free = block.capacity[i] - block.requested[i] - block.pod;
    const std::int64_t left = free < 0 ? 0 : free;
    const double share = static_cast<double>(left * 100) / static_cast<double>(block.capacity[i]);
    sum[i] += block.weight * static_cast<std::int64_t>(share);
  }
}

GEDGE_FOR_EACH_TARGET void divide(std::int64_t weight, std::uint32_t rows, std::int64_t* sum) {
  const double by = static_cast<double>(weight);
  for (std::uint32_t i = 0; i < rows; ++i)
    sum[i] = static_cast<std::int64_t>(static_cast<double>(sum[i]) / by);
}

namespace {

inline double fraction(std::int64_t requested, std::int64_t capacity) {
  const double part = static_cast<double>(requested) / static_cast<double>(capacity);
  return part > 1 ? 1.0 : part;
}

inline std::int64_t balance(double a, double b) {
  return static_cast<std::int64_t>((1 - std::abs((a - b) / 2)) * 100.0);
}

}  // namespace

GEDGE_FOR_EACH_TARGET void balanced_of_two(const ResourceBlock& first, const ResourceBlock& second,
                                           std::uint32_t rows, std::int64_t* score) {
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::int64_t a = first.requested[i], b = second.requested[i];
    const std::int64_t with = balance(fraction(a + first.pod, first.capacity[i]),
                                      fraction(b + second.pod, second.capacity[i]));
    const std::int64_t without =
        balance(fraction(a, first.capacity[i]), fraction(b, second.capacity[i]));
    score[i] = 50 + (50 + with - without) / 2;
  }
}

GEDGE_FOR_EACH_TARGET void join_slack_scores(const Rtt* us, std::uint32_t rows, std::int64_t limit,
                                             std::int64_t* least) {
  const double by = static_cast<double>(limit);
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::int64_t left = limit - std::int64_t{us[i].us};
    const double share = static_cast<double>(left * 100) / by;
    const std::int64_t score = left < 0 ? 0 : static_cast<std::int64_t>(share);
    least[i] = score < least[i] ? score : least[i];
  }
}

namespace {

template <std::uint32_t kRows>
[[gnu::always_inline]] inline std::uint16_t within(const Rtt* us, std::uint32_t rows,
                                                   std::uint32_t limit) {
  std::array<std::uint8_t, kRows> good{};
  for (std::uint32_t i = 0; i < rows; ++i) good[i] = us[i].us <= limit ? 1 : 0;
  return static_cast<std::uint16_t>(to_bits(good));
}

[[gnu::always_inline]] inline std::uint64_t place(const std::uint16_t* least,
                                                  const std::uint16_t* most, std::uint32_t strips,
                                                  std::uint16_t limit, std::uint16_t* rows) {
  std::array<std::uint16_t, kMostPlaced> left{};
  for (std::uint32_t i = 0; i < strips; ++i)
    left[i] = static_cast<std::uint16_t>(rows[i] & (least[i] > limit ? 0 : 0xFFFF));
  std::array<std::uint8_t, kMostPlaced> mixed{};
  for (std::uint32_t i = 0; i < strips; ++i)
    mixed[i] = static_cast<std::uint8_t>((left[i] != 0 ? 1 : 0) & (most[i] >= limit ? 1 : 0));
  std::copy_n(left.begin(), strips, rows);
  return to_bits(mixed);
}

}  // namespace

GEDGE_FOR_EACH_TARGET std::uint64_t place_strips(const std::uint16_t* least,
                                                 const std::uint16_t* most, std::uint32_t strips,
                                                 std::uint16_t limit, std::uint16_t* rows) {
  return strips == kMostPlaced ? place(least, most, kMostPlaced, limit, rows)
                               : place(least, most, strips, limit, rows);
}

GEDGE_FOR_EACH_TARGET void within_strips(std::span<const Rtt> row,
                                         std::span<const std::uint32_t> strips, std::uint32_t limit,
                                         std::uint16_t* rows) {
  for (const std::uint32_t strip : strips) {
    const std::size_t first = kStripRows * std::size_t{strip};
    // So that the loop over a whole strip has no end to look for.
    const bool is_whole = row.size() - first >= kStripRows;
    rows[strip] &= is_whole
                       ? within<kStripRows>(row.data() + first, kStripRows, limit)
                       : within<kStripRows>(row.data() + first,
                                            static_cast<std::uint32_t>(row.size() - first), limit);
  }
}

GEDGE_FOR_EACH_TARGET std::uint64_t within_or_unknown(const Rtt* us, std::uint32_t rows,
                                                      std::uint32_t limit) {
  std::array<std::uint8_t, 64> good{};
  for (std::uint32_t i = 0; i < rows; ++i)
    good[i] = us[i].us <= limit || us[i].us == kUnmeasured.us ? 1 : 0;
  return to_bits(good);
}

}  // namespace gedge
