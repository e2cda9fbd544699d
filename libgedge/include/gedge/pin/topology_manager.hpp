// gedge/pin/topology_manager.hpp - the kubelet's topology manager: do all resources of a container
// come from the same NUMA nodes?
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/pin/cpu_topology.hpp"
#include "gedge/pin/numa_hint.hpp"

namespace gedge {

enum class TopologyPolicy : std::uint8_t { kNone, kBestEffort, kRestricted, kSingleNumaNode };
enum class TopologyScope : std::uint8_t { kContainer, kPod };

struct TopologyOptions {
  static constexpr int kMostNodes = 8;  ///< the kubelet's default

  TopologyPolicy policy = TopologyPolicy::kNone;
  TopologyScope scope = TopologyScope::kContainer;
  bool prefer_closest_numa_nodes = false;
  int max_allowable_numa_nodes = kMostNodes;
  friend bool operator==(const TopologyOptions&, const TopologyOptions&) = default;
};

/// The NUMA nodes of a machine.
struct NumaLayout {
  std::vector<int> ids;                  ///< ascending, below kNumaIds
  std::vector<std::uint32_t> distances;  ///< [ids * ids], row-major; empty: not known
  NumaMask all() const;
  /// Mean over all pairs in `mask`, a node and itself too; 0 where nothing is known.
  double mean_distance(NumaMask mask) const;
};

struct MergedHint {
  NumaHint hint;
  bool admitted = false;
};

/// One answer out of those of all providers, and whether the policy is content with it.
///
/// Of all ways to take one hint from each provider, the nodes that all of them share count. A way
/// is preferred if all its hints are, and, today, name the same nodes. Preferred ways win; of these
/// the fewest nodes, of as many the lowest ids, or with prefer-closest-numa-nodes the least mean
/// distance. Of ways that are not preferred 1.20 takes the fewest nodes; today's takes those whose
/// number is nearest to, and not above, what the neediest provider has to have. Cost: the product
/// of the numbers of hints.
/// Source: pkg/kubelet/cm/topologymanager/policy.go of Kubernetes, 1.20 and 1.36.
MergedHint merge_hints(const NumaLayout& layout, KubeletForm form, const TopologyOptions& options,
                       const std::vector<NumaHints>& providers);

}  // namespace gedge
