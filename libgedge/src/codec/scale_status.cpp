// codec/scale_status.cpp - the status of an autoscaler, as versions of autoscaling write it.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "codec/request_parts.hpp"
#include "gedge/base/quantity.hpp"
#include "gedge/codec/scale_requests.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/scale/status_text.hpp"

namespace gedge::codec {
namespace {

Json selector_json(const LabelSelector& selector) {
  Json labels = Json::object();
  for (const Requirement& one : selector.requirements)
    if (one.values.size() == 1) labels[one.key] = one.values.front();
  return Json{{"matchLabels", std::move(labels)}};
}

Json object_json(const ObjectName& object) {
  return Json{{"apiVersion", object.api_version}, {"kind", object.kind}, {"name", object.name}};
}

Json metric_json(const char* type, const char* key, Json source) {
  return Json{{"type", type}, {key, std::move(source)}};
}

Json current_metric(const MetricSpec& metric, const MetricAnswer& answer) {
  Json current = Json::object();
  if (answer.utilization) current["averageUtilization"] = *answer.utilization;
  if (answer.average_milli) current["averageValue"] = format_milli(*answer.average_milli);
  if (answer.value_milli) current["value"] = format_milli(*answer.value_milli);
  const bool is_resource =
      metric.kind == MetricKind::kResource || metric.kind == MetricKind::kContainerResource;
  Json source = Json::object();
  if (is_resource) {
    source["name"] = metric.name;
    if (metric.kind == MetricKind::kContainerResource) source["container"] = metric.container;
  } else {
    source["metric"] = Json{{"name", metric.name}};
    if (metric.selector) source["metric"]["selector"] = selector_json(*metric.selector);
  }
  source["current"] = std::move(current);
  switch (metric.kind) {
    case MetricKind::kResource:
      return metric_json("Resource", "resource", std::move(source));
    case MetricKind::kContainerResource:
      return metric_json("ContainerResource", "containerResource", std::move(source));
    case MetricKind::kPodMetric:
      return metric_json("Pods", "pods", std::move(source));
    case MetricKind::kObject:
      source["describedObject"] = object_json(metric.object);
      return metric_json("Object", "object", std::move(source));
    case MetricKind::kExternal:
      break;
  }
  return metric_json("External", "external", std::move(source));
}

// As autoscaling/v1 has it in an annotation.
Json current_metric_v1(const MetricSpec& metric, const MetricAnswer& answer) {
  const bool is_object = metric.kind == MetricKind::kObject;
  Json source = Json::object();
  if (answer.utilization) source["currentAverageUtilization"] = *answer.utilization;
  if (answer.average_milli)
    source[is_object ? "averageValue" : "currentAverageValue"] =
        format_milli(*answer.average_milli);
  if (answer.value_milli) source["currentValue"] = format_milli(*answer.value_milli);
  switch (metric.kind) {
    case MetricKind::kResource:
      source["name"] = metric.name;
      return metric_json("Resource", "resource", std::move(source));
    case MetricKind::kContainerResource:
      source["name"] = metric.name;
      source["container"] = metric.container;
      return metric_json("ContainerResource", "containerResource", std::move(source));
    default:
      break;
  }
  const bool is_external = metric.kind == MetricKind::kExternal;
  source["metricName"] = metric.name;
  if (metric.selector)
    source[is_external ? "metricSelector" : "selector"] = selector_json(*metric.selector);
  if (is_external) return metric_json("External", "external", std::move(source));
  if (!is_object) return metric_json("Pods", "pods", std::move(source));
  source["target"] = object_json(metric.object);
  return metric_json("Object", "object", std::move(source));
}

Json metrics_json(const ScaleReport& report, bool is_v1) {
  Json metrics = Json::array();
  const ScaleDecision& decision = report.decision;
  for (std::size_t i = 0; i < decision.metrics.size(); ++i) {
    const MetricSpec& metric = report.autoscaler.metrics[i];
    const MetricAnswer& answer = decision.metrics[i];
    if (answer.ok())
      metrics.push_back(is_v1 ? current_metric_v1(metric, answer) : current_metric(metric, answer));
  }
  return metrics;
}

Json conditions_json(const ScaleReport& report) {
  Json conditions = Json::array();
  for (const auto& [condition, since] : report.conditions)
    conditions.push_back({{"type", to_string(condition.type)},
                          {"status", condition.is_true ? "True" : "False"},
                          {"lastTransitionTime", format_timestamp(since)},
                          {"reason", to_string(condition.reason)},
                          {"message", condition_message(report.autoscaler, report.decision,
                                                        condition, report.why)}});
  return conditions;
}

// The one number about metrics that autoscaling/v1 has itself.
std::optional<std::int32_t> cpu_utilization(const ScaleReport& report) {
  for (std::size_t i = 0; i < report.decision.metrics.size(); ++i) {
    const MetricSpec& metric = report.autoscaler.metrics[i];
    if (metric.kind == MetricKind::kResource && metric.name == "cpu")
      return report.decision.metrics[i].utilization;
  }
  return std::nullopt;
}

}  // namespace

ApiRequest status_request(const ScaleReport& report, const std::string& version) {
  const Autoscaler& autoscaler = report.autoscaler;
  const ScaleDecision& decision = report.decision;
  const bool is_v1 = version == kAutoscalingV1;
  Json status = Json::object();
  if (autoscaler.generation > 0) status["observedGeneration"] = autoscaler.generation;
  if (report.rescaled_at != kNever) status["lastScaleTime"] = format_timestamp(report.rescaled_at);
  if (decision.step != ScaleStep::kNoTarget) {
    const bool is_done = report.outcome != ScaleReport::Outcome::kNotRescaled;
    status["currentReplicas"] = decision.current;
    status["desiredReplicas"] = is_done ? decision.replicas : decision.current;
  }
  Json body = Json::object();
  if (is_v1) {
    constexpr const char* kConditions = "autoscaling.alpha.kubernetes.io/conditions";
    constexpr const char* kMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
    Json& notes = body["metadata"]["annotations"];
    notes[kConditions] = text_of(conditions_json(report));
    if (!decision.metrics.empty()) notes[kMetrics] = text_of(metrics_json(report, is_v1));
    if (const auto cpu = cpu_utilization(report)) status["currentCPUUtilizationPercentage"] = *cpu;
  } else {
    if (!decision.metrics.empty()) status["currentMetrics"] = metrics_json(report, is_v1);
    status["conditions"] = conditions_json(report);
  }
  body["status"] = std::move(status);
  return write_request(ApiVerb::kPatch, ApiLane::kEvent,
                       autoscalers_path(version, autoscaler.namespace_name.str()) + "/" +
                           encoded(autoscaler.name.str()) + "/status",
                       body, "application/merge-patch+json");
}

}  // namespace gedge::codec
