// gedge/scale/reconcile.hpp - one look of the controller at one autoscaler.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gedge/model/autoscaler.hpp"
#include "gedge/scale/conditions.hpp"
#include "gedge/scale/metric.hpp"
#include "gedge/scale/normalize.hpp"
#include "gedge/scale/settings.hpp"
#include "gedge/scale/workloads.hpp"

namespace gedge {

/// Where the look ended.
enum class ScaleStep : std::uint8_t {
  kNoTarget,       ///< there is no such workload
  kDisabled,       ///< it has no replicas, and may have some: somebody switched it off
  kAboveMax,       ///< without a look at the metrics
  kBelowMin,       ///< the same
  kNoSelector,     ///< the workload does not say which pods are its own
  kAmbiguous,      ///< another autoscaler looks at the same pods
  kMetricsFailed,  ///< all of them
  kFrozen,         ///< some of them, and the others ask for fewer replicas
  kComputed,
};

struct ScaleDecision {
  ScaleStep step = ScaleStep::kNoTarget;
  std::int32_t current = 0;
  std::int32_t replicas = 0;  ///< what there should be now; `current` where nothing is changed
  std::int32_t proposal = 0;  ///< what the metrics ask for
  std::vector<MetricAnswer> metrics;    ///< one for each of the object, if they were looked at
  std::optional<std::size_t> deciding;  ///< which of them asks for the most
  std::optional<NormalizedScale> normalized;
  std::vector<ScaleCondition> conditions;
  bool rescales() const { return replicas != current; }
};

/// Why a metric that failed did.
ScaleReason failure_reason(MetricKind kind);
/// The tolerances of one object: its own, else the controller's.
Tolerances tolerances_of(const Autoscaler& autoscaler, const ScaleSettings& settings);

/// Decides, and writes what has to be remembered into `history`: what was recommended, and the
/// change as if it had been made.
ScaleDecision reconcile(const Autoscaler& autoscaler, const WorkloadIndex& index,
                        ScaleHistory& history, UnixSeconds now, const ScaleSettings& settings);

}  // namespace gedge
