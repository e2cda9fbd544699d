// pin/take_across_numa.hpp - equal shares of several NUMA nodes: takeByTopologyNUMADistributed.
#pragma once

#include <optional>

#include "gedge/pin/take_cpus.hpp"
#include "pin/take_packed.hpp"

namespace gedge {

/// Shares are multiples of `group`, of which `count` is one. None where no nodes can give them.
/// `free` holds at least `count`, which is at least 1.
std::optional<CpuSet> take_across_numa(const CpuTopology& topology, const PackedOptions& options,
                                       const CpuSet& free, int count, int group);

}  // namespace gedge
