#include "plan/promises.hpp"

#include <algorithm>

namespace gedge {
namespace {

void refuse(const std::string& policy, Decision& decision) {
  RejectedBy& rejected = decision.rejected_by;
  const auto known = std::find_if(rejected.begin(), rejected.end(),
                                  [&](const auto& by) { return by.first == policy; });
  if (known != rejected.end())
    ++known->second;
  else
    rejected.emplace_back(policy, 1);
  decision.message = "it fits only beside pods that are promised nodes, and are not on them yet";
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

// What only the promised pods make possible, by an affinity, a spread or a delay budget, is none
// before they are there. What then speaks against the place; empty: the pod has one.
std::string Promises::confirm(PodIndex pod, bool is_alone, Decision& decision) {
  ClusterState& cluster = session_.cluster();
  if (!decision.chosen || !cluster.is_placed(pod)) return {};
  const NodeIndex node = cluster.node_of(pod);
  cluster.unbind(pod);
  session_.follow();
  const auto take = [&](NodeIndex to) {
    cluster.bind(pod, to);
    session_.follow();
    return std::string();
  };
  Engine& engine = *session_.engine_of(pod);
  if (engine.fits(pod, node)) return take(node);
  std::string policy = engine.rejections(pod, node).front().policy;
  decision.runner_up.reset();
  decision.chosen.reset();
  if (is_alone) decision.chosen = place_either_way(pod);  // others of a group heed where it is
  if (decision.chosen) return take(*cluster.find_node(decision.chosen->node));
  refuse(policy, decision);
  return policy;
}

// Those that are placed together are placed all, or none of them.
void Promises::confirm_all(Group group, std::span<Decision> decisions) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::string policy = confirm(group[i], group.size() == 1, decisions[i]);
    if (policy.empty()) continue;
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (!decisions[k].chosen) continue;
      session_.cluster().unbind(group[k]);
      session_.follow();
      decisions[k].runner_up.reset();
      decisions[k].chosen.reset();
      refuse(policy, decisions[k]);
    }
    return;
  }
}

void Promises::decide(Group group, std::vector<Decision>& decisions) {
  const std::vector<PodIndex> held = promised_.empty() ? promised_ : hold_against(group);
  const std::size_t first = decisions.size();
  session_.decide(group, decisions);
  release(held);
  if (!held.empty()) confirm_all(group, std::span(decisions).subspan(first));
}

}  // namespace gedge
