// plan/order.hpp - in which order pending pods are placed.
#pragma once

#include <functional>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// Pods that are decided together; almost always one. Several: their delay budgets form a cycle.
using Group = std::vector<PodIndex>;

/// True if `a` comes before `b` in the queue.
bool queues_before(const ClusterState& cluster, PodIndex a, PodIndex b);

/// Queue order (priority, creation time, namespace, workload, ordinal, name), except that a pod
/// with a budget towards pods that are still to be placed comes after those. `wanted` may be in any
/// order. Cost: O(pods log pods), and for each distinct pod with a budget the pods that it points
/// at.
std::vector<Group> placing_order(const ClusterState& cluster, std::vector<PodIndex> wanted,
                                 const std::function<bool(PodIndex)>& has_budgets);

}  // namespace gedge
