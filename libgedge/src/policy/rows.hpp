// policy/rows.hpp - walking over rows a word of the mask at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gedge/effect/reason.hpp"
#include "gedge/snapshot/node_mask.hpp"

namespace gedge {

/// Rows that share one word of a NodeMask.
inline constexpr std::uint32_t kWordRows = 64;

/// Splits a range at multiples of 64 and calls visit(Rows) for each part.
template <typename F>
void for_each_block(Rows rows, F&& visit) {
  while (rows.first < rows.last) {
    const std::uint32_t end = std::min(rows.last, (rows.first / kWordRows + 1) * kWordRows);
    visit(Rows{rows.first, end});
    rows.first = end;
  }
}

/// The bits of `block`, which lies within one word.
inline std::uint64_t bits_of(Rows block) {
  const std::uint64_t below =
      block.size() == kWordRows ? ~std::uint64_t{0} : (std::uint64_t{1} << block.size()) - 1;
  return below << (block.first % kWordRows);
}

/// Clears the rows of the range that `barred` has.
inline void reject_barred(const NodeMask& barred, Rows rows, NodeMask& feasible) {
  for_each_block(rows, [&](Rows block) {
    const std::uint32_t index = block.first / kWordRows;
    feasible.keep(index, ~(barred.word(index) & bits_of(block)));
  });
}

/// Clears the rows of `block` that `admitted` (one word) lacks. With a recorder, calls
/// on_rejected(NodeIndex) for each row that was set until now, ascending.
template <typename F>
void reject_others(NodeMask& feasible, Rows block, std::uint64_t admitted, Recorder* recorder,
                   F&& on_rejected) {
  const std::uint32_t index = block.first / kWordRows;
  std::uint64_t rejected = feasible.word(index) & bits_of(block) & ~admitted;
  feasible.keep(index, ~rejected);
  if (recorder == nullptr) return;
  for (; rejected != 0; rejected &= rejected - 1)
    on_rejected(
        NodeIndex{index * kWordRows + static_cast<std::uint32_t>(std::countr_zero(rejected))});
}

}  // namespace gedge
