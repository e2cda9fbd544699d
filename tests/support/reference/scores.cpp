// Names of scores and the normalisation helpers of 3.3.
#include "support/reference/scores.hpp"

#include <algorithm>
#include <limits>

namespace gedge::reference {

void normalize_by_max(Scores& scores, bool reverse) {
  std::int64_t max = 0;
  for (const Score& s : scores) max = std::max(max, s.raw);
  for (Score& s : scores) {
    s.normalized = max == 0 ? s.raw : 100 * s.raw / max;
    if (reverse) s.normalized = max == 0 ? 100 : 100 - s.normalized;
  }
}

void normalize_min_max(Scores& scores, bool zero_joins) {
  std::int64_t max = zero_joins ? 0 : std::numeric_limits<std::int64_t>::min();
  std::int64_t min = zero_joins ? 0 : std::numeric_limits<std::int64_t>::max();
  for (const Score& s : scores) {
    max = std::max(max, s.raw);
    min = std::min(min, s.raw);
  }
  for (Score& s : scores) {
    s.normalized = 0;
    if (max > min)
      s.normalized = static_cast<std::int64_t>(
          100.0 * (static_cast<double>(s.raw - min) / static_cast<double>(max - min)));
  }
}

void normalize_spread(Scores& scores, const std::vector<bool>& ignored) {
  std::int64_t max = 0, min = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (ignored[i]) continue;
    max = std::max(max, scores[i].raw);
    min = std::min(min, scores[i].raw);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (ignored[i])
      scores[i].normalized = 0;
    else
      scores[i].normalized = max == 0 ? 100 : 100 * (max + min - scores[i].raw) / max;
  }
}

Scores score(const ProfileEntry& entry, const World& world, const Seat& pod, const Nodes& feasible,
             bool& known) {
  const std::string& name = entry.policy;
  const PolicyArgs& args = entry.args;
  if (name == "NodeResourcesFit" || name == "NodeResourcesLeastAllocated" ||
      name == "NodeResourcesMostAllocated" || name == "RequestedToCapacityRatio")
    return resource_score(entry, world, pod, feasible);
  if (name == "NodeResourcesBalancedAllocation")
    return balanced_allocation(args, world, pod, feasible);
  if (name == "ImageLocality") return image_locality(world, pod, feasible);
  if (name == "NodeAffinity") return node_affinity_score(args, pod, feasible);
  if (name == "TaintToleration") return taint_score(pod, feasible);
  if (name == "NodePreferAvoidPods") return avoid_pods(pod, feasible);
  if (name == "InterPodAffinity") return inter_pod_score(args, world, pod, feasible);
  if (name == "PodTopologySpread") return topology_spread_score(args, world, pod, feasible);
  if (name == "SelectorSpread" || name == "DefaultPodTopologySpread")
    return selector_spread(world, pod, feasible);
  if (name == "LatencySlack") return latency_slack(world, pod, feasible);
  if (name == "GLowLatencyPriority") return low_latency(world, pod, feasible);
  if (name == "GMostRequestedPriority") return g_most_requested(world, pod, feasible);
  if (name == "MostFreeMemory") return most_free_memory(world, feasible);
  known = false;
  return Scores(feasible.size());
}

}  // namespace gedge::reference
