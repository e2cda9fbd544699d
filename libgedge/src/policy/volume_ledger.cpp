// policy/volume_ledger.cpp - which volumes are taken.
#include "policy/volume_ledger.hpp"

#include <algorithm>
#include <numeric>

#include "gedge/policy/volumes.hpp"

namespace gedge {
namespace {

bool is_for(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.claim_name == claim.name && volume.claim_namespace == claim.namespace_name;
}

bool has_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return std::all_of(
      claim.access_modes.begin(), claim.access_modes.end(), [&](const std::string& mode) {
        return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
               volume.access_modes.end();
      });
}

}  // namespace

VolumeLedger::VolumeLedger(const VolumeLookup& lookup, const ClusterState& cluster)
    : lookup_(&lookup) {
  std::vector<NodeIndex> at_first(cluster.pod_count(), kNoNode);
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    at_first[i] = cluster.node_of(PodIndex{i});
  const std::span<const Change> journal = cluster.since(0);
  // Newest first, so that the oldest change of a pod has the last word on where it began.
  for (auto change = journal.rbegin(); change != journal.rend(); ++change) {
    if (change->kind == Change::Kind::kBind) at_first[raw(change->pod)] = kNoNode;
    if (change->kind == Change::Kind::kUnbind) at_first[raw(change->pod)] = change->node;
  }
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    if (at_first[i] != kNoNode) on_pod(cluster, PodIndex{i}, at_first[i], 1);
  for (const Change& change : journal) {
    if (change.kind == Change::Kind::kBind) on_pod(cluster, change.pod, change.node, 1);
    if (change.kind == Change::Kind::kUnbind) on_pod(cluster, change.pod, change.node, -1);
  }
}

bool VolumeLedger::on_pod(const ClusterState& cluster, PodIndex pod, NodeIndex node, int delta) {
  if (cluster.pod_facts(pod).spec->volumes.empty()) return false;
  return delta > 0 ? take(cluster, pod, node) : give_back(cluster, pod);
}

std::optional<const PersistentVolume*> VolumeLedger::taken_for(
    const PersistentVolumeClaim& claim) const {
  const auto at = holdings_.find(&claim);
  if (at == holdings_.end()) return std::nullopt;
  return at->second.volume;
}

std::vector<const PersistentVolumeClaim*> VolumeLedger::waiting_claims(const PodFacts& pod) const {
  std::vector<const PersistentVolumeClaim*> claims;
  for (const PodVolume& volume : pod.spec->volumes) {
    const PersistentVolumeClaim* claim = lookup_->claim(pod.namespace_name(), volume.claim);
    if (claim != nullptr && claim->selected_node.empty() && waits_for_pod(*lookup_, *claim) &&
        std::find(claims.begin(), claims.end(), claim) == claims.end())
      claims.push_back(claim);
  }
  return claims;
}

bool VolumeLedger::take(const ClusterState& cluster, PodIndex pod, NodeIndex node) {
  const std::vector<const PersistentVolumeClaim*> claims = waiting_claims(cluster.pod_facts(pod));
  std::vector<const PersistentVolumeClaim*> open;
  for (const PersistentVolumeClaim* claim : claims) {
    const auto at = holdings_.find(claim);
    if (at == holdings_.end())
      open.push_back(claim);
    else
      ++at->second.pods;
  }
  const std::vector<const PersistentVolume*> found = match(open, cluster.node(node));
  for (std::size_t i = 0; i < open.size(); ++i) {
    holdings_[open[i]] = {found[i], 1};
    if (found[i] != nullptr) taken_.insert(found[i]);
  }
  return !open.empty();
}

bool VolumeLedger::give_back(const ClusterState& cluster, PodIndex pod) {
  bool changed = false;
  for (const PersistentVolumeClaim* claim : waiting_claims(cluster.pod_facts(pod))) {
    const auto at = holdings_.find(claim);
    if (at == holdings_.end() || --at->second.pods > 0) continue;
    if (at->second.volume != nullptr) taken_.erase(at->second.volume);
    holdings_.erase(at);
    changed = true;
  }
  return changed;
}

std::vector<const PersistentVolume*> VolumeLedger::match(
    const std::vector<const PersistentVolumeClaim*>& claims, const Node& node) const {
  std::vector<std::size_t> order(claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return claims[a]->request_bytes < claims[b]->request_bytes;
  });
  std::vector<const PersistentVolume*> found(claims.size(), nullptr);
  std::set<const PersistentVolume*> taken = taken_;
  for (const std::size_t i : order) {
    found[i] = smallest(*claims[i], node, taken);
    if (found[i] != nullptr) taken.insert(found[i]);
  }
  return found;
}

const PersistentVolume* VolumeLedger::smallest(
    const PersistentVolumeClaim& claim, const Node& node,
    const std::set<const PersistentVolume*>& taken) const {
  const StorageClass* storage = lookup_->class_of(claim);
  const PersistentVolume* best = nullptr;
  for (const PersistentVolume& volume : lookup_->volumes()) {
    if (storage == nullptr || volume.storage_class != storage->name) continue;
    if (taken.contains(&volume) || volume.capacity_bytes < claim.request_bytes) continue;
    if (is_for(volume, claim)) return reaches(volume, node) ? &volume : nullptr;
    if (!volume.claim_name.empty() || !claim.selector.matches(volume.labels)) continue;
    if (!reaches(volume, node) || !has_modes(volume, claim)) continue;
    const bool smaller =
        best == nullptr || volume.capacity_bytes < best->capacity_bytes ||
        (volume.capacity_bytes == best->capacity_bytes && volume.name < best->name);
    if (smaller) best = &volume;
  }
  return best;
}

std::vector<ClaimedVolume> claimed_volumes(const ClusterState& cluster, PodIndex pod) {
  std::vector<ClaimedVolume> claimed;
  const PodFacts& facts = cluster.pod_facts(pod);
  if (facts.spec->volumes.empty()) return claimed;
  const VolumeLookup lookup(cluster.facts());
  const VolumeLedger ledger(lookup, cluster);
  for (const PersistentVolumeClaim* claim : ledger.waiting_claims(facts))
    if (const auto taken = ledger.taken_for(*claim)) claimed.push_back({claim, *taken});
  return claimed;
}

}  // namespace gedge
