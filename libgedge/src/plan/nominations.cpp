#include "plan/nominations.hpp"

#include <algorithm>
#include <utility>

namespace gedge {

void Nominations::hear(const std::string& key, Pod& pod, const Pod* known) {
  const bool is_said = !pod.nominated_node.empty();
  if (is_said) add(key);
  const auto at = is_told_.find(key);
  if (at == is_told_.end()) return;
  const bool was_said = std::exchange(at->second, is_said);
  if (!was_said && !is_said && known != nullptr && pod.uid == known->uid)
    pod.nominated_node = known->nominated_node;
}

std::vector<PodIndex> Nominations::standing(const Places& pods, const ClusterState& cluster) const {
  std::vector<PodIndex> standing;
  for (const auto& [key, is_told] : is_told_) {
    const auto at = pods.find(key);
    if (at == pods.end()) continue;
    const PodIndex index{at->second};
    const Pod& pod = cluster.pod(index);
    const bool waits =
        pod.bound_node.empty() && pod.phase == PodPhase::kPending && !pod.terminating;
    if (waits && cluster.find_node(pod.nominated_node)) standing.push_back(index);
  }
  std::sort(standing.begin(), standing.end());
  return standing;
}

}  // namespace gedge
