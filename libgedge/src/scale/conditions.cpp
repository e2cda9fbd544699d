#include "gedge/scale/conditions.hpp"

#include <algorithm>
#include <array>

namespace gedge {
namespace {

constexpr std::array<std::string_view, 3> kTypes{"AbleToScale", "ScalingActive", "ScalingLimited"};
constexpr std::array<std::string_view, 21> kReasons{
    "SucceededGetScale",       "FailedGetScale",
    "ReadyForNewScale",        "ScaleUpStabilized",
    "ScaleDownStabilized",     "SucceededRescale",
    "FailedUpdateScale",       "ValidMetricFound",
    "FailedGetResourceMetric", "FailedGetContainerResourceMetric",
    "FailedGetPodsMetric",     "FailedGetObjectMetric",
    "FailedGetExternalMetric", "ScalingDisabled",
    "InvalidSelector",         "AmbiguousSelector",
    "DesiredWithinRange",      "TooFewReplicas",
    "TooManyReplicas",         "ScaleUpLimit",
    "ScaleDownLimit"};
static_assert(kReasons.size() == static_cast<std::size_t>(ScaleReason::kScaleDownLimit) + 1);

}  // namespace

std::string_view to_string(ScaleConditionType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

std::string_view to_string(ScaleReason reason) {
  return kReasons[static_cast<std::size_t>(reason)];
}

void set_condition(std::vector<ScaleCondition>& conditions, const ScaleCondition& condition) {
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [&](const ScaleCondition& c) { return c.type == condition.type; });
  if (at == conditions.end())
    conditions.push_back(condition);
  else
    *at = condition;
}

}  // namespace gedge
