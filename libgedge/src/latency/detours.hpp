// latency/detours.hpp - one row of the product of a matrix with itself in which times are added and
// the least sum counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gedge::latency {

/// Twice this fits 32 bits, so sums need no check; a sum that reaches it is no detour.
inline constexpr std::uint32_t kFar = 0x7FFFFFFF;

/// shortest[to] = the least times[from][via] + times[via][to], at least kFar where there is none.
/// `times` is [N * N], no value above kFar, and kFar on the diagonal. Cost: O(N^2), vectors.
void shortest_detours(std::span<const std::uint32_t> times, std::size_t from,
                      std::span<std::uint32_t> shortest);

}  // namespace gedge::latency
