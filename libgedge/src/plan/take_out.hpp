// plan/take_out.hpp - clearing the rows of one mask in another, and counting them.
#pragma once

#include <cstdint>

#include "gedge/snapshot/node_mask.hpp"

namespace gedge {

/// Clears in `rows` what `out` has; returns how many rows that were.
std::uint32_t take_out(NodeMask& rows, const NodeMask& out);
/// The same for what `kept` lacks.
std::uint32_t keep_only(NodeMask& rows, const NodeMask& kept);

}  // namespace gedge
