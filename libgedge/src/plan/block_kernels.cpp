#include "plan/block_kernels.hpp"

#include <array>
#include <bit>

#include "gedge/base/target_clones.hpp"
#include "gedge/base/to_bits.hpp"
#include "plan/normalize.hpp"

namespace gedge {

GEDGE_FOR_EACH_TARGET std::uint32_t take_out(NodeMask& rows, const NodeMask& out) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.words(); ++i) {
    const std::uint64_t gone = rows.word(i) & out.word(i);
    count += static_cast<std::uint64_t>(std::popcount(gone));
    rows.keep(i, ~gone);
  }
  return static_cast<std::uint32_t>(count);
}

GEDGE_FOR_EACH_TARGET std::uint32_t keep_only(NodeMask& rows, const NodeMask& kept) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.words(); ++i) {
    const std::uint64_t gone = rows.word(i) & ~kept.word(i);
    count += static_cast<std::uint64_t>(std::popcount(gone));
    rows.keep(i, ~gone);
  }
  return static_cast<std::uint32_t>(count);
}

namespace {

// The bits of a number's size: those of two are below 2^n if those of their union are.
inline std::uint64_t bits_of_size(std::int64_t value) {
  return static_cast<std::uint64_t>(value ^ (value >> 63));
}

// False, and nothing is changed, where a score reaches 2^31 or a total 2^61: the sums of all others
// stay within int64.
GEDGE_FOR_EACH_TARGET bool add_small(const std::int64_t* scores, std::uint32_t rows,
                                     std::int64_t weight, std::int64_t* totals) {
  std::uint64_t score_bits = 0, total_bits = 0;
  for (std::uint32_t i = 0; i < rows; ++i) {
    score_bits |= bits_of_size(scores[i]);
    total_bits |= bits_of_size(totals[i]);
  }
  if (score_bits >> 31 != 0 || total_bits >> 61 != 0) return false;
  for (std::uint32_t i = 0; i < rows; ++i) totals[i] += weight * scores[i];
  return true;
}

}  // namespace

void add_weighted(const std::int64_t* scores, std::uint32_t rows, std::int64_t weight,
                  std::int64_t* totals) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 30;
  if (weight > -kLarge && weight < kLarge && add_small(scores, rows, weight, totals)) return;
  for (std::uint32_t i = 0; i < rows; ++i) totals[i] = plus_weighted(totals[i], weight, scores[i]);
}

GEDGE_FOR_EACH_TARGET std::uint64_t at_least(const std::int64_t* totals, std::uint32_t rows,
                                             std::int64_t least) {
  constexpr std::uint32_t kRows = 64;
  std::array<std::uint8_t, kRows> good{};
  // A loop over a whole block has no end to look for.
  if (rows == kRows)
    for (std::uint32_t i = 0; i < kRows; ++i) good[i] = totals[i] >= least ? 1 : 0;
  else
    for (std::uint32_t i = 0; i < rows; ++i) good[i] = totals[i] >= least ? 1 : 0;
  return to_bits(good);
}

}  // namespace gedge
