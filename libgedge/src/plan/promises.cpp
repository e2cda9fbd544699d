#include "plan/promises.hpp"

#include <algorithm>

namespace gedge {

std::vector<PodIndex> Promises::hold_against(Group group) {
  ClusterState& cluster = session_.cluster();
  std::vector<PodIndex> held;
  std::int32_t least = cluster.pod(group.front()).priority;
  for (const PodIndex pod : group) least = std::min(least, cluster.pod(pod).priority);
  for (const PodIndex pod : promised_) {
    const bool is_asking = std::find(group.begin(), group.end(), pod) != group.end();
    if (is_asking || cluster.is_placed(pod) || cluster.pod(pod).priority < least) continue;
    cluster.bind(pod, *cluster.find_node(cluster.pod(pod).nominated_node));
    session_.follow();
    held.push_back(pod);
  }
  return held;
}

// An affinity towards pods that are not there yet is none that is met.
void Promises::confirm(PodIndex pod, Decision& decision) {
  ClusterState& cluster = session_.cluster();
  if (!decision.chosen || !cluster.is_placed(pod)) return;
  if (cluster.facts().spec_of(cluster.pod(pod)).required_affinity.empty()) return;
  const NodeIndex node = cluster.node_of(pod);
  cluster.unbind(pod);
  session_.follow();
  if (session_.engine_of(pod)->fits(pod, node)) {
    cluster.bind(pod, node);
    session_.follow();
    return;
  }
  decision.chosen.reset();
  decision.message = "the pods that its affinity asks for are not on their nodes yet";
}

void Promises::decide(Group group, std::vector<Decision>& decisions) {
  const std::vector<PodIndex> held = promised_.empty() ? promised_ : hold_against(group);
  const std::size_t first = decisions.size();
  session_.decide(group, decisions);
  for (const PodIndex pod : held) {
    session_.cluster().unbind(pod);
    session_.follow();
  }
  if (held.empty()) return;
  for (std::size_t i = 0; i < group.size(); ++i) confirm(group[i], decisions[first + i]);
}

}  // namespace gedge
