// gedge/model/autoscaler.hpp - HorizontalPodAutoscalers as declared, and what they look at.
//
// Every version of the API is read into the same struct; what the API server would default is
// already in it. Amounts of metrics are thousandths throughout, as the controller counts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/shared_text.hpp"
#include "gedge/base/units.hpp"
#include "gedge/model/labels.hpp"
#include "gedge/model/place.hpp"
#include "gedge/model/pod.hpp"
#include "gedge/model/resources.hpp"
#include "gedge/model/selector.hpp"
#include "gedge/model/site_rules.hpp"

namespace gedge {

enum class MetricKind : std::uint8_t {
  kResource,
  kContainerResource,
  kPodMetric,
  kObject,
  kExternal
};
enum class TargetKind : std::uint8_t { kUtilization, kValue, kAverageValue };

/// An object that is named from the same namespace.
struct ObjectName {
  std::string api_version, kind, name;
  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};

struct MetricSpec {
  MetricKind kind = MetricKind::kResource;
  std::string name;       ///< of the resource or of the metric
  std::string container;  ///< kContainerResource
  ObjectName object;      ///< kObject: what it describes
  std::optional<LabelSelector> selector;
  TargetKind target = TargetKind::kUtilization;
  std::int64_t amount = 0;  ///< percent of the request, or thousandths; above 0
  bool is_query = false;    ///< kExternal: `name` is a query of Prometheus
  friend bool operator==(const MetricSpec&, const MetricSpec&) = default;
};

enum class PolicyUnit : std::uint8_t { kPodCount, kPercent };
/// At most `value` within `period_s`.
struct ScalingPolicy {
  PolicyUnit unit = PolicyUnit::kPodCount;
  std::int32_t value = 0;
  std::int32_t period_s = 0;
  friend bool operator==(const ScalingPolicy&, const ScalingPolicy&) = default;
};

enum class SelectPolicy : std::uint8_t { kMax, kMin, kDisabled };

/// One direction of `behavior`.
struct ScalingRules {
  std::optional<std::int32_t> window_s;  ///< empty: the controller's own (scale down only)
  std::vector<ScalingPolicy> policies;
  SelectPolicy select = SelectPolicy::kMax;
  std::optional<double> tolerance;  ///< a share; empty: the controller's own
  friend bool operator==(const ScalingRules&, const ScalingRules&) = default;
};

struct ScalingBehavior {
  ScalingRules up{0, {{PolicyUnit::kPodCount, 4, 15}, {PolicyUnit::kPercent, 100, 15}}, {}, {}};
  ScalingRules down{{}, {{PolicyUnit::kPercent, 100, 15}}, {}, {}};
  friend bool operator==(const ScalingBehavior&, const ScalingBehavior&) = default;
};

struct Autoscaler {
  SharedText namespace_name = Pod::default_namespace();
  SharedText name;
  std::string api_version;  ///< "autoscaling/v2": of the text that was read
  ObjectName target;
  std::int32_t min = 1, max = 0;
  std::vector<MetricSpec> metrics;
  std::optional<ScalingBehavior> behavior;
  std::optional<SiteRules> sites;  ///< of kShortAutoscaler: replicas may be on several
  std::int32_t last_desired = 0;   ///< status.desiredReplicas
  Place place;
  // Of an object of the API server.
  std::string uid, version;  ///< `version`: resourceVersion
  std::int64_t generation = 0;
  UnixSeconds last_scaled = kNever;  ///< status.lastScaleTime
};

/// apiVersion of autoscalers that are declared to gedge alone.
inline constexpr const char* kShortAutoscaler = "gedge.io/v1alpha1";

struct ScaledContainer {
  std::string name;
  Resources requests;
  std::optional<UnixSeconds> out_of_memory = {};  ///< when it was killed for it last
  Resources limits = {};
};

/// What pods of a workload are made of.
struct ScaledTemplate {
  std::vector<ScaledContainer> containers, sidecars;  ///< the last: restartable init containers
  std::optional<Resources> pod_requests;              ///< of the pod as a whole
};

/// How the controller of a workload goes about another template.
struct RolloutRules {
  enum class Kind : std::uint8_t {
    kNone,      ///< pods that are there stay as they are
    kRolling,   ///< some after the other
    kRecreate,  ///< all at once
  } kind = Kind::kNone;
  std::int32_t unavailable = 0;  ///< so many pods may lack meanwhile
  bool is_under_way = false;     ///< it deals with the last change
  bool is_stuck = false;         ///< it does not get on with that
  bool is_partial = false;       ///< some pods stay as they are, until somebody says so
  /// As long as this is the same, it does not get on.
  struct Progress {
    std::int64_t generation = 0, updated = 0, all = 0;
    friend bool operator==(const Progress&, const Progress&) = default;
  } progress = {};
  std::string failure = {};  ///< why its controller cannot make pods, as for a quota; empty: it can
  bool is_ordered = false;   ///< it waits for each pod, even for one that never comes
};

/// On a workload that has grown: what it was declared with. See HomeSize.
inline constexpr const char* kGrownAnnotation = "gedge.io/grown";

/// What the scale subresource of a workload says.
struct ScaleTarget {
  SharedText namespace_name = Pod::default_namespace();
  std::string kind, name;
  std::int32_t spec_replicas = 0, status_replicas = 0;
  LabelSelector selector;
  bool has_selector = false;
  std::string uid, version;  ///< `version`: what a write is to be based on
  // Of the workload itself.
  ScaledTemplate made_of;
  RolloutRules rollout;
  std::string grown;  ///< kGrownAnnotation; empty: it has none
};

enum class ReadyState : std::uint8_t { kAbsent, kTrue, kFalse, kUnknown };

/// A pod as far as an autoscaler looks at it.
struct ScaledPod : ScaledTemplate {
  SharedText namespace_name = Pod::default_namespace();
  SharedText name;
  std::string uid, version;
  ControllerRef controller;  ///< what made it
  Labels labels;
  PodPhase phase = PodPhase::kPending;
  bool deleting = false;
  ReadyState ready = ReadyState::kAbsent;
  UnixSeconds ready_since = 0;  ///< lastTransitionTime of the condition Ready
  UnixSeconds started = kNever;
  std::string unplaced;   ///< why the scheduler has found no node; empty: it has, or nobody asked
  std::string unresized;  ///< why its machine has not resized it as it was told; empty: it has
  bool is_resizing = false;  ///< its machine is at it, or has not seen yet what it was told last
};

/// One value that a metrics API gave.
struct MetricSample {
  std::int64_t milli = 0;
  UnixSeconds at = 0;  ///< 0: the sample does not say when
  Micros window{0};
};

/// metrics.k8s.io.
struct PodUsage {
  SharedText namespace_name = Pod::default_namespace();
  SharedText name;
  Labels labels;
  UnixSeconds at = 0;
  Micros window{0};
  struct OfContainer {
    std::string name;
    std::vector<std::pair<std::string, std::int64_t>> milli;  ///< by resource
  };
  std::vector<OfContainer> containers;
};

/// custom.metrics.k8s.io.
struct ObjectMetric {
  SharedText namespace_name;
  std::string object_kind, object_name, metric;
  MetricSample sample;
};

/// external.metrics.k8s.io.
struct ExternalMetric {
  std::string metric;
  Labels labels;
  MetricSample sample;
};

struct MetricFacts {
  std::vector<PodUsage> usage;
  std::vector<ObjectMetric> objects;
  std::vector<ExternalMetric> external;
};

/// What a LimitRange allows each container of a namespace, by resource, and each pod.
struct ContainerLimits {
  SharedText namespace_name = Pod::default_namespace();
  std::string name;
  Resources least, most, pod_least, pod_most;
  Resources unless_said;  ///< the limit of a container that declares none
};

/// Everything that is needed to say what an autoscaler does.
struct ScaleFacts {
  std::vector<std::string> files;
  std::vector<Autoscaler> autoscalers;
  std::vector<ScaleTarget> targets;
  std::vector<ScaledPod> pods;
  MetricFacts metrics;
  std::vector<ContainerLimits> limits;
  Resources largest;  ///< of each resource, what the node that has most of it can give to pods
  std::vector<Resources> nodes;  ///< what each of them can give
};

}  // namespace gedge
