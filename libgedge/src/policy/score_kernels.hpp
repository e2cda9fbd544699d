// policy/score_kernels.hpp - the inner loops of resource policies, for one block of rows.
//
// Built for several instruction sets, of which the best is chosen when the library is loaded. The
// answers are those of the plain formulas, bit by bit: quotients of integers below 2^53 are exact
// after truncation, since a/b, if it is not whole, lies at least 1/b below the next integer, which
// is more than a double is rounded by.
#pragma once

#include <cstdint>
#include <span>

#include "gedge/base/units.hpp"

namespace gedge {

/// One resource on one block of rows: columns of the block, what the pod adds, the weight.
struct ResourceBlock {
  const std::int64_t* capacity = nullptr;   // [rows]
  const std::int64_t* requested = nullptr;  // [rows]
  std::int64_t pod = 0;
  std::int64_t weight = 1;
};

/// True if every amount is from 0 to 2^45 (32 TiB) and every capacity at least 1: the loops below
/// are exact then, and must not be called otherwise.
bool is_plain(const ResourceBlock& block, std::uint32_t rows);

/// Makes slack[i] negative where requested + pod exceeds capacity, and leaves its sign elsewhere:
/// begin with zeros, and join resource after resource. Any amounts from 0 on.
void join_slack(const ResourceBlock& block, std::uint32_t rows, std::int64_t* slack);

/// sum[i] += weight * idiv(100 * (capacity - requested - pod), capacity), 0 where that is negative.
void add_least_allocated(const ResourceBlock& block, std::uint32_t rows, std::int64_t* sum);
/// sum[i] = idiv(sum[i], weight), for sums from 0 to 2^53.
void divide(std::int64_t weight, std::uint32_t rows, std::int64_t* sum);

/// The 1.36 score of NodeResourcesBalancedAllocation for two resources.
void balanced_of_two(const ResourceBlock& first, const ResourceBlock& second, std::uint32_t rows,
                     std::int64_t* score);

/// Bit i: us[i] is at most `limit`, or unmeasured. Up to 64 rows.
std::uint64_t within_or_unknown(const Rtt* us, std::uint32_t rows, std::uint32_t limit);
/// Rows that share bounds in RttMatrix::Strips.
inline constexpr std::uint32_t kStripRows = 16;
inline constexpr std::uint32_t kMostPlaced = 64;
/// Clears rows[i], the rows of strip i, where all of them are over a limit by coarse bounds:
/// least[i] is above `limit`. Bit i of the answer: a row is left, and most[i] is not below it, so
/// that the cells have to be looked at. `strips` is at most kMostPlaced.
std::uint64_t place_strips(const std::uint16_t* least, const std::uint16_t* most,
                           std::uint32_t strips, std::uint16_t limit, std::uint16_t* rows);
/// Clears bit j of rows[s] where row j of strip s is over `limit`, which is below kUnmeasured, for
/// every s in `strips`. The last strip of `row` may be shorter.
void within_strips(std::span<const Rtt> row, std::span<const std::uint32_t> strips,
                   std::uint32_t limit, std::uint16_t* rows);
/// least[i] = min(least[i], idiv(100 * (limit - us[i]), limit)), 0 where us[i] is above the limit
/// or unmeasured, 100 where it is 0. `limit` from 1 to kMaxRtt.
void join_slack_scores(const Rtt* us, std::uint32_t rows, std::int64_t limit, std::int64_t* least);

}  // namespace gedge
