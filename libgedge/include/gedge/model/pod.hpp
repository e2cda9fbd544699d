// gedge/model/pod.hpp - pods as declared and as reported; only the fields that gedge reads.
//
// Many pods share one PodSpec (a thousand replicas of a Deployment have one), so a Pod is small and
// names its spec by index into Facts::specs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gedge/base/shared_list.hpp"
#include "gedge/base/shared_text.hpp"
#include "gedge/base/units.hpp"
#include "gedge/model/labels.hpp"
#include "gedge/model/place.hpp"
#include "gedge/model/resources.hpp"
#include "gedge/model/selector.hpp"

namespace gedge {

enum class TaintEffect : std::uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key, value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  friend bool operator==(const Taint&, const Taint&) = default;
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct Toleration {
  SharedText key;  ///< empty: every key (only with exists)
  bool exists = false;
  SharedText value;
  std::optional<TaintEffect> effect;  ///< empty: every effect
  /// True if this toleration lets a pod stay with `taint`.
  bool tolerates(const Taint& taint) const {
    return (!effect || *effect == taint.effect) && (key.empty() || key == taint.key) &&
           (exists || value == taint.value);
  }
  friend bool operator==(const Toleration&, const Toleration&) = default;
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

struct PreferredNodeTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm term;
  friend bool operator==(const PreferredNodeTerm&, const PreferredNodeTerm&) = default;
  friend auto operator<=>(const PreferredNodeTerm&, const PreferredNodeTerm&) = default;
};

struct PodAffinityTerm {
  LabelSelector selector;
  std::vector<std::string> namespaces;  ///< sorted; empty and no namespace_selector: the pod's own
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
  std::vector<std::string> match_label_keys, mismatch_label_keys;
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
  friend auto operator<=>(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

struct PreferredPodTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;
  friend bool operator==(const PreferredPodTerm&, const PreferredPodTerm&) = default;
  friend auto operator<=>(const PreferredPodTerm&, const PreferredPodTerm&) = default;
};

struct TopologySpread {
  std::int32_t max_skew = 1;
  std::string topology_key;
  bool hard = true;  ///< DoNotSchedule; else ScheduleAnyway
  LabelSelector selector;
  std::optional<std::int32_t> min_domains;
  bool honor_node_affinity = true;  ///< nodeAffinityPolicy
  bool honor_node_taints = false;   ///< nodeTaintsPolicy
  std::vector<std::string> match_label_keys;
  friend bool operator==(const TopologySpread&, const TopologySpread&) = default;
  friend auto operator<=>(const TopologySpread&, const TopologySpread&) = default;
};

struct HostPort {
  std::string ip = "0.0.0.0";
  std::string protocol = "TCP";
  std::int32_t port = 0;  ///< never 0
  friend bool operator==(const HostPort&, const HostPort&) = default;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

struct Container {
  SharedText name;
  SharedText image;
  Resources requests, limits;  ///< requests already completed from limits
  bool restartable = false;    ///< an init container with restartPolicy Always (sidecar)
  friend bool operator==(const Container&, const Container&) = default;
  friend auto operator<=>(const Container&, const Container&) = default;
};

/// What a delay budget is measured from.
enum class PeerKind : std::uint8_t {
  kAny,  ///< from a label: node, then pod, then workload (in the pod's namespace), then matrix name
  kNode,      ///< "node/NAME"
  kPod,       ///< "pod/NAME"
  kWorkload,  ///< "deployment/NAME", "statefulset/NAME", ...
  kZone,      ///< "zone/NAME"
  kExternal,  ///< "external/NAME": a name of the matrix that is no node
};

/// Longest RTT a pod tolerates towards one peer. Several budgets of a pod all hold.
struct DelayBudget {
  std::string from;  ///< as written, for messages and JSON: "edge-1", "any:deployment/redis"
  PeerKind kind = PeerKind::kAny;
  std::string workload_kind;   ///< kWorkload: "Deployment", ...; empty: every kind
  std::string namespace_name;  ///< kPod, kWorkload: empty: the pod's own
  std::string name;
  bool nearest = false;       ///< "any:": the nearest replica or node counts; else the farthest
  std::int64_t limit_us = 0;  ///< rounded down
  Place place;
  friend bool operator==(const DelayBudget& a, const DelayBudget& b) {
    return a.from == b.from && a.limit_us == b.limit_us;
  }
};

/// A volume of a pod as far as scheduling reads it.
struct PodVolume {
  std::string name;
  std::string claim;  ///< persistentVolumeClaim.claimName or, for ephemeral volumes, POD-VOLUME
  bool ephemeral = false;
  friend bool operator==(const PodVolume&, const PodVolume&) = default;
  friend auto operator<=>(const PodVolume&, const PodVolume&) = default;
};

/// Everything that equal pods share.
struct PodSpec {
  Labels labels;       ///< of the template
  Labels annotations;  ///< of the template
  SharedList<Container> containers, init_containers;
  std::optional<Resources> pod_requests, pod_limits;  ///< pod-level resources (KEP-2837)
  Resources overhead;
  Labels node_selector;
  bool has_required_node_terms =
      false;  ///< requiredDuringScheduling is present, even with no terms
  SharedList<NodeSelectorTerm> required_node_terms;  ///< OR-ed
  SharedList<PreferredNodeTerm> preferred_node_terms;
  SharedList<PodAffinityTerm> required_affinity, required_anti_affinity;
  SharedList<PreferredPodTerm> preferred_affinity, preferred_anti_affinity;
  SharedList<Toleration> tolerations;
  SharedList<TopologySpread> spread;
  SharedList<HostPort> host_ports;  ///< of app containers, then of sidecars
  SharedList<PodVolume> volumes;
  std::vector<DelayBudget> budgets;
  SharedText
      node_name;  ///< spec.nodeName of a pod that is still to be placed: the only node allowed
  SharedText scheduler_name = default_scheduler();
  SharedText priority_class;
  SharedText runtime_class;
  bool host_network = false;
  bool preempts = true;       ///< preemptionPolicy is not Never
  bool gated = false;         ///< has schedulingGates
  SharedText latency_source;  ///< GS-Scheduler's gschConfig option.source_node; empty: none
  /// Why not all of it could be read; empty: all was. The pod is placed nowhere then, but where it
  /// is it takes what could be read.
  SharedText unread;
  Place place;

  static const SharedText& default_scheduler() {
    static const SharedText name = "default-scheduler";
    return name;
  }
};

/// The controller that owns a pod (ownerReferences with controller: true).
struct ControllerRef {
  SharedText kind, name, uid;
  friend bool operator==(const ControllerRef&, const ControllerRef&) = default;
};

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

enum class SpecIndex : std::uint32_t {};
constexpr std::uint32_t raw(SpecIndex i) { return static_cast<std::uint32_t>(i); }

struct Pod {
  SharedText namespace_name = default_namespace();
  SharedText name;
  SharedText uid;  ///< empty offline
  SpecIndex spec{};
  std::int32_t priority = 0;  ///< resolved through PriorityClass
  Labels extra_labels;  ///< of this pod alone, on top of the spec's (StatefulSet pod name); usually
                        ///< empty
  SharedText workload_kind,
      workload_name;         ///< "Deployment", "web"; a bare pod: "Pod" and its own name
  std::int64_t ordinal = 0;  ///< among the replicas of its workload
  ControllerRef controller;
  SharedText bound_node;  ///< empty: to be placed
  SharedText nominated_node;
  SharedText told;  ///< of a pod that waits: why, as its condition PodScheduled=False says
  UnixSeconds created = kNever, started = kNever;
  Place place;
  PodPhase phase = PodPhase::kPending;
  bool terminating = false;  ///< has a deletionTimestamp

  /// It ran to its end, well or not: it takes no place and is nobody's peer any more.
  bool is_finished() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }

  static const SharedText& default_namespace() {
    static const SharedText name = "default";
    return name;
  }
};

/// A scheduler has it to place: it is on no node, and neither gates nor its end keep it from one.
inline bool awaits_node(const Pod& pod, const PodSpec& spec) {
  return pod.bound_node.empty() && pod.phase == PodPhase::kPending && !pod.terminating &&
         !spec.gated;
}

/// The order of pods in facts: namespace, workload, kind of workload, ordinal, name.
inline bool comes_before(const Pod& a, const Pod& b) {
  return std::tie(a.namespace_name, a.workload_name, a.workload_kind, a.ordinal, a.name) <
         std::tie(b.namespace_name, b.workload_name, b.workload_kind, b.ordinal, b.name);
}

}  // namespace gedge
