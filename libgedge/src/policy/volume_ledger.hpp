// policy/volume_ledger.hpp - which free volumes the pods placed so far have taken.
//
// The facts show only what is bound already. A claim that waits for its first pod takes a volume
// when that pod is placed, and the next pod must find another one. The ledger is a function of the
// state's history alone: pods that were bound from the start in their order, then every bind and
// unbind of the journal, undone ones included.
//
// Source   kube-scheduler plugins/volumebinding/binder.go findMatchingVolumes; component-helpers
//          storage/volume FindMatchingVolume.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "policy/volume_lookup.hpp"

namespace gedge {

class VolumeLedger {
 public:
  /// Replays the history of `cluster`. Cost: O(pods + journal).
  VolumeLedger(const VolumeLookup& lookup, const ClusterState& cluster);

  /// Follows one bind (delta 1) or unbind (-1). False if no volume changed hands.
  bool on_pod(const ClusterState& cluster, PodIndex pod, NodeIndex node, int delta);

  /// Claims of the pod that are neither bound nor given a node, each once.
  std::vector<const PersistentVolumeClaim*> waiting_claims(const PodFacts& pod) const;
  /// What a placed pod got for this claim: a volume, or null for one that is being provisioned;
  /// empty if no placed pod uses the claim.
  std::optional<const PersistentVolume*> taken_for(const PersistentVolumeClaim& claim) const;

  /// The volume each claim would get on `node`, null where none is left; smallest claims choose
  /// first, and each takes the smallest volume that suits it. Parallel to `claims`.
  std::vector<const PersistentVolume*> match(
      const std::vector<const PersistentVolumeClaim*>& claims, const Node& node) const;

 private:
  struct Holding {
    const PersistentVolume* volume = nullptr;  // null: one is being provisioned
    std::uint32_t pods = 0;                    // placed ones that use the claim
  };
  bool take(const ClusterState& cluster, PodIndex pod, NodeIndex node);
  bool give_back(const ClusterState& cluster, PodIndex pod);
  const PersistentVolume* smallest(const PersistentVolumeClaim& claim, const Node& node,
                                   const std::set<const PersistentVolume*>& taken) const;

  const VolumeLookup* lookup_;
  std::map<const PersistentVolumeClaim*, Holding> holdings_;  // only looked up
  std::set<const PersistentVolume*> taken_;
};

}  // namespace gedge
