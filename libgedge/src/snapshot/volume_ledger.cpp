#include "gedge/snapshot/volume_ledger.hpp"

#include <algorithm>

#include "snapshot/volume_shelves.hpp"

namespace gedge {

VolumeLedger::VolumeLedger(const ClusterState& cluster, ClusterState::Epoch since,
                           std::uint64_t version)
    : cluster_(&cluster),
      lookup_(cluster.facts()),
      holdings_(cluster.facts().claims.size()),
      epoch_(since),
      version_(version) {
  recall_beginning();
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
  if (epoch_ > 0) sort_history();
}

void VolumeLedger::sort_history() {
  std::sort(history_.begin(), history_.end(), [&](const Event& a, const Event& b) {
    return comes_before(cluster_->pod(a.pod), cluster_->pod(b.pod));
  });
}

void VolumeLedger::follow() {
  for (const Change& change : cluster_->since(epoch_)) {
    const bool binds = change.kind == Change::Kind::kBind;
    if (!binds && change.kind != Change::Kind::kUnbind) {
      are_labels_true_ = are_labels_true_ && (change.parts & kLabelPart) == 0;
    } else if (has_volumes(change.pod)) {
      history_.push_back({change.pod, change.node, binds});
      if (are_labels_true_ && has_played_) happen(history_.back());
    }
  }
  epoch_ = cluster_->epoch();
  if (!are_labels_true_ || !has_played_) replay();
}

void VolumeLedger::replay() {
  forget_holdings();
  if (shelves_ == nullptr || !are_labels_true_)
    shelves_ = std::make_unique<VolumeShelves>(*cluster_, lookup_);
  are_labels_true_ = has_played_ = true;
  ++version_;
  for (const Event& event : history_) happen(event);
}

void VolumeLedger::forget_holdings() {
  for (const std::uint32_t claim : held_) {
    if (holdings_[claim].pods > 0 && holdings_[claim].volume != nullptr)
      shelves_->give_back(*holdings_[claim].volume);
    holdings_[claim] = {};
  }
  held_.clear();
}

bool VolumeLedger::is_placed_waiting(PodIndex pod) const {
  return cluster_->is_placed(pod) && has_volumes(pod) &&
         !waiting_claims(cluster_->pod_facts(pod)).empty();
}

// Of claims that were or are at places of the news, by the hash of their names: maybe more.
std::vector<PodIndex> VolumeLedger::users_of(const StorageNews& news) const {
  std::vector<PodIndex> pods;
  const HashedPlaces& places = lookup_.claim_places();
  const auto add = [&](std::size_t hash) {
    const auto [begin, end] = users_.equal_range(hash);
    for (auto at = begin; at != end; ++at) pods.push_back(at->second);
  };
  const std::vector<PersistentVolumeClaim>& now = lookup_.facts().claims;
  for (const std::uint32_t place : news.claims) {
    if (place < places.size()) add(places.hash_at(place));
    if (place < now.size()) add(hash_of_name(now[place].namespace_name, now[place].name));
  }
  return pods;
}

void VolumeLedger::meet_new_pods() {
  for (; known_pods_ < cluster_->pod_count(); ++known_pods_) {
    const PodIndex pod{known_pods_};
    const PodFacts& facts = cluster_->pod_facts(pod);
    for (const PodVolume& volume : facts.spec->volumes)
      if (!volume.claim.empty())
        users_.emplace(hash_of_name(facts.namespace_name(), volume.claim), pod);
    look_at(pod);
  }
}

void VolumeLedger::look_at(PodIndex pod) {
  if (is_placed_waiting(pod))
    waiting_.insert(pod);
  else
    waiting_.erase(pod);
}

void VolumeLedger::renew(const StorageNews& news) {
  std::vector<PodIndex> pods = users_of(news);
  if (known_pods_ > 0)
    for (const Change& change : cluster_->since(renewed_))
      if (change.kind == Change::Kind::kBind || change.kind == Change::Kind::kUnbind)
        pods.push_back(change.pod);
  for (const Change& change : cluster_->since(epoch_))
    are_labels_true_ = are_labels_true_ && (change.parts & kLabelPart) == 0;
  epoch_ = renewed_ = cluster_->epoch();
  forget_holdings();
  lookup_.renew(news);
  shelves_->renew(news);
  holdings_.resize(lookup_.facts().claims.size());
  meet_new_pods();
  for (const PodIndex pod : pods) look_at(pod);
  history_.clear();
  for (const PodIndex pod : waiting_) history_.push_back({pod, cluster_->node_of(pod), true});
  sort_history();
  has_played_ = false;
  ++version_;
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
    held_.push_back(static_cast<std::uint32_t>(open[i] - lookup_.facts().claims.data()));
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
