// plan/trial.cpp
#include "plan/trial.hpp"

#include "plan/edit_node.hpp"

namespace gedge {

Trial::~Trial() {
  while (cluster_.mark() > start_) {
    cluster_.undo(cluster_.mark() - 1);
    engine_.follow();
  }
}

void Trial::apply(const Change& change) {
  cluster_.apply(change);
  engine_.follow();
}

bool Trial::apply(const Edit& edit, PodIndex named) {
  switch (edit.kind) {
    case Edit::Kind::kAddFile:
      return false;
    case Edit::Kind::kMovePod:
    case Edit::Kind::kDeletePod:
      return apply_to_pod(edit, named);
    case Edit::Kind::kSetRtt: {
      const auto a = cluster_.rtt().find(edit.node), b = cluster_.rtt().find(edit.name);
      if (!a || !b) return false;
      Change change;
      change.kind = Change::Kind::kSetRtt;
      change.from = *a;
      change.to = *b;
      change.rtt = Rtt{static_cast<std::uint32_t>(edit.amount)};
      apply(change);
      return true;
    }
    default:
      return apply_to_node(edit);
  }
}

bool Trial::apply_to_node(const Edit& edit) {
  const auto node = cluster_.find_node(edit.node);
  if (!node) return false;
  auto facts = std::make_unique<Node>(cluster_.node(*node));
  if (!edit_node(edit, *facts)) return false;
  if (edit.kind == Edit::Kind::kDrain || edit.kind == Edit::Kind::kDeleteNode) {
    const auto here = cluster_.pods_on(*node);
    for (const PodIndex pod : std::vector<PodIndex>(here.begin(), here.end()))
      if (edit.kind == Edit::Kind::kDeleteNode || !belongs_to_node(cluster_.pod(pod))) unbind(pod);
  }
  Change change;
  change.kind =
      edit.kind == Edit::Kind::kDeleteNode ? Change::Kind::kRemoveNode : Change::Kind::kReplaceNode;
  change.node = *node;
  change.facts = facts.get();
  nodes_.push_back(std::move(facts));
  apply(change);
  return true;
}

bool Trial::apply_to_pod(const Edit& edit, PodIndex named) {
  const auto pod =
      named != kNoPod ? std::optional(named) : cluster_.find_pod(edit.namespace_name, edit.name);
  const auto node = cluster_.find_node(edit.value);
  const bool moves = edit.kind == Edit::Kind::kMovePod;
  if (!pod || (moves && !node) || (!moves && !cluster_.is_placed(*pod))) return false;
  if (cluster_.is_placed(*pod)) unbind(*pod);
  if (moves) apply({Change::Kind::kBind, *pod, *node});
  return true;
}

}  // namespace gedge
