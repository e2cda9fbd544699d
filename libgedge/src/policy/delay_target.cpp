// policy/delay_target.cpp - what a budget is measured from.
#include "policy/delay_target.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";

std::string_view namespace_of(const DelayBudget& budget, std::string_view owner_namespace) {
  return budget.namespace_name.empty() ? owner_namespace : std::string_view(budget.namespace_name);
}

bool may_be(const DelayBudget& budget, PeerKind kind) {
  return budget.kind == kind || budget.kind == PeerKind::kAny;
}

bool is_in_workload(const PodFacts& pod, const DelayBudget& budget) {
  return pod.peer_workload == budget.name &&
         (budget.workload_kind.empty() || pod.peer_workload_kind == budget.workload_kind);
}

bool find_nodes(const ClusterState& cluster, const DelayBudget& budget, DelayTarget& target) {
  if (may_be(budget, PeerKind::kNode)) {
    if (const auto node = cluster.find_node(budget.name)) target.nodes = {*node};
  } else if (budget.kind == PeerKind::kZone) {
    const TopologyColumn& zones = cluster.topology(kZone);
    const auto zone = zones.index.find(budget.name);
    for (std::uint32_t row = 0; zone != zones.index.end() && row < cluster.slots(); ++row)
      if (zones.domain_of[row] == zone->second) target.nodes.push_back(NodeIndex{row});
  }
  if (target.nodes.empty()) return false;
  target.kind = DelayTarget::Kind::kPeerNodes;
  return true;
}

bool find_pods(const ClusterState& cluster, const DelayBudget& budget, const PodFacts& owner,
               DelayTarget& target) {
  const std::string_view where = namespace_of(budget, owner.namespace_name());
  const bool at_home = where == owner.namespace_name();
  bool alone = false;
  if (may_be(budget, PeerKind::kPod))
    if (const auto pod = cluster.find_pod(where, budget.name)) {
      target.pods = {*pod};
      target.own = alone = at_home && owner.peer_name == budget.name;
    }
  if (target.pods.empty() && may_be(budget, PeerKind::kWorkload)) {
    target.pods = cluster.workload(where, budget.workload_kind, budget.name);
    target.own = at_home && is_in_workload(owner, budget);
    alone = target.own && target.pods.size() == 1;
  }
  if (target.pods.empty()) return false;
  target.kind = DelayTarget::Kind::kPeerPods;
  if (alone) target.pods.clear();
  std::erase_if(target.pods, [&](PodIndex p) { return cluster.pod(p).is_finished(); });
  std::sort(target.pods.begin(), target.pods.end());
  return true;
}

bool find_name(const ClusterState& cluster, const DelayBudget& budget, DelayTarget& target) {
  if (!may_be(budget, PeerKind::kExternal)) return false;
  const auto name = cluster.rtt().find(budget.name);
  if (!name) return false;
  target.kind = DelayTarget::Kind::kMatrixName;
  target.name = *name;
  return true;
}

}  // namespace

DelayTarget find_target(const ClusterState& cluster, const DelayBudget& budget,
                        const PodFacts& owner) {
  DelayTarget target;
  if (!find_nodes(cluster, budget, target) && !find_pods(cluster, budget, owner, target))
    find_name(cluster, budget, target);
  return target;
}

bool means_pod(const ClusterState& cluster, const DelayBudget& budget,
               std::string_view owner_namespace, const PodFacts& pod) {
  const std::string_view where = namespace_of(budget, owner_namespace);
  if (where != pod.namespace_name() || budget.name.empty()) return false;
  if (budget.kind == PeerKind::kPod) return pod.peer_name == budget.name;
  if (budget.kind == PeerKind::kWorkload) return is_in_workload(pod, budget);
  if (budget.kind != PeerKind::kAny || cluster.find_node(budget.name)) return false;
  if (cluster.find_pod(where, budget.name)) return pod.peer_name == budget.name;
  return is_in_workload(pod, budget);
}

Rtt rtt_from_name(const ClusterState& cluster, NameIndex name, NodeIndex node) {
  const auto there = cluster.latency_name(node);
  return there ? cluster.rtt().between(name, *there) : kUnmeasured;
}

}  // namespace gedge
