#include "plan/unread_pods.hpp"

#include <cstddef>
#include <vector>

namespace gedge {
namespace {

void keep(const Resources& known, Resources& now) {
  for (const auto& [name, amount] : known)
    if (!now.find(name)) now.set(name, amount);
}

void keep(const SharedList<Container>& known, SharedList<Container>& now) {
  if (known.empty()) return;
  std::vector<Container>& containers = now.edit();
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i == containers.size())
      containers.push_back(known[i]);
    else
      keep(known[i].requests, containers[i].requests);
  }
}

}  // namespace

void keep_requests(const PodSpec& known, PodSpec& now) {
  keep(known.containers, now.containers);
  keep(known.init_containers, now.init_containers);
  keep(known.overhead, now.overhead);
  if (known.pod_requests) {
    if (!now.pod_requests) now.pod_requests.emplace();
    keep(*known.pod_requests, *now.pod_requests);
  }
  if (now.host_ports.size() < known.host_ports.size()) now.host_ports = known.host_ports;
  if (now.volumes.size() < known.volumes.size()) now.volumes = known.volumes;
}

std::optional<Decision> refuse_unread(const Pod& pod, const PodSpec& spec) {
  if (spec.unread.empty() || !pod.bound_node.empty() || pod.phase != PodPhase::kPending)
    return std::nullopt;
  Decision decision;
  decision.namespace_name = pod.namespace_name;
  decision.pod = pod.name;
  decision.message = "not all of the pod can be read: " + spec.unread;
  return decision;
}

}  // namespace gedge
