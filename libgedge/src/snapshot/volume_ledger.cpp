#include "gedge/snapshot/volume_ledger.hpp"

#include <algorithm>

#include "snapshot/volume_shelves.hpp"

namespace gedge {

VolumeLedger::VolumeLedger(const ClusterState& cluster, ClusterState::Epoch since,
                           std::uint64_t version)
    : cluster_(&cluster), lookup_(cluster.facts()), epoch_(since), version_(version) {
  recall_beginning();
  replay();
  follow();
}

VolumeLedger::~VolumeLedger() = default;

// Where pods were when the journal was as long.
void VolumeLedger::recall_beginning() {
  const ClusterState& cluster = *cluster_;
  std::vector<NodeIndex> at_first(cluster.pod_count(), kNoNode);
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    at_first[i] = cluster.node_of(PodIndex{i});
  const std::span<const Change> journal = cluster.since(epoch_);
  // Newest first, so that the oldest change of a pod has the last word on where it began.
  for (auto change = journal.rbegin(); change != journal.rend(); ++change) {
    if (change->kind == Change::Kind::kBind) at_first[raw(change->pod)] = kNoNode;
    if (change->kind == Change::Kind::kUnbind) at_first[raw(change->pod)] = change->node;
  }
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    if (at_first[i] != kNoNode && has_volumes(PodIndex{i}) &&
        !waiting_claims(cluster.pod_facts(PodIndex{i})).empty())
      history_.push_back({PodIndex{i}, at_first[i], true});
  // A state that pods have joined since it was made: as one that is made now.
  if (epoch_ > 0)
    std::sort(history_.begin(), history_.end(), [&](const Event& a, const Event& b) {
      return comes_before(cluster.pod(a.pod), cluster.pod(b.pod));
    });
}

void VolumeLedger::replay() {
  holdings_.assign(lookup_.facts().claims.size(), {});
  shelves_ = std::make_unique<VolumeShelves>(*cluster_, lookup_);
  ++version_;
  for (const Event& event : history_) happen(event);
}

void VolumeLedger::follow() {
  bool are_labels_true = true;
  for (const Change& change : cluster_->since(epoch_)) {
    const bool binds = change.kind == Change::Kind::kBind;
    if (!binds && change.kind != Change::Kind::kUnbind) {
      are_labels_true = are_labels_true && (change.parts & kLabelPart) == 0;
    } else if (has_volumes(change.pod)) {
      history_.push_back({change.pod, change.node, binds});
      if (are_labels_true) happen(history_.back());
    }
  }
  epoch_ = cluster_->epoch();
  if (!are_labels_true) replay();
}

VolumeLedger::Holding& VolumeLedger::holding_of(const PersistentVolumeClaim& claim) {
  return holdings_[static_cast<std::size_t>(&claim - lookup_.facts().claims.data())];
}

std::optional<const PersistentVolume*> VolumeLedger::taken_for(
    const PersistentVolumeClaim& claim) const {
  const Holding& holding =
      holdings_[static_cast<std::size_t>(&claim - lookup_.facts().claims.data())];
  if (holding.pods == 0) return std::nullopt;
  return holding.volume;
}

VolumeLedger::Claims VolumeLedger::waiting_claims(const PodFacts& pod) const {
  Claims claims;
  for (const PodVolume& volume : pod.spec->volumes) {
    const PersistentVolumeClaim* claim = lookup_.claim(pod.namespace_name(), volume.claim);
    if (claim != nullptr && claim->selected_node.empty() && waits_for_pod(lookup_, *claim) &&
        std::find(claims.begin(), claims.end(), claim) == claims.end())
      claims.push_back(claim);
  }
  return claims;
}

std::vector<ClaimedVolume> VolumeLedger::claimed_by(PodIndex pod) const {
  std::vector<ClaimedVolume> claimed;
  for (const PersistentVolumeClaim* claim : waiting_claims(cluster_->pod_facts(pod)))
    if (const auto taken = taken_for(*claim)) claimed.push_back({claim, *taken});
  return claimed;
}

void VolumeLedger::happen(const Event& event) {
  if (event.binds)
    take(event);
  else
    give_back(event);
}

void VolumeLedger::take(const Event& event) {
  Claims open;
  for (const PersistentVolumeClaim* claim : waiting_claims(cluster_->pod_facts(event.pod))) {
    if (holding_of(*claim).pods == 0)
      open.push_back(claim);
    else
      ++holding_of(*claim).pods;
  }
  if (open.empty()) return;
  const std::vector<const PersistentVolume*> found = shelves_->match(open, event.node);
  for (std::size_t i = 0; i < open.size(); ++i) {
    holding_of(*open[i]) = {found[i], 1};
    if (found[i] != nullptr) shelves_->take(*found[i]);
  }
  ++version_;
}

void VolumeLedger::give_back(const Event& event) {
  for (const PersistentVolumeClaim* claim : waiting_claims(cluster_->pod_facts(event.pod))) {
    Holding& holding = holding_of(*claim);
    if (holding.pods == 0 || --holding.pods > 0) continue;
    if (holding.volume != nullptr) shelves_->give_back(*holding.volume);
    ++version_;
  }
}

std::vector<const PersistentVolume*> VolumeLedger::match(const Claims& claims,
                                                         NodeIndex node) const {
  return shelves_->match(claims, node);
}

void VolumeLedger::keep_reaching(const PersistentVolume& volume, NodeMask& rows) const {
  shelves_->keep_reaching(volume, rows);
}

void VolumeLedger::keep_provisioning(const StorageClass& storage, NodeMask& rows) const {
  shelves_->keep_provisioning(storage, rows);
}

void VolumeLedger::keep_served(const Claims& claims, NodeMask& rows) const {
  shelves_->keep_served(claims, rows);
}

}  // namespace gedge
