#include "plan/live_claims.hpp"

#include <algorithm>
#include <tuple>

#include "gedge/model/volume_offer.hpp"
#include "gedge/snapshot/volume_ledger.hpp"

namespace gedge {
namespace {

void clear_claim(PersistentVolume& volume) {
  volume.claim_namespace.clear();
  volume.claim_name.clear();
  volume.claim_uid.clear();
}

}  // namespace

std::vector<ClaimRequest> LiveClaims::take(const ClusterState& cluster, PodIndex pod,
                                           LiveStorage& storage) {
  std::vector<ClaimRequest> wanted;
  if (!cluster.is_placed(pod)) return wanted;
  const std::string& node = cluster.node_name(cluster.node_of(pod));
  for (const auto& [claim, volume] : cluster.volume_ledger().claimed_by(pod)) {
    if (volume != nullptr) chosen_[{claim->namespace_name, claim->name}] = volume->name;
    // One that is reserved for the claim is bound to it without us.
    if (volume != nullptr && !volume->claim_name.empty()) continue;
    ClaimRequest request;
    request.claim = {claim->namespace_name, claim->name};
    request.uid = claim->uid;
    request.node = node;
    if (volume != nullptr) {
      request.volume = volume->name;
      request.is_annotated = volume->is_annotated;
    }
    wanted.push_back(std::move(request));
  }
  for (const ClaimRequest& request : wanted) {
    const Name name{request.claim.namespace_name, request.claim.name};
    if (request.volume.empty()) {
      storage.change_claim(name.first, name.second)->selected_node = node;
      claims_[name] = {node, request.uid};
      continue;
    }
    PersistentVolume& volume = *storage.change_volume(request.volume);
    volume.claim_namespace = name.first;
    volume.claim_name = name.second;
    volume.claim_uid = request.uid;
    volumes_[volume.name] = {name, request.uid};
  }
  return wanted;
}

void LiveClaims::give_back(const Pod& pod, const PodSpec& spec, LiveStorage& storage) {
  for (const PodVolume& used : spec.volumes) {
    const Name name{pod.namespace_name, used.claim};
    chosen_.erase(name);
    if (claims_.erase(name) > 0)
      if (PersistentVolumeClaim* const claim = storage.change_claim(name.first, name.second))
        claim->selected_node.clear();
    for (auto at = volumes_.begin(); at != volumes_.end();) {
      if (at->second.claim != name) {
        ++at;
        continue;
      }
      if (PersistentVolume* const volume = storage.change_volume(at->first)) clear_claim(*volume);
      at = volumes_.erase(at);
    }
  }
}

// Of an older version than what was asked for, the promise stands.
void LiveClaims::confirm(std::vector<PersistentVolume>& volumes,
                         std::vector<PersistentVolumeClaim>& claims) {
  for (PersistentVolume& volume : volumes) {
    const auto at = volumes_.find(volume.name);
    if (at == volumes_.end()) continue;
    if (!volume.claim_name.empty()) {
      volumes_.erase(at);
      continue;
    }
    std::tie(volume.claim_namespace, volume.claim_name) = at->second.claim;
    volume.claim_uid = at->second.uid;
  }
  for (PersistentVolumeClaim& claim : claims) {
    const Name name{claim.namespace_name, claim.name};
    if (!claim.volume_name.empty()) chosen_.erase(name);
    const auto at = claims_.find(name);
    if (at == claims_.end()) continue;
    // Of one that was made anew nobody has asked anything.
    const bool is_it = claim.uid == at->second.uid;
    if (is_it && claim.selected_node.empty() && claim.volume_name.empty())
      claim.selected_node = at->second.node;
    else
      claims_.erase(at);
  }
}

VolumesOfPod LiveClaims::volume_of(const PersistentVolumeClaim& claim, const SharedText& node,
                                   const LiveStorage& storage) const {
  if (!claim.volume_name.empty()) {
    const bool is_bound = !claim.is_half_bound && storage.find_volume(claim.volume_name) != nullptr;
    return is_bound ? VolumesOfPod::kBound : VolumesOfPod::kAwaited;
  }
  if (claim.selected_node == node.str()) return VolumesOfPod::kAwaited;
  const auto chosen = chosen_.find({claim.namespace_name, claim.name});
  const PersistentVolume* const volume =
      chosen == chosen_.end() ? nullptr : storage.find_volume(chosen->second);
  return volume != nullptr && is_reserved_for(*volume, claim) ? VolumesOfPod::kAwaited
                                                              : VolumesOfPod::kUnbound;
}

VolumesOfPod LiveClaims::volumes_of(const Pod& pod, const PodSpec& spec,
                                    const LiveStorage& storage) const {
  VolumesOfPod worst = VolumesOfPod::kBound;
  for (const PodVolume& used : spec.volumes) {
    if (used.claim.empty()) continue;
    const PersistentVolumeClaim* const claim = storage.find_claim(pod.namespace_name, used.claim);
    if (claim == nullptr) return VolumesOfPod::kUnbound;
    worst = std::max(worst, volume_of(*claim, pod.bound_node, storage));
  }
  return worst;
}

}  // namespace gedge
