// policy/node_inclusion.hpp - which nodes a pod could ever use, for counting domains.
#pragma once

#include "gedge/model/node.hpp"
#include "gedge/model/pod.hpp"

namespace gedge {

/// nodeSelector, and any of the required terms.
/// Source   component-helpers nodeaffinity.GetRequiredNodeAffinity.
bool matches_node_affinity(const PodSpec& pod, const Node& node);

/// No NoSchedule or NoExecute taint is left untolerated.
bool tolerates_hard_taints(const PodSpec& pod, const Node& node);

}  // namespace gedge
