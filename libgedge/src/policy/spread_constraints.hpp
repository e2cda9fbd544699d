// policy/spread_constraints.hpp - which topology spread constraints hold for a pod: its own, or the
// defaults of the profile or the system; and the selector that the defaults borrow from services
// and controllers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "gedge/policy/profile.hpp"
#include "policy/pod_memo.hpp"

namespace gedge {

/// One constraint, ready to count.
struct SpreadConstraint {
  const TopologyColumn* column = nullptr;
  LabelSelector selector;  ///< with the values of matchLabelKeys
  std::int64_t max_skew = 1;
  std::int64_t min_domains = 1;
  bool honor_node_affinity = true, honor_node_taints = false;
  bool empty_counts_all = false;  ///< 1.20: an empty selector counts every pod; 1.36: none

  /// Which pods count. `selector` itself says whether the incoming pod is one of them.
  LabelSelector counted() const {
    LabelSelector counting = selector;
    counting.nothing = selector.nothing || (selector.requirements.empty() && !empty_counts_all);
    return counting;
  }
};

struct SpreadPlan {
  std::vector<SpreadConstraint> constraints;
  bool require_all_keys = true;  ///< nodes that lack a key do not count and are not scored
};

/// Where the constraints of a pod come from.
struct SpreadSource {
  Compat compat = Compat::k1_36;
  bool system = true;                    ///< defaultingType System
  std::vector<TopologySpread> defaults;  ///< of the system, or the list of the profile

  SpreadSource(const PolicyArgs& args, Compat version);
  /// The constraints of one kind, hard (DoNotSchedule) or soft (ScheduleAnyway).
  SpreadPlan plan(const ClassContext& context, bool hard) const;
  /// Adds what `plan` reads.
  void sign(const PodFacts& pod, bool hard, Signature& signature) const;
};

/// Requirements of all services and controllers that the pod belongs to; without requirements if it
/// belongs to none.
///
/// 1.20: every Service, ReplicationController, ReplicaSet and StatefulSet of the namespace whose
/// selector matches the pod. 1.36: matching Services, and the controller that owns the pod.
/// Source   kube-scheduler plugins/helper/spread.go.
LabelSelector default_spread_selector(const ClassContext& context, Compat compat);

/// Whether one pod counts: same namespace, not terminating, selector. Pods that share their facts
/// are matched once.
class SpreadMatcher {
 public:
  SpreadMatcher(const ClassContext& context, const LabelSelector& selector)
      : namespace_(context.pod.namespace_name()), selector_(selector) {}
  bool counts(const ClusterState& cluster, PodIndex pod);

 private:
  std::string namespace_;
  LabelSelector selector_;
  PodMemo<bool> memo_;
};

/// True if the node has every topology key.
bool has_all_keys(const std::vector<SpreadConstraint>& constraints, NodeIndex node);

/// Live nodes that a constraint counts by its node policies, whatever their labels.
NodeMask included_nodes(const ClassContext& context, const SpreadConstraint& constraint);

}  // namespace gedge
