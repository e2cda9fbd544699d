// gedge/snapshot/volume_ledger.hpp - which free volumes the pods placed so far have taken, and what
// is left for others.
//
// The facts show only what is bound already. A claim that waits for its first pod takes a volume
// when that pod is placed, and the next pod must find another one. The ledger is a function of the
// state's history alone: pods that were bound from the start in their order, then every bind and
// unbind of the journal, undone ones included, all on nodes labelled as they are now. The start is
// that of the state, or when its claims and volumes were last renewed (renew_volumes).
//
// Source   kube-scheduler plugins/volumebinding/binder.go findMatchingVolumes; component-helpers
//          storage/volume FindMatchingVolume.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"
#include "gedge/snapshot/volume_lookup.hpp"

namespace gedge {

class VolumeShelves;

/// A claim that waited for its first pod, and what it has got.
struct ClaimedVolume {
  const PersistentVolumeClaim* claim = nullptr;
  const PersistentVolume* volume = nullptr;  ///< null: one is to be made for the pod's node
};

/// Kept by a ClusterState, which gives it out true to what the state is then. Claims and volumes
/// are those of its facts.
class VolumeLedger {
 public:
  using Claims = std::vector<const PersistentVolumeClaim*>;

  /// Replays what happened after `since`, and before it the pods that had a node then: in the order
  /// of their workloads where the state was asked to count anew. `version`: its first one, beyond
  /// those of ledgers before. Cost: O(storage objects + pods + journal).
  VolumeLedger(const ClusterState& cluster, ClusterState::Epoch since, std::uint64_t version);
  ~VolumeLedger();
  /// Follows what happened since. Cost: O(changes); where labels of nodes changed, everything is
  /// replayed.
  void follow();
  /// Begins anew with claims and volumes as they are by now. Pods that have a node are taken to
  /// have had it from the beginning, in the order of their workloads. Cost: O(news, journal since
  /// the last time, placed pods with claims that wait); the first time O(pods).
  void renew(const StorageNews& news);

  const VolumeLookup& lookup() const { return lookup_; }
  /// Moves when anything that is said below may have become another.
  std::uint64_t version() const { return version_; }

  /// Claims of the pod that are neither bound nor given a node, each once.
  Claims waiting_claims(const PodFacts& pod) const;
  /// What a placed pod got for this claim: a volume, or null for one that is being provisioned;
  /// empty if no placed pod uses the claim.
  std::optional<const PersistentVolume*> taken_for(const PersistentVolumeClaim& claim) const;
  /// Of a placed pod: what its waiting claims have got, in the pod's order.
  std::vector<ClaimedVolume> claimed_by(PodIndex pod) const;

  /// The volume each waiting claim would get on that node, null where none is left: one that is
  /// reserved for it, else the smallest free one that suits it; smallest claims choose first.
  /// Parallel to `claims`.
  std::vector<const PersistentVolume*> match(const Claims& claims, NodeIndex node) const;

  // --- what these clear of `rows` is the rest. Dead rows count as rows.
  /// Rows from which the volume can be reached.
  void keep_reaching(const PersistentVolume& volume, NodeMask& rows) const;
  /// Rows for which the class makes volumes.
  void keep_provisioning(const StorageClass& storage, NodeMask& rows) const;
  /// Rows on which each of the waiting claims, distinct ones, has a match, or its class makes one.
  /// Cost: O(rows / 64) for claims of one kind that was asked about before, and the volumes that
  /// have changed hands since; O(rows) for claims of one class with several kinds.
  void keep_served(const Claims& claims, NodeMask& rows) const;

 private:
  struct Holding {
    const PersistentVolume* volume = nullptr;  // null: one is being provisioned
    std::uint32_t pods = 0;                    // placed ones that use the claim
  };
  struct Event {
    PodIndex pod = kNoPod;
    NodeIndex node = kNoNode;
    bool binds = true;
  };

  bool has_volumes(PodIndex pod) const { return !cluster_->pod_facts(pod).spec->volumes.empty(); }
  bool is_placed_waiting(PodIndex pod) const;
  std::vector<PodIndex> users_of(const StorageNews& news) const;
  void meet_new_pods();
  void look_at(PodIndex pod);
  void forget_holdings();
  void sort_history();
  void recall_beginning();
  void replay();
  void happen(const Event& event);
  void take(const Event& event);
  void give_back(const Event& event);
  Holding& holding_of(const PersistentVolumeClaim& claim);

  const ClusterState* cluster_;
  VolumeLookup lookup_;
  std::vector<Event> history_;       // of pods with volumes
  std::vector<Holding> holdings_;    // [claims]; without pods: none
  std::vector<std::uint32_t> held_;  // claims that had holdings
  std::unique_ptr<VolumeShelves> shelves_;
  ClusterState::Epoch epoch_;
  std::uint64_t version_;
  bool are_labels_true_ = true;  // of nodes, when shelves were made
  bool has_played_ = false;      // the history

  // For renewals.
  std::uint32_t known_pods_ = 0;                          // those behind are not in what follows
  std::unordered_multimap<std::size_t, PodIndex> users_;  // by hash_of_name of their claims
  std::set<PodIndex> waiting_;                            // placed ones, with claims that wait
  ClusterState::Epoch renewed_ = 0;                       // when that was so
};

}  // namespace gedge
