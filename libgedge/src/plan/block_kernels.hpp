// plan/block_kernels.hpp - the inner loops of choosing: over the words of masks, over the totals of
// one block of rows. Built for several instruction sets, of which the best is chosen when the
// library is loaded.
#pragma once

#include <cstdint>

#include "gedge/snapshot/node_mask.hpp"

namespace gedge {

/// Clears in `rows` what `out` has; returns how many rows that were.
std::uint32_t take_out(NodeMask& rows, const NodeMask& out);
/// The same for what `kept` lacks.
std::uint32_t keep_only(NodeMask& rows, const NodeMask& kept);

/// totals[i] = plus_weighted(totals[i], weight, scores[i]).
void add_weighted(const std::int64_t* scores, std::uint32_t rows, std::int64_t weight,
                  std::int64_t* totals);
/// Bit i: totals[i] is at least `least`. Up to 64 rows.
std::uint64_t at_least(const std::int64_t* totals, std::uint32_t rows, std::int64_t least);

}  // namespace gedge
