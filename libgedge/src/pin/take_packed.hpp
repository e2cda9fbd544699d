// pin/take_packed.hpp - whole units first, where fewest CPUs are free: takeByTopologyNUMAPacked.
#pragma once

#include <vector>

#include "gedge/pin/take_cpus.hpp"

namespace gedge {

struct PackedOptions {
  bool spread = false;    ///< distribute-cpus-across-cores: no whole cores
  bool by_cache = false;  ///< prefer-align-cpus-by-uncorecache
};

/// As take_cpus; `free` holds at least `count`.
CpuSet take_packed(const CpuTopology& topology, const PackedOptions& options, const CpuSet& free,
                   int count);

/// Numbers in units(kNuma) of the NUMA nodes that have free CPUs, in the order in which they are
/// filled.
std::vector<int> order_numa_nodes(const CpuTopology& topology, const CpuSet& free);

}  // namespace gedge
