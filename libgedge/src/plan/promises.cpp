#include "plan/promises.hpp"

#include <algorithm>

namespace gedge {
namespace {

void count_rejection(const char* policy, RejectedBy& rejected) {
  const auto known = std::find_if(rejected.begin(), rejected.end(),
                                  [&](const auto& by) { return by.first == policy; });
  if (known != rejected.end())
    ++known->second;
  else
    rejected.emplace_back(policy, 1);
}

}  // namespace

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

void Promises::release(const std::vector<PodIndex>& held) {
  for (const PodIndex pod : held) {
    session_.cluster().unbind(pod);
    session_.follow();
  }
}

// The best of the nodes on which a pod fits both with the promised ones on theirs and without them.
std::optional<ScoredNode> Promises::place_either_way(PodIndex pod) {
  Engine& engine = *session_.engine_of(pod);
  const NodeMask without = engine.evaluate(pod).feasible;
  const std::vector<PodIndex> held = hold_against({&pod, 1});
  const Evaluation with = engine.evaluate(pod);
  std::optional<ScoredNode> best;
  if (with.winner != kNoNode)
    for (const NodeIndex node : engine.ranking(pod, with)) {
      if (!without.test(node)) continue;
      best = {session_.cluster().node_name(node), with.totals[raw(node)]};
      break;
    }
  release(held);
  return best;
}

// An affinity towards pods that are not there yet is none that is met.
void Promises::confirm(PodIndex pod, bool is_alone, Decision& decision) {
  ClusterState& cluster = session_.cluster();
  if (!decision.chosen || !cluster.is_placed(pod)) return;
  if (cluster.facts().spec_of(cluster.pod(pod)).required_affinity.empty()) return;
  const NodeIndex node = cluster.node_of(pod);
  cluster.unbind(pod);
  session_.follow();
  const auto take = [&](NodeIndex to) {
    cluster.bind(pod, to);
    session_.follow();
  };
  if (session_.engine_of(pod)->fits(pod, node)) return take(node);
  decision.runner_up.reset();
  decision.chosen.reset();
  if (is_alone) decision.chosen = place_either_way(pod);  // others of a group heed where it is
  if (decision.chosen) return take(*cluster.find_node(decision.chosen->node));
  count_rejection("InterPodAffinity", decision.rejected_by);
  decision.message = "the pods that its affinity asks for are not on their nodes yet";
}

void Promises::decide(Group group, std::vector<Decision>& decisions) {
  const std::vector<PodIndex> held = promised_.empty() ? promised_ : hold_against(group);
  const std::size_t first = decisions.size();
  session_.decide(group, decisions);
  release(held);
  if (held.empty()) return;
  for (std::size_t i = 0; i < group.size(); ++i)
    confirm(group[i], group.size() == 1, decisions[first + i]);
}

}  // namespace gedge
