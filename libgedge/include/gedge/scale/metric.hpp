// gedge/scale/metric.hpp - how many replicas one metric asks for.
//
// Source   kubernetes/kubernetes pkg/controller/podautoscaler (replica_calculator, utilization),
//          1.20 and 1.36; vectors: tests/data/conformance/hpa.jsonl. Sums are 64-bit integers,
//          ratios doubles, operation by operation as there; what leaves the range of an answer is
//          capped instead of wrapped around.
// Input    pods and values, all as arguments: no clock, no map, no allocation. Cost: O(pods).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gedge/base/units.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/scale/settings.hpp"

namespace gedge {

/// Ratios between 1 - down and 1 + up change nothing.
struct Tolerances {
  double down = 0.1, up = 0.1;
};
bool is_within(double ratio, const Tolerances& tolerances, Compat compat);

/// One pod of the workload, as one metric sees it. Times in seconds, amounts in thousandths.
struct SampledPod {
  std::int64_t value = 0, request = 0;
  UnixSeconds sampled = 0, ready_since = 0, started = kNever;
  Micros window{0};
  PodPhase phase = PodPhase::kPending;
  ReadyState ready = ReadyState::kAbsent;
  bool deleting = false, has_value = false, has_request = true;
};

/// What a pod counts as.
enum class PodGroupKind : std::uint8_t {
  kReady,
  kUnready,  ///< its value is dropped; it counts as 0 when that lessens a scale-up
  kMissing,  ///< without a value; it counts as what holds the change back
  kLeftOut,  ///< deleted or failed: as if it were not there
};
/// `is_cpu`: the metric is cpu, where a pod that starts is not believed.
PodGroupKind group_of(const SampledPod& pod, bool is_cpu, UnixSeconds now,
                      const ScaleSettings& set);

/// Which step of the calculation gave the number.
enum class MetricRule : std::uint8_t {
  kNone,               ///< it failed
  kWithinTolerance,    ///< the replicas of now
  kRatio,              ///< the ratio times the pods that are ready
  kFilledWithin,       ///< with missing and unready pods filled in, within tolerance
  kFilledTurns,        ///< filled in, the ratio lies on the other side of 1
  kFilledRatio,        ///< the ratio after filling times the values
  kFilledGoesAgainst,  ///< that would go against the ratio
  kPerReplica,         ///< the whole value divided by what one replica should have
};

enum class MetricFailure : std::uint8_t {
  kNone,
  kNoSource,        ///< the API has nothing under that name
  kNoPods,          ///< the selector finds no pod
  kNoReadyPods,     ///< no value of a pod that counts
  kMissingRequest,  ///< a container without the request that utilization is about
  kNoKnownPods,     ///< values of unknown pods only
};

struct MetricAnswer {
  std::int32_t replicas = 0;
  MetricFailure failure = MetricFailure::kNone;
  MetricRule rule = MetricRule::kNone;
  // What the status shows.
  std::optional<std::int32_t> utilization;  ///< percent
  std::optional<std::int64_t> average_milli, value_milli;
  // How it came about.
  double ratio = 0, filled_ratio = 0;  ///< the second is 0 where nothing was filled in
  std::int64_t usage_milli = 0, request_milli = 0;
  std::int32_t ready = 0, unready = 0, missing = 0, ignored = 0, strays = 0, values = 0;
  bool ok() const { return failure == MetricFailure::kNone; }
};

/// Values of pods that nobody knows; they match the selector all the same.
struct StrayValues {
  std::int32_t count = 0;
  std::int64_t sum_milli = 0;
};

struct PodMetricQuestion {
  std::span<const SampledPod> pods;
  StrayValues strays;
  bool is_cpu = false;
  std::int32_t current = 0;  ///< spec.replicas of the scale
  std::int64_t target = 0;   ///< percent or thousandths
  Tolerances tolerances;
  UnixSeconds now = 0;
};

/// Resource and ContainerResource with a utilization as target.
MetricAnswer answer_utilization(const PodMetricQuestion& question, const ScaleSettings& settings);
/// Resource, ContainerResource and Pods with an average value as target.
MetricAnswer answer_average(const PodMetricQuestion& question, const ScaleSettings& settings);

/// Object and External with a value as target: `pods` are those that the selector finds.
MetricAnswer answer_value(std::int64_t value_milli, const PodMetricQuestion& question,
                          Compat compat);
/// Object and External with an average value as target.
MetricAnswer answer_per_replica(std::int64_t value_milli, std::int32_t status_replicas,
                                std::int64_t target_milli, const Tolerances& tolerances,
                                Compat compat);

/// The largest or smallest number where the double is beyond.
std::int32_t to_replicas(double count);
std::int64_t saturating_add(std::int64_t a, std::int64_t b);

}  // namespace gedge
