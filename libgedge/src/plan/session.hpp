// plan/session.hpp - one run of the planner: the state, an engine a profile, the decisions so far.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/plan/planner.hpp"
#include "plan/order.hpp"

namespace gedge {

class Session {
 public:
  /// `grows`: of StateOptions. Errors: as Engine::make.
  static Result<std::unique_ptr<Session>> start(const PlanRequest& request, bool grows = false);

  ClusterState& cluster() { return cluster_; }
  /// Pods to place, in placing order.
  const PlacingOrder& order() const { return order_; }
  /// The group whose turn it is, once; empty after the last.
  Group next() { return position_ < order_.size() ? order_[position_++] : Group(); }
  bool is_bound(PodIndex pod) const { return !cluster_.pod(pod).bound_node.empty(); }
  /// The engine of the pod's profile; null if no profile bears its schedulerName.
  Engine* engine_of(PodIndex pod);
  /// Pods that wait for a node and that these cannot be placed without, nor they without these.
  std::vector<PodIndex> companions(std::vector<PodIndex> wanted);
  /// Decides a group and binds what was placed. Decisions are in the order of the group.
  std::vector<Decision> decide(Group group);
  /// The same, added to `decisions`.
  void decide(Group group, std::vector<Decision>& decisions);
  /// A pod group of these pods has fewer of them on nodes than it must.
  bool is_short(Group group) const {
    return !groups_.empty() && !short_groups(group, std::vector<bool>(group.size())).empty();
  }
  /// True if any profile does not leave ties to the names of nodes.
  bool spreads_ties() const;
  /// As Engine::follow, for every profile.
  void follow();
  /// Fills in what has become of every budget, once everybody has a place.
  void report_budgets(std::vector<Decision>& decisions) const;
  /// Whom each decision is about; kNoPod where there is no such pod.
  std::vector<PodIndex> pods_of(const std::vector<Decision>& decisions) const;
  std::vector<Warning>& warnings() { return warnings_; }
  /// Works out anew what is to be placed, in which order; for a session in which pods were bound
  /// from outside.
  void collect();
  /// The same for these pods alone; each waits for a place, and a profile serves it.
  void collect(std::vector<PodIndex> wanted);

 private:
  // What was said of a pod that fits nowhere; true for equal pods until something changes.
  struct Refusal {
    ClusterState::Epoch epoch = 0;
    Decision decision;
  };

  Session(const PlanRequest& request, bool grows);
  std::function<bool(PodIndex)> obeys_budgets();
  PlacingOrder order_of(std::vector<PodIndex> pods, const PodGroups& groups);
  bool is_in_pod_group(Group group) const;
  void decide_pod_groups(Group group, std::vector<Decision>& decisions);
  void place_members(Group group, const std::vector<bool>& held, std::vector<Decision>& decisions);
  bool fill(Group group, std::uint32_t pod_group, std::vector<Decision>& decisions);
  std::vector<std::uint32_t> short_groups(Group group, const std::vector<bool>& held) const;
  void hold(PodIndex pod, std::int64_t fit, Decision& decision);
  Decision decide_one(PodIndex pod);
  std::vector<Decision> decide_jointly(Group group);
  bool place_all(Group group, std::size_t next, std::vector<Decision>& decisions);
  void place_what_fits(Group group, std::vector<Decision>& decisions);
  Decision decision_from(PodIndex pod, const Choice& choice);
  Decision decision_from(PodIndex pod, const Evaluation& evaluation);

  const PlanRequest& request_;
  bool has_budgets_;  // any spec: those that come later have none
  ClusterState cluster_;
  std::vector<Engine> engines_;
  PodGroups groups_;
  PlacingOrder order_;
  std::vector<Warning> warnings_;
  std::size_t position_ = 0;
  std::unordered_map<const PodFacts*, Refusal> refusals_;
  std::size_t trials_left_ = 0, binds_left_ = 0;  // of the present joint group
};

}  // namespace gedge
