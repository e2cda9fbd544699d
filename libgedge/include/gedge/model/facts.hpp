// gedge/model/facts.hpp - everything the user declared and the API server reported, in one value.
//
// Facts hold no derived numbers. Lists that matter for order are sorted by the reader (nodes by
// name; pods, bound and pending alike, by namespace, workload, ordinal, name), so the order of
// files never counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/model/node.hpp"
#include "gedge/model/pod.hpp"

namespace gedge {

/// Service, ReplicationController, ReplicaSet or StatefulSet: whose pods should be spread.
struct SpreadOwner {
  std::string kind, namespace_name, name;
  LabelSelector selector;

  friend bool operator==(const SpreadOwner&, const SpreadOwner&) = default;
};

struct PriorityClass {
  std::string name;
  std::int32_t value = 0;
  bool global_default = false;
  bool preempts = true;

  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

enum class VolumeBinding : std::uint8_t { kImmediate, kWaitForFirstConsumer };

struct StorageClass {
  std::string name;
  VolumeBinding binding = VolumeBinding::kImmediate;
  bool provisions = true;  ///< false for kubernetes.io/no-provisioner
  bool is_default = false;
  std::vector<NodeSelectorTerm> allowed_topologies;  ///< empty: everywhere

  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

struct PersistentVolume {
  std::string name;
  Labels labels;
  std::string storage_class;
  std::int64_t capacity_bytes = 0;
  std::vector<std::string> access_modes;
  bool has_node_affinity = false;
  std::vector<NodeSelectorTerm> node_terms;  ///< OR-ed
  std::string claim_namespace, claim_name;   ///< claimRef; empty: free
  std::string claim_uid;                     ///< of claimRef; empty: of whoever bears the name
  bool is_block = false;                     ///< volumeMode Block
  /// Not being deleted, and Available or, with a claimRef, in any phase: no other is ever bound.
  bool is_offered = true;
  bool is_annotated = false;  ///< has annotations

  friend bool operator==(const PersistentVolume&, const PersistentVolume&) = default;
};

struct PersistentVolumeClaim {
  std::string namespace_name, name;
  std::string uid;                           ///< empty offline
  std::optional<std::string> storage_class;  ///< empty optional: the default class; "": none
  std::string volume_name;                   ///< bound to; empty: unbound
  std::string selected_node;                 ///< annotation volume.kubernetes.io/selected-node
  std::int64_t request_bytes = 0;
  std::vector<std::string> access_modes;
  LabelSelector selector;
  std::string owner_uid;     ///< of the controller that owns it; empty: none, or offline
  bool is_block = false;     ///< volumeMode Block
  bool terminating = false;  ///< has a deletionTimestamp
  /// It names a volume, and its status says that they are not bound yet.
  bool is_half_bound = false;

  friend bool operator==(const PersistentVolumeClaim&, const PersistentVolumeClaim&) = default;
};

struct PodDisruptionBudget {
  std::string namespace_name, name;
  LabelSelector selector;
  std::int32_t disruptions_allowed = 0;
  std::vector<std::string> disrupted_pods;

  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

/// Pods that are placed together or not at all.
struct PodGroup {
  std::string namespace_name, name;
  std::int32_t min_member = 1;  ///< so many of them, those that have a node included
  /// scheduleTimeoutSeconds: a member that is not bound by then gives its place back. 0: not said.
  std::int32_t timeout_seconds = 0;

  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

struct Namespace {
  std::string name;
  Labels labels;

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

/// An object that was read but does not matter to gedge.
struct SkippedObject {
  std::string kind, name;
};

struct Facts {
  std::vector<std::string> files;  ///< names for Place::file; entry 0 is "" (made up)
  std::vector<Node> nodes;
  std::vector<PodSpec> specs;
  std::vector<Pod> pods;  ///< bound pods (bound_node) and pods that are to be placed
  std::vector<Namespace> namespaces;
  std::vector<SpreadOwner> spread_owners;
  std::vector<PriorityClass> priority_classes;
  std::vector<StorageClass> storage_classes;
  std::vector<PersistentVolume> volumes;
  std::vector<PersistentVolumeClaim> claims;
  std::vector<PodDisruptionBudget> disruption_budgets;
  std::vector<PodGroup> pod_groups;
  std::vector<SkippedObject> skipped;
  std::vector<Warning> warnings;

  const PodSpec& spec_of(const Pod& pod) const { return specs[raw(pod.spec)]; }
  SourceSpan span(Place place) const {
    return {place.file < files.size() ? files[place.file] : "", static_cast<int>(place.line),
            static_cast<int>(place.column), "", 1};
  }
};

/// The value of a label of one pod: its own first, then the template's; null where absent.
inline const std::string* pod_label(const Pod& pod, const PodSpec& spec, std::string_view key) {
  if (const std::string* own = pod.extra_labels.find(key)) return own;
  return spec.labels.find(key);
}
/// The name of the pod group, of the pod's own namespace, that it says it is in; null: in none.
inline const std::string* pod_group_name(const Pod& pod, const PodSpec& spec) {
  const std::string* name = pod_label(pod, spec, "scheduling.x-k8s.io/pod-group");
  return name ? name : pod_label(pod, spec, "pod-group.scheduling.sigs.k8s.io");
}
/// All labels of one pod.
inline Labels pod_labels(const Pod& pod, const PodSpec& spec) {
  Labels all = spec.labels;
  for (const auto& [key, value] : pod.extra_labels) all.set(key, value);
  return all;
}

}  // namespace gedge
