// plan/edit_player.cpp
#include "plan/edit_player.hpp"

#include <algorithm>

#include "plan/edit_node.hpp"

namespace gedge {

bool reads_rtts(const Facts& facts) {
  return std::any_of(facts.specs.begin(), facts.specs.end(), [](const PodSpec& spec) {
    return !spec.budgets.empty() || !spec.latency_source.empty();
  });
}

EditPlayer::EditPlayer(Session& session, const std::vector<PodIndex>& tied)
    : session_(session),
      cluster_(session.cluster()),
      tied_(tied),
      start_(session.cluster().mark()) {}

EditPlayer::~EditPlayer() {
  while (cluster_.mark() > start_) {
    cluster_.undo(cluster_.mark() - 1);
    session_.follow();
  }
}

bool EditPlayer::play(const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::kAddFile:
      return false;
    case Edit::Kind::kMovePod:
    case Edit::Kind::kDeletePod:
      return play_pod(edit);
    case Edit::Kind::kSetRtt:
      return play_rtt(edit);
    default:
      return play_node(edit);
  }
}

EditPlayer::Fate EditPlayer::fate(PodIndex pod) const {
  const auto at = fates_.find(raw(pod));
  return at == fates_.end() ? Fate::kNone : at->second;
}

std::vector<PodIndex> EditPlayer::pods() const {
  std::vector<PodIndex> all;
  for (const auto& [pod, fate] : fates_) all.push_back(PodIndex{pod});
  std::sort(all.begin(), all.end());
  return all;
}

bool EditPlayer::is_planned(PodIndex pod) const {
  return cluster_.pod(pod).bound_node.empty() && fate(pod) != Fate::kMoved;
}

void EditPlayer::touch(NodeIndex node) {
  if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) nodes_.push_back(node);
}

void EditPlayer::apply(const Change& change) {
  const ClusterState::Epoch epoch = cluster_.epoch();
  cluster_.apply(change);
  parts_ |= cluster_.since(epoch).front().parts;
  session_.follow();
}

void EditPlayer::unbind(PodIndex pod) {
  touch(cluster_.node_of(pod));
  apply({Change::Kind::kUnbind, pod, cluster_.node_of(pod)});
}

bool EditPlayer::play_pod(const Edit& edit) {
  const auto found = cluster_.find_pod(edit.namespace_name, edit.name);
  if (!found || fate(*found) == Fate::kDeleted) return false;
  const Pod& pod = cluster_.pod(*found);
  if (pod.is_finished()) return false;
  if (session_.engine_of(*found) == nullptr) return false;
  const bool moves = edit.kind == Edit::Kind::kMovePod;
  const auto node = moves ? cluster_.find_node(edit.value) : std::nullopt;
  if (moves && !node) return false;
  if (cluster_.is_placed(*found)) unbind(*found);
  fates_[raw(*found)] = moves ? Fate::kMoved : Fate::kDeleted;
  if (!moves) return true;
  touch(*node);
  apply({Change::Kind::kBind, *found, *node});
  return true;
}

bool EditPlayer::is_name(const std::string& name) const {
  if (cluster_.rtt().find(name)) return true;
  return cluster_.rtt_by().empty() && cluster_.find_node(name);
}

bool EditPlayer::play_rtt(const Edit& edit) {
  if (cluster_.rtt_by().empty() && edit.node == edit.name) return false;
  if (!reads_rtts(cluster_.facts())) return is_name(edit.node) && is_name(edit.name);
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

// What only a deleted node had is no resource any more.
bool EditPlayer::is_resource(const std::string& name) const {
  const auto known = cluster_.find_resource(name);
  return known && (raw(*known) < kFirstExtended || (parts_ & kPresencePart) == 0);
}

// Ties are spread by signatures, which number the resources of all nodes and pods: without those
// that only this node has, some may have other numbers.
bool EditPlayer::may_renumber(NodeIndex node) const {
  const Resources& allocatable = cluster_.node(node).allocatable;
  return session_.spreads_ties() &&
         std::any_of(allocatable.begin(), allocatable.end(), [&](const auto& entry) {
           return raw(*cluster_.find_resource(entry.first)) >= kFirstExtended;
         });
}

bool EditPlayer::play_node(const Edit& edit) {
  const auto node = cluster_.find_node(edit.node);
  if (!node) return false;
  const bool sets_amount =
      edit.kind == Edit::Kind::kSetResource || edit.kind == Edit::Kind::kAddResource;
  if (sets_amount && !is_resource(edit.name)) return false;
  auto facts = std::make_unique<Node>(cluster_.node(*node));
  if (!edit_node(edit, *facts)) return false;
  const bool vanishes = edit.kind == Edit::Kind::kDeleteNode;
  if (vanishes && may_renumber(*node)) return false;
  if ((vanishes || edit.kind == Edit::Kind::kDrain) && !clear(*node, vanishes)) return false;
  touch(*node);
  Change change;
  change.kind = vanishes ? Change::Kind::kRemoveNode : Change::Kind::kReplaceNode;
  change.node = *node;
  change.facts = facts.get();
  edited_.push_back(std::move(facts));
  apply(change);
  return true;
}

// Pods of DaemonSets that are to be placed go with the only node that they were made for.
bool EditPlayer::delete_waiting(NodeIndex node) {
  const std::string& name = cluster_.node(node).name;
  for (const PodIndex pod : tied_) {
    if (!is_planned(pod) || fate(pod) == Fate::kDeleted) continue;
    if (!is_only_for(*cluster_.pod_facts(pod).spec, name)) continue;
    if (session_.engine_of(pod) == nullptr) return false;
    if (cluster_.is_placed(pod)) unbind(pod);
    fates_[raw(pod)] = Fate::kDeleted;
  }
  return true;
}

// Planned pods of a drained node stay until they are judged.
bool EditPlayer::clear(NodeIndex node, bool node_vanishes) {
  if (node_vanishes && !delete_waiting(node)) return false;
  const auto here = cluster_.pods_on(node);
  for (const PodIndex pod : std::vector<PodIndex>(here.begin(), here.end())) {
    const bool planned = is_planned(pod), tied = belongs_to_node(cluster_.pod(pod));
    if (!node_vanishes && (planned || tied)) continue;
    // A pod that the plan had placed, and an edit moved here, would try its old place again.
    const bool moved_from_plan = !planned && cluster_.pod(pod).bound_node.empty();
    if (session_.engine_of(pod) == nullptr || moved_from_plan) return false;
    const bool ends = tied || cluster_.pod(pod).terminating;
    fates_[raw(pod)] = planned ? Fate::kDropped : ends ? Fate::kDeleted : Fate::kEvicted;
    unbind(pod);
  }
  return true;
}

}  // namespace gedge
