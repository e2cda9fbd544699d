// gedge/scale/conditions.hpp - the words of an autoscaler's status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gedge {

enum class ScaleConditionType : std::uint8_t { kAbleToScale, kScalingActive, kScalingLimited };

enum class ScaleReason : std::uint8_t {
  kSucceededGetScale,
  kFailedGetScale,
  kReadyForNewScale,
  kScaleUpStabilized,
  kScaleDownStabilized,
  kSucceededRescale,
  kFailedUpdateScale,
  kValidMetricFound,
  kFailedGetResourceMetric,
  kFailedGetContainerResourceMetric,
  kFailedGetPodsMetric,
  kFailedGetObjectMetric,
  kFailedGetExternalMetric,
  kScalingDisabled,
  kInvalidSelector,
  kAmbiguousSelector,
  kDesiredWithinRange,
  kTooFewReplicas,
  kTooManyReplicas,
  kScaleUpLimit,
  kScaleDownLimit,
};

struct ScaleCondition {
  ScaleConditionType type = ScaleConditionType::kAbleToScale;
  bool is_true = true;
  ScaleReason reason = ScaleReason::kSucceededGetScale;
  friend bool operator==(const ScaleCondition&, const ScaleCondition&) = default;
};

std::string_view to_string(ScaleConditionType type);
std::string_view to_string(ScaleReason reason);

/// One of a kind: a later one takes the place of an earlier one, where that stands.
void set_condition(std::vector<ScaleCondition>& conditions, const ScaleCondition& condition);

}  // namespace gedge
