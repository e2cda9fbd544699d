// plan/blocks.hpp - policies are asked about rows that share one word of a mask.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gedge/snapshot/node_mask.hpp"

namespace gedge {

inline constexpr std::uint32_t kBlock = 64;

template <typename F>
void for_each_block(std::size_t slots, F&& visit) {
  const auto end = static_cast<std::uint32_t>(slots);
  for (std::uint32_t first = 0; first < end; first += kBlock)
    visit(Rows{first, std::min(first + kBlock, end)});
}

inline Rows block_of(NodeIndex node, std::size_t slots) {
  const std::uint32_t first = raw(node) / kBlock * kBlock;
  return {first, std::min(first + kBlock, static_cast<std::uint32_t>(slots))};
}

}  // namespace gedge
