// gedge/policy/delay.hpp - delay budgets of one pod, measured: the same code that filters and
// scores.
#pragma once

#include <vector>

#include "gedge/effect/plan.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// The peer of one budget. Names are exact; a budget of kind kAny takes the first that exists of
/// node, pod, workload (both in the pod's namespace) and name of the matrix.
struct DelayTarget {
  enum class Kind : std::uint8_t {
    kUnknown,     ///< nothing has that name
    kPeerNodes,   ///< `nodes`: one, or a zone
    kMatrixName,  ///< `name`: in the matrix, but no node
    kPeerPods,    ///< `pods`
  };
  Kind kind = Kind::kUnknown;
  std::vector<NodeIndex> nodes;
  NameIndex name{};
  std::vector<PodIndex> pods;  ///< placed or not, sorted; without the pod itself if that is all
  bool own = false;            ///< kPeerPods: the pod itself, or the workload that it belongs to
};

/// Cost: O(log) by name; O(nodes) for a zone, O(replicas) for a workload.
DelayTarget find_target(const ClusterState& cluster, const DelayBudget& budget,
                        const PodFacts& owner);

/// Every budget of `pod` as it would be with `pod` on `node` and everything else as it is, in the
/// order they were written. `rtt_us` is empty where the pod has no node (kNoNode), the RTT is
/// unmeasured, the peer is unknown, or no replica of it has a place. The pod itself is no peer.
/// Cost: O(budgets * placed peers).
std::vector<BudgetReport> budget_reports(const ClusterState& cluster, PodIndex pod, NodeIndex node);

/// The same on the node that the pod is on now.
inline std::vector<BudgetReport> budget_reports(const ClusterState& cluster, PodIndex pod) {
  return budget_reports(cluster, pod, cluster.node_of(pod));
}

/// True if every budget of a placed pod is measured and within its limit on the pod's node. A peer
/// without any place breaks the budget, unless it is the pod itself or its own workload.
bool budgets_hold(const ClusterState& cluster, PodIndex pod);

}  // namespace gedge
