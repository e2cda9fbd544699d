// gedge/policy/volumes.hpp - the volumes that claims of placed pods take.
#pragma once

#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// A claim that waited for its first pod, and what VolumeBinding has chosen for it.
struct ClaimedVolume {
  const PersistentVolumeClaim* claim = nullptr;
  const PersistentVolume* volume = nullptr;  ///< null: one is to be made for the pod's node
};

/// Of a placed pod: its claims that are neither bound nor given a node, in the pod's order. Lives
/// as long as the facts. Cost: O(storage objects + pods + journal) for a pod with claims.
std::vector<ClaimedVolume> claimed_volumes(const ClusterState& cluster, PodIndex pod);

}  // namespace gedge
