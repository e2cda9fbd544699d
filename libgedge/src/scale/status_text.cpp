#include "gedge/scale/status_text.hpp"

namespace gedge {
namespace {

std::string with_selector(const MetricSpec& metric) {
  return metric.selector ? metric.name + "(" + to_string(*metric.selector) + ")" : metric.name;
}

std::string deciding_metric(const Autoscaler& autoscaler, const ScaleDecision& decision) {
  const std::size_t metric = decision.deciding.value_or(0);
  return metric < autoscaler.metrics.size() ? describe(autoscaler.metrics[metric]) : "";
}

}  // namespace

std::string describe(const MetricSpec& metric) {
  const std::string utilization =
      metric.target == TargetKind::kUtilization ? " utilization (percentage of request)" : "";
  switch (metric.kind) {
    case MetricKind::kResource:
      return metric.name + " resource" + utilization;
    case MetricKind::kContainerResource:
      return metric.name + " container resource" + utilization;
    case MetricKind::kPodMetric:
      return "pods metric " + metric.name;
    case MetricKind::kObject:
      return metric.object.kind + " metric " + metric.name;
    case MetricKind::kExternal:
      break;
  }
  return (metric.is_query ? "query " : "external metric ") + with_selector(metric);
}

std::string rescale_reason(const Autoscaler& autoscaler, const ScaleDecision& decision,
                           bool is_more) {
  if (decision.step == ScaleStep::kAboveMax)
    return "Current number of replicas above Spec.MaxReplicas";
  if (decision.step == ScaleStep::kBelowMin)
    return "Current number of replicas below Spec.MinReplicas";
  return is_more ? deciding_metric(autoscaler, decision) + " above target"
                 : "All metrics below target";
}

std::string condition_message(const Autoscaler& autoscaler, const ScaleDecision& decision,
                              const ScaleCondition& condition, const std::string& why) {
  switch (condition.reason) {
    case ScaleReason::kSucceededGetScale:
      return "the HPA controller was able to get the target's current scale";
    case ScaleReason::kFailedGetScale:
      return "the HPA controller was unable to get the target's current scale: " + why;
    case ScaleReason::kReadyForNewScale:
      return "recommended size matches current size";
    case ScaleReason::kScaleUpStabilized:
      return "recent recommendations were lower than current one, applying the lowest recent "
             "recommendation";
    case ScaleReason::kScaleDownStabilized:
      return "recent recommendations were higher than current one, applying the highest recent "
             "recommendation";
    case ScaleReason::kSucceededRescale:
      return "the HPA controller was able to update the target scale to " +
             std::to_string(decision.replicas);
    case ScaleReason::kFailedUpdateScale:
      return "the HPA controller was unable to update the target scale: " + why;
    case ScaleReason::kValidMetricFound:
      return "the HPA was able to successfully calculate a replica count from " +
             deciding_metric(autoscaler, decision);
    case ScaleReason::kScalingDisabled:
      return "scaling is disabled since the replica count of the target is zero";
    case ScaleReason::kInvalidSelector:
      return "the HPA target's scale is missing a selector";
    case ScaleReason::kAmbiguousSelector:
      return "pods by selector are controlled by several autoscalers";
    case ScaleReason::kDesiredWithinRange:
      return "the desired count is within the acceptable range";
    case ScaleReason::kTooFewReplicas:
      return "the desired replica count is less than the minimum replica count";
    case ScaleReason::kTooManyReplicas:
      return "the desired replica count is more than the maximum replica count";
    case ScaleReason::kScaleUpLimit:
      return "the desired replica count is increasing faster than the maximum scale rate";
    case ScaleReason::kScaleDownLimit:
      return "the desired replica count is decreasing faster than the maximum scale rate";
    default:
      return "the HPA was unable to compute the replica count: " + why;
  }
}

}  // namespace gedge
