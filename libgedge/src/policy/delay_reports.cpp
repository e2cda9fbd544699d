// policy/delay_reports.cpp - budgets of one pod on one node.
#include "gedge/policy/delay.hpp"
#include "policy/delay_target.hpp"

namespace gedge {
namespace {

struct Measured {
  bool free = false;  ///< nothing to measure from, and nothing is demanded
  Rtt rtt = kUnmeasured;
};

Measured measure(const ClusterState& cluster, PodIndex pod, const DelayBudget& budget,
                 NodeIndex node) {
  const DelayTarget target = find_target(cluster, budget, cluster.pod_facts(pod));
  if (target.kind == DelayTarget::Kind::kUnknown) return {};
  if (target.kind == DelayTarget::Kind::kMatrixName)
    return {false, rtt_from_name(cluster, target.name, node)};
  CountedRtt counted(budget.nearest);
  bool any = false;
  const auto count = [&](NodeIndex place) {
    counted.add(cluster.rtt_between(place, node));
    any = true;
  };
  for (const NodeIndex place : target.nodes) count(place);
  for (const PodIndex peer : target.pods)
    if (peer != pod && cluster.is_placed(peer)) count(cluster.node_of(peer));
  if (!any) return {target.own, kUnmeasured};
  return {false, counted.get()};
}

}  // namespace

std::vector<BudgetReport> budget_reports(const ClusterState& cluster, PodIndex pod,
                                         NodeIndex node) {
  std::vector<BudgetReport> reports;
  for (const DelayBudget& budget : cluster.pod_facts(pod).spec->budgets) {
    BudgetReport report{budget.from, budget.limit_us, std::nullopt};
    const Rtt rtt = node == kNoNode ? kUnmeasured : measure(cluster, pod, budget, node).rtt;
    if (rtt != kUnmeasured) report.rtt_us = std::int64_t{rtt.us};
    reports.push_back(std::move(report));
  }
  return reports;
}

bool budgets_hold(const ClusterState& cluster, PodIndex pod) {
  for (const DelayBudget& budget : cluster.pod_facts(pod).spec->budgets) {
    const Measured now = measure(cluster, pod, budget, cluster.node_of(pod));
    if (now.free) continue;
    if (now.rtt == kUnmeasured || std::int64_t{now.rtt.us} > budget.limit_us) return false;
  }
  return true;
}

}  // namespace gedge
