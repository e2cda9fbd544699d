// plan/live_claims.hpp - which volumes are promised to claims of pods that were given a node.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gedge/model/facts.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "gedge/port/binding.hpp"
#include "gedge/snapshot/cluster_state.hpp"
#include "plan/live_storage.hpp"

namespace gedge {

/// Writes into storage what was asked of the cluster, until the cluster says so itself.
class LiveClaims {
 public:
  /// What claims of a pod that was placed on a node need so that they are bound; they have it in
  /// `storage`, that of the state, from now on. Nothing for claims that are bound or asked for, or
  /// where the pod has no place.
  std::vector<ClaimRequest> take(const ClusterState& cluster, PodIndex pod, LiveStorage& storage);
  /// Takes back what was written for the claims of this pod, but what the cluster has said.
  void give_back(const Pod& pod, const PodSpec& spec, LiveStorage& storage);

  /// What the cluster says now of volumes and claims, before it is put into storage.
  void confirm(std::vector<PersistentVolume>& volumes, std::vector<PersistentVolumeClaim>& claims);
  /// `spec`: the pod's.
  VolumesOfPod volumes_of(const Pod& pod, const PodSpec& spec, const LiveStorage& storage) const;

 private:
  VolumesOfPod volume_of(const PersistentVolumeClaim& claim, const SharedText& node,
                         const LiveStorage& storage) const;

  using Name = std::pair<std::string, std::string>;  // namespace, name
  struct Owner {
    Name claim;
    std::string uid;
  };
  struct Place {
    std::string node;
    std::string uid;  // of the claim
  };
  std::map<std::string, Owner> volumes_;  // promised to a claim
  std::map<Name, Place> claims_;          // promised a node
  std::map<Name, std::string> chosen_;    // volumes of claims that are not bound yet
};

}  // namespace gedge
