#include "plan/relief.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace gedge {
namespace {

std::int64_t taken(const ClusterState& cluster, PodIndex pod, ResourceIndex resource) {
  if (resource == ResourceIndex::kPodsColumn) return 1;  // and none says so
  return cluster.pod_facts(pod).request(resource);
}

// Resources of which there is too little even without those who are going.
std::vector<ResourceIndex> lacking(const ClusterState& cluster, NodeIndex node) {
  std::vector<ResourceIndex> resources;
  for (std::uint32_t i = 0; i < cluster.resource_count(); ++i) {
    const ResourceIndex resource{i};
    std::int64_t excess =
        cluster.requested(resource)[raw(node)] - cluster.allocatable(resource)[raw(node)];
    if (excess <= 0) continue;
    for (const PodIndex pod : cluster.pods_on(node))
      if (cluster.pod(pod).terminating) excess -= taken(cluster, pod, resource);
    if (excess > 0) resources.push_back(resource);
  }
  return resources;
}

// The first goes. Who has not started came last: kNever is later than any date.
auto order_of(const Pod& pod) {
  return std::make_tuple(pod.priority, -pod.started, -pod.created,
                         std::tie(pod.namespace_name, pod.name));
}

}  // namespace

std::optional<PodIndex> relief(const ClusterState& cluster, NodeIndex node,
                               const std::function<bool(PodIndex)>& may_go) {
  const std::vector<ResourceIndex> resources = lacking(cluster, node);
  std::optional<PodIndex> first;
  for (const PodIndex pod : cluster.pods_on(node)) {
    const bool helps = std::any_of(resources.begin(), resources.end(),
                                   [&](ResourceIndex r) { return taken(cluster, pod, r) > 0; });
    if (!helps || cluster.pod(pod).terminating || !may_go(pod)) continue;
    if (!first || order_of(cluster.pod(pod)) < order_of(cluster.pod(*first))) first = pod;
  }
  return first;
}

}  // namespace gedge
