// policy/delay_columns.cpp - one budget against every row.
#include "policy/delay_columns.hpp"

#include <algorithm>

namespace gedge {

DelayColumn::DelayColumn(const ClassContext& context, const DelayBudget& budget)
    : budget_(&budget),
      target_(find_target(context.cluster, budget, context.pod)),
      joint_group_(context.joint_group) {
  for (const PodIndex pod : target_.pods)
    if (context.cluster.is_placed(pod)) add_place(context.cluster.node_of(pod));
  for (const NodeIndex node : target_.nodes) places_.push_back({node, 1});
  measure(context.cluster);
}

// True if the node is a new place.
bool DelayColumn::add_place(NodeIndex node) {
  for (Place& place : places_)
    if (place.node == node) {
      ++place.pods;
      return false;
    }
  places_.push_back({node, 1});
  return true;
}

// True if that was the last peer on the node.
bool DelayColumn::remove_place(NodeIndex node) {
  for (Place& place : places_)
    if (place.node == node) --place.pods;
  return std::erase_if(places_, [](const Place& place) { return place.pods == 0; }) > 0;
}

DelayColumn::Status DelayColumn::status_without_places(const ClusterState& cluster) const {
  if (target_.kind != DelayTarget::Kind::kPeerPods) return Status::kUnknown;
  if (target_.own) return Status::kFree;
  if (target_.pods.empty()) return Status::kNotPlaced;
  const bool all_deferred =
      joint_group_ != 0 && std::all_of(target_.pods.begin(), target_.pods.end(), [&](PodIndex p) {
        return cluster.joint_group(p) == joint_group_;
      });
  return all_deferred ? Status::kFree : Status::kNotPlaced;
}

void DelayColumn::measure(const ClusterState& cluster) {
  const bool from_name = target_.kind == DelayTarget::Kind::kMatrixName;
  status_ = from_name || !places_.empty() ? Status::kMeasured : status_without_places(cluster);
  if (status_ != Status::kMeasured) return;
  us_.assign(cluster.slots(), CountedRtt(budget_->nearest).get().us);
  for (const Place& place : places_) count_in(cluster, place.node);
  for (std::uint32_t row = 0; from_name && row < cluster.slots(); ++row)
    us_[row] = rtt_from_name(cluster, target_.name, NodeIndex{row}).us;
}

void DelayColumn::count_in(const ClusterState& cluster, NodeIndex place) {
  for (std::uint32_t row = 0; row < cluster.slots(); ++row) {
    CountedRtt counted(budget_->nearest, Rtt{us_[row]});
    counted.add(cluster.rtt_between(place, NodeIndex{row}));
    us_[row] = counted.get().us;
  }
}

bool DelayColumn::on_pod(const ClusterState& cluster, PodIndex pod, NodeIndex node, int delta) {
  if (!std::binary_search(target_.pods.begin(), target_.pods.end(), pod)) return false;
  if (!(delta > 0 ? add_place(node) : remove_place(node))) return false;
  if (delta > 0 && status_ == Status::kMeasured)
    count_in(cluster, node);
  else
    measure(cluster);
  return true;
}

Evidence DelayColumn::evidence(NodeIndex n) const {
  Evidence made;
  const bool towards_pods = target_.kind == DelayTarget::Kind::kPeerPods ||
                            budget_->kind == PeerKind::kPod || budget_->kind == PeerKind::kWorkload;
  made.verdict = towards_pods ? Verdict::kUnschedulable : Verdict::kUnresolvable;
  made.subject = budget_->from;
  made.unit = Unit::kMicros;
  made.limit = limit_us();
  if (status_ == Status::kUnknown) {
    made.reason = Reason::kUnknownPeer;
  } else if (status_ == Status::kNotPlaced) {
    made.reason = Reason::kPeerNotPlaced;
  } else if (rtt(n) == kUnmeasured) {
    made.reason = Reason::kUnmeasuredRtt;
  } else {
    made.reason = Reason::kOverBudget;
    made.measured = std::int64_t{us_[raw(n)]};
  }
  return made;
}

std::vector<DelayColumn> make_columns(const ClassContext& context) {
  std::vector<DelayColumn> columns;
  for (const DelayBudget& budget : context.pod.spec->budgets) columns.emplace_back(context, budget);
  return columns;
}

}  // namespace gedge
