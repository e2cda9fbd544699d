// latency/detours.hpp - rows of the product of a matrix with itself in which times are added and
// the least sum counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gedge::latency {

/// Twice this fits 32 bits, so sums need no check; a sum that reaches it is no detour.
inline constexpr std::uint32_t kFar = 0x7FFFFFFF;

/// For `rows` names from `first` on, [rows * N]: the least times[from][via] + times[via][to] of all
/// `vias`, at least kFar where there is none. `times` is [N * N], no value above kFar, and kFar on
/// the diagonal. Cost: O(rows * vias * N), vectors; each row of a via is read once for all rows.
void shortest_detours(std::span<const std::uint32_t> times, std::size_t first, std::size_t rows,
                      std::span<const std::uint32_t> vias, std::span<std::uint32_t> shortest);

}  // namespace gedge::latency
