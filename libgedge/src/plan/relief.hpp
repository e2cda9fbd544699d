// plan/relief.hpp - who should go from a node whose pods ask for more than it has.
#pragma once

#include <functional>
#include <optional>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// Of the pods that may go and that take of what is too much, the least important; of these the one
/// that started last, or has not started. Empty: nobody may, or those who are going already are
/// enough. Cost: O(resources * pods on the node).
std::optional<PodIndex> relief(const ClusterState& cluster, NodeIndex node,
                               const std::function<bool(PodIndex)>& may_go);

}  // namespace gedge
