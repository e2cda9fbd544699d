// codec/pod_order.hpp - the order in which Facts list pods: by namespace, workload, ordinal, name.
#pragma once

#include <vector>

#include "gedge/model/pod.hpp"

namespace gedge::codec {

/// Pods are large and their names lie apart: workloads are ranked by words of their names, pods are
/// counted by rank, and each pod moves once. Cost: O(n log n); O(n) for pods in order.
void sort_pods(std::vector<Pod>& pods);

}  // namespace gedge::codec
