// latency/spanning_order.hpp - who is connected at which delay, from a minimum spanning tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gedge/latency/matrix.hpp"

namespace gedge {

/// Prim's tree from the first name: names in the order in which they joined, and the least RTT from
/// each to those before. Names i < j of that order are connected from the largest of
/// joined_at[i + 1 .. j] on, so components are intervals at every delay.
struct SpanningOrder {
  std::vector<std::uint32_t> order;  // [N]
  std::vector<Rtt> joined_at;        // [N], kUnmeasured where no pair leads to a name; [0]: 0
};

/// Of a symmetric matrix; ties go to the lowest name. Cost: O(N * N), every row read once.
SpanningOrder spanning_order(const RttMatrix& symmetric);

/// By number of a height, which ascend and are those of `joined_at`: the largest RTT of two names
/// that are connected at it. Cost: O(N * N).
std::vector<Rtt> largest_inside(const RttMatrix& symmetric, std::span<const std::uint32_t> order,
                                std::span<const Rtt> joined_at, std::span<const Rtt> heights);

}  // namespace gedge
