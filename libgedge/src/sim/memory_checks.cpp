#include "gedge/sim/memory_checks.hpp"

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {
namespace {

std::string text_of(const PodName& pod) { return pod.namespace_name + "/" + pod.name; }

std::string text_of(const SharedText& node) { return node.empty() ? "no node" : node.str(); }

bool is_same(const Pod& a, const Pod& b) {
  return a.phase == b.phase && a.terminating == b.terminating && a.priority == b.priority &&
         a.extra_labels == b.extra_labels;
}

bool is_same(const PodSpec& a, const PodSpec& b) {
  return a.labels == b.labels && a.containers == b.containers &&
         a.init_containers == b.init_containers && a.pod_requests == b.pod_requests;
}

}  // namespace

std::string difference(const PodName& name, const Pod* known, const PodSpec* spec,
                       const SimCluster::SimPod& there) {
  const std::string who = text_of(name);
  const Pod& pod = there.pod;
  if (known == nullptr || spec == nullptr) return who + " is not known";
  if (known->uid != pod.uid) return who + " is " + pod.uid + ", and known as " + known->uid;
  if (known->bound_node != pod.bound_node)
    return who + " is on " + text_of(pod.bound_node) + ", and known to be on " +
           text_of(known->bound_node);
  if (pod.bound_node.empty() && known->nominated_node != pod.nominated_node)
    return who + " is promised " + text_of(pod.nominated_node) + ", and that is known to be " +
           text_of(known->nominated_node);
  if (!is_same(*known, pod) || !is_same(*spec, there.spec))
    return who + " is known as it was, and has changed";
  return {};
}

std::string difference(const Node* known, const Node& there) {
  if (known == nullptr) return there.name + " is not known";
  if (known->ready == there.ready && known->addresses == there.addresses &&
      differing_parts(*known, there) == 0)
    return {};
  return there.name + " is known as it was, and has changed";
}

std::string difference(const PodName& known, const SimCluster& cluster) {
  return cluster.pods().contains(known) ? "" : text_of(known) + " is known, and is gone";
}

std::string excess(std::span<const SizeAndBound> sizes) {
  for (const SizeAndBound& one : sizes)
    if (one.size > one.bound)
      return std::to_string(one.size) + ' ' + one.what + ", and there can be " +
             std::to_string(one.bound);
  return {};
}

}  // namespace gedge
