// gedge/verify/verify.hpp - checks a placement by the shortest, plainest code there is.
//
// It shares nothing with the planner but the facts: objects one by one, no columns, no classes, no
// caches. What it says is what kube-scheduler of `compat` would have said to each binding, and what
// the delay budgets say about the final state.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

/// One decision of a plan: a pod that the facts hold as pending, and the node it was given.
struct Placement {
  std::string namespace_name, pod, node;
};

/// One rule that one pod breaks on its node.
struct Violation {
  std::string namespace_name, pod, node;
  std::string rule;  ///< name of the policy, "NodeResourcesFit"; "Placement" where the placement
                     ///< itself is nonsense
  std::string text;  ///< one sentence without a full stop: what was measured, what the limit is
  friend bool operator==(const Violation&, const Violation&) = default;
  friend auto operator<=>(const Violation&, const Violation&) = default;
};

struct VerifyInput {
  const Facts& facts;
  const RttMatrix& rtt;
  std::string rtt_by;  ///< node label that names nodes in the matrix; empty: the node name
  Compat compat = Compat::k1_36;
  std::vector<Placement> placements;  ///< in the order in which they were decided
  bool bound_pods_too = false;        ///< judge also the pods that the facts hold as bound
};

/// Every broken rule, sorted by namespace, pod, node, rule, text; empty: the placement holds.
///
/// Bound pods come first, as they are; they count for usage, affinity and budgets. Then the placed
/// pods are added one by one, each judged against what is there just before: NodeName,
/// NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit, GpuShare (any way
/// to lay the shares onto cards is good enough, and a pod is not blamed where those before it had
/// none), VolumeBinding and VolumeZone of bound claims,
/// InterPodAffinity (of the pod, and anti-affinity of those that are there), PodTopologySpread. A
/// pod that fails is set aside and tried again after the others, so any order in which all would
/// have passed is good enough. DelayBudget is judged at the end, with every pod on its node; so are
/// budgets of bound pods towards placed ones, and PodGroup, which wants as many pods of a placed
/// pod's group on nodes as its minMember says. With `bound_pods_too` the bound pods are added in
/// the same way, before the placed ones; pods that their node runs by itself (mirrors of static
/// pods) are not judged. Pods in phase Succeeded or Failed, and pods bound to a node that does not
/// exist, take no place. Cost: O(pods * (nodes + pods)) where every pod has affinity, spread
/// constraints or GPU shares, else near O(pods).
std::vector<Violation> verify(const VerifyInput& input);

}  // namespace gedge
