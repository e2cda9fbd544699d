// gedge/scale/explain.hpp - why an autoscaler wants so many replicas, and what would change that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/scale/reconcile.hpp"

namespace gedge {

/// A pod as one metric sees it.
struct ExplainedPod {
  std::string name;
  PodGroupKind group = PodGroupKind::kReady;
  std::optional<std::int64_t> milli, request_milli;
};

enum class ScaleHintKind : std::uint8_t {
  kMetricRises,   ///< to `amount` or more
  kMetricFalls,   ///< to `amount` or less
  kSourceComes,   ///< the metric has a value: nothing is frozen any more
  kMaxRises,      ///< maxReplicas of `replicas`
  kMinFalls,      ///< minReplicas of `replicas`
  kWindowPasses,  ///< `amount` seconds with the same metrics
  kPeriodPasses,  ///< the policies allow more later
};
/// One change, and the replicas that there would be then.
struct ScaleHint {
  ScaleHintKind kind = ScaleHintKind::kMetricRises;
  std::size_t metric = 0;   ///< the first three
  std::int64_t amount = 0;  ///< of a metric percent or thousandths
  std::int32_t replicas = 0;
};

struct ScaleExplanation {
  Autoscaler autoscaler;
  ScaleDecision decision;
  Compat compat = Compat::k1_36;
  UnixSeconds now = 0;
  std::vector<std::vector<ExplainedPod>> pods;  ///< for each metric of the object
  std::vector<ScaleHint> hints;
};

/// Decides as reconcile() does. `history` stays as it is.
ScaleExplanation explain_scale(const Autoscaler& autoscaler, const WorkloadIndex& index,
                               ScaleHistory history, UnixSeconds now,
                               const ScaleSettings& settings);

/// The latest time that the facts know of; 0: none.
UnixSeconds latest_time(const ScaleFacts& facts);

std::string_view to_string(MetricKind kind);
std::string_view to_string(TargetKind kind);
std::string_view to_string(PodGroupKind group);
std::string_view to_string(MetricRule rule);
std::string_view to_string(MetricFailure failure);
std::string_view to_string(ScaleStep step);
std::string_view to_string(ScaleHintKind kind);

}  // namespace gedge
