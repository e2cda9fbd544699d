// gedge/pin/take_cpus.hpp - which CPUs the kubelet's static policy takes for one container.
#pragma once

#include <optional>

#include "gedge/pin/cpu_set.hpp"
#include "gedge/pin/cpu_topology.hpp"

namespace gedge {

/// cpuManagerPolicyOptions. Under KubeletForm::k1_20 there are none, and they are not read.
struct StaticOptions {
  bool full_pcpus_only = false;
  bool distribute_cpus_across_numa = false;
  bool align_by_socket = false;
  bool distribute_cpus_across_cores = false;
  bool prefer_align_cpus_by_uncorecache = false;
  bool strict_cpu_reservation = false;
  friend bool operator==(const StaticOptions&, const StaticOptions&) = default;
};

/// `count` CPUs out of `free`, none where there are not so many. `free` holds CPUs of the topology
/// only.
///
/// 1.20: whole sockets by id; whole cores, of the socket with the fewest free cores first; single
/// CPUs, where the container has most already, then where fewest are free. Upstream's comparisons
/// are no order: of up to 12 sockets or cores it is done what insertion sort makes of them, as
/// upstream does, beyond that the order as told here.
///
/// Today: whole NUMA nodes and sockets, the larger of both first; with prefer-align-cpus-by-
/// uncorecache whole last-level caches, then one that can give all of the rest; whole cores, unless
/// distribute-cpus-across-cores; single CPUs. All of them where fewest CPUs are free, level by
/// level, ties to the lowest id. With distribute-cpus-across-numa, the same in the fewest NUMA
/// nodes that can give equal shares, and of these in those that leave the free CPUs most even;
/// where no shares are possible, as without it. Upstream remembers the best of several sets of four
/// or of more than five nodes in memory that it goes on writing to; that is not imitated.
///
/// Cost: O(CPUs) a level; with distribute-cpus-across-numa O(2^nodes) of it.
/// Source: pkg/kubelet/cm/cpumanager/cpu_assignment.go of Kubernetes.
std::optional<CpuSet> take_cpus(const CpuTopology& topology, const StaticOptions& options,
                                const CpuSet& free, int count);

}  // namespace gedge
