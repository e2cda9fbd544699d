#include "plan/live_claims.hpp"

#include "gedge/snapshot/volume_ledger.hpp"

namespace gedge {
std::vector<ClaimRequest> LiveClaims::take(const ClusterState& cluster, PodIndex pod,
                                           LiveStorage& storage) {
  std::vector<ClaimRequest> wanted;
  const std::string& node = cluster.node_name(cluster.node_of(pod));
  for (const auto& [claim, volume] : cluster.volume_ledger().claimed_by(pod)) {
    // One that is reserved for the claim is bound to it without us.
    if (volume != nullptr && !volume->claim_name.empty()) continue;
    ClaimRequest request;
    request.claim = {claim->namespace_name, claim->name};
    request.uid = claim->uid;
    request.node = node;
    if (volume != nullptr) request.volume = volume->name;
    wanted.push_back(std::move(request));
  }
  for (const ClaimRequest& request : wanted) {
    const Name name{request.claim.namespace_name, request.claim.name};
    if (request.volume.empty()) {
      storage.change_claim(name.first, name.second)->selected_node = node;
      claims_[name] = node;
      continue;
    }
    PersistentVolume& volume = *storage.change_volume(request.volume);
    volume.claim_namespace = name.first;
    volume.claim_name = name.second;
    volumes_[volume.name] = name;
  }
  return wanted;
}

void LiveClaims::give_back(const Pod& pod, const PodSpec& spec, LiveStorage& storage) {
  for (const PodVolume& used : spec.volumes) {
    const Name name{pod.namespace_name, used.claim};
    if (claims_.erase(name) > 0)
      if (PersistentVolumeClaim* const claim = storage.change_claim(name.first, name.second))
        claim->selected_node.clear();
    for (auto at = volumes_.begin(); at != volumes_.end();) {
      if (at->second != name) {
        ++at;
        continue;
      }
      if (PersistentVolume* const volume = storage.change_volume(at->first)) {
        volume->claim_namespace.clear();
        volume->claim_name.clear();
      }
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
    volume.claim_namespace = at->second.first;
    volume.claim_name = at->second.second;
  }
  for (PersistentVolumeClaim& claim : claims) {
    const auto at = claims_.find({claim.namespace_name, claim.name});
    if (at == claims_.end()) continue;
    if (claim.selected_node.empty() && claim.volume_name.empty())
      claim.selected_node = at->second;
    else
      claims_.erase(at);
  }
}

}  // namespace gedge
