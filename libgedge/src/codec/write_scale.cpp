#include "gedge/codec/write_scale.hpp"

#include <cmath>
#include <cstdint>

#include "codec/document_sink.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Parts of a million; null where a ratio is none, as of no replicas.
Json ppm(double ratio) {
  constexpr double kMillion = 1e6;
  constexpr double kMost = 1e15;
  if (!(std::abs(ratio) <= kMost / kMillion)) return nullptr;
  return static_cast<std::int64_t>(std::llround(ratio * kMillion));
}

Json pod_json(const ExplainedPod& pod) {
  return Json{{"pod", pod.name},
              {"group", to_string(pod.group)},
              {"valueMilli", or_null(pod.milli)},
              {"requestMilli", or_null(pod.request_milli)}};
}

Json amount_json(const MetricSpec& metric) {
  const bool is_percent = metric.target == TargetKind::kUtilization;
  return Json{{"type", to_string(metric.target)},
              {is_percent ? "percent" : "milli", metric.amount}};
}

Json answer_json(const MetricAnswer& answer) {
  const bool is_filled = answer.filled_ratio != 0;
  return Json{{"replicas", answer.ok() ? Json(answer.replicas) : Json(nullptr)},
              {"failure", answer.ok() ? Json(nullptr) : Json(to_string(answer.failure))},
              {"rule", to_string(answer.rule)},
              {"utilizationPercent", or_null(answer.utilization)},
              {"averageMilli", or_null(answer.average_milli)},
              {"valueMilli", or_null(answer.value_milli)},
              {"ratioPpm", answer.ok() ? ppm(answer.ratio) : Json(nullptr)},
              {"filledRatioPpm", is_filled ? ppm(answer.filled_ratio) : Json(nullptr)},
              {"ready", answer.ready},
              {"unready", answer.unready},
              {"missing", answer.missing},
              {"ignored", answer.ignored},
              {"unknown", answer.strays}};
}

Json metric_json(const ScaleExplanation& explanation, std::size_t i) {
  const MetricSpec& metric = explanation.autoscaler.metrics[i];
  Json pods = Json::array();
  for (const ExplainedPod& pod : explanation.pods[i]) pods.push_back(pod_json(pod));
  const bool is_asked = i < explanation.decision.metrics.size();
  return Json{{"type", to_string(metric.kind)},
              {"name", metric.name},
              {"container", metric.container.empty() ? Json(nullptr) : Json(metric.container)},
              {"target", amount_json(metric)},
              {"answer", is_asked ? answer_json(explanation.decision.metrics[i]) : Json(nullptr)},
              {"pods", pods}};
}

Json condition_json(const ScaleCondition& condition) {
  return Json{{"type", to_string(condition.type)},
              {"status", condition.is_true ? "True" : "False"},
              {"reason", to_string(condition.reason)}};
}

Json hint_json(const ScaleExplanation& explanation, const ScaleHint& hint) {
  const bool is_metric = hint.kind <= ScaleHintKind::kSourceComes;
  const bool is_amount = hint.kind <= ScaleHintKind::kMetricFalls;
  return Json{
      {"change", to_string(hint.kind)},
      {"metric",
       is_metric ? Json(explanation.autoscaler.metrics[hint.metric].name) : Json(nullptr)},
      {"amount", is_amount ? Json(hint.amount) : Json(nullptr)},
      {"seconds", hint.kind == ScaleHintKind::kWindowPasses ? Json(hint.amount) : Json(nullptr)},
      {"replicas", hint.kind == ScaleHintKind::kSourceComes ? Json(nullptr) : Json(hint.replicas)}};
}

Json limits_json(const std::optional<NormalizedScale>& scale) {
  if (!scale) return nullptr;
  return Json{{"stabilized", scale->stabilized}, {"rateLimit", scale->rate_limit}};
}

// Thousandths of a core, or bytes.
Json range_json(const std::optional<RequestRange>& range, const char* unit) {
  if (!range) return nullptr;
  const bool is_capped = range->cap != RequestCap::kNone;
  return Json{{"unit", unit},
              {"request", or_null(range->request)},
              {"lower", range->lower},
              {"target", range->target},
              {"upper", range->upper == kAnyRequest ? Json(nullptr) : Json(range->upper)},
              {"uncappedTarget", range->uncapped},
              {"cappedBy", is_capped ? Json(to_string(range->cap)) : Json(nullptr)},
              {"advice", to_string(range->advice)}};
}

Json container_json(const ContainerRecommendation& container) {
  constexpr double kHours = 24;
  return Json{{"name", container.name},
              {"samples", container.samples},
              {"hoursKnown", static_cast<std::int64_t>(container.days * kHours)},
              {"outOfMemory", container.out_of_memory},
              {"cpu", range_json(container.cpu, "millicores")},
              {"memory", range_json(container.memory, "bytes")}};
}

Json resource_json(const ResourceResize& resize) {
  return Json{{"resource", resize.resource},
              {"unit", resize.resource == kCpu ? "millicores" : "bytes"},
              {"requestBefore", or_null(resize.request_before)},
              {"request", resize.request},
              {"limitBefore", or_null(resize.limit_before)},
              {"limit", or_null(resize.limit)}};
}

Json resized_json(const ResizedObject& object) {
  Json containers = Json::array();
  for (const ContainerResize& container : object.resize.containers) {
    Json resources = Json::array();
    for (const ResourceResize& one : container.resources) resources.push_back(resource_json(one));
    containers.push_back(Json{{"name", container.name}, {"resources", std::move(resources)}});
  }
  return Json{{"kind", object.resize.kind},
              {"name", object.resize.name.str()},
              {"result", to_string(object.outcome)},
              {"why", object.why.empty() ? Json(nullptr) : Json(object.why)},
              {"containers", std::move(containers)}};
}

void put_resize(DocumentSink& sink, const ResizeRun& run) {
  sink.object("resize", [&](DocumentSink& inner) {
    inner.field("through", to_string(run.way));
    inner.field("held", run.held ? Json(run.held->what) : Json(nullptr));
    inner.list("objects", run.objects.size(),
               [&](std::size_t i) { return resized_json(run.objects[i]); });
  });
}

void put_object(DocumentSink& sink, const Autoscaler& autoscaler) {
  sink.field("namespace", autoscaler.namespace_name.str());
  sink.field("name", autoscaler.name.str());
  sink.field("target", Json{{"kind", autoscaler.target.kind}, {"name", autoscaler.target.name}});
  sink.field("minReplicas", autoscaler.min);
  sink.field("maxReplicas", autoscaler.max);
}

}  // namespace

std::string write(const ScaleExplanation& explanation, TextFormat format) {
  const ScaleDecision& decision = explanation.decision;
  const bool has_target = decision.step != ScaleStep::kNoTarget;
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "ScaleExplanation");
    sink.field("compat", to_string(explanation.compat));
    sink.field("now", codec::format_timestamp(explanation.now));
    put_object(sink, explanation.autoscaler);
    sink.field("step", to_string(decision.step));
    sink.field("currentReplicas", has_target ? Json(decision.current) : Json(nullptr));
    sink.field("proposedReplicas", decision.deciding ? Json(decision.proposal) : Json(nullptr));
    sink.field("replicas", has_target ? Json(decision.replicas) : Json(nullptr));
    sink.field("decidingMetric", or_null(decision.deciding));
    sink.field("limits", limits_json(decision.normalized));
    sink.list("conditions", decision.conditions.size(),
              [&](std::size_t i) { return condition_json(decision.conditions[i]); });
    sink.list("metrics", explanation.autoscaler.metrics.size(),
              [&](std::size_t i) { return metric_json(explanation, i); });
    sink.list("changes", explanation.hints.size(),
              [&](std::size_t i) { return hint_json(explanation, explanation.hints[i]); });
  });
}

std::string write(const Recommendation& recommendation, const ResizeRun* run, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "ScaleRecommendation");
    sink.field("now", codec::format_timestamp(recommendation.now));
    sink.field("namespace", recommendation.namespace_name.str());
    sink.field("target", Json{{"kind", recommendation.kind}, {"name", recommendation.name}});
    sink.field("pods", recommendation.pods);
    sink.field("notCounted", Json{{"old", recommendation.old_samples},
                                  {"future", recommendation.future_samples},
                                  {"undated", recommendation.undated_samples}});
    sink.list("containers", recommendation.containers.size(),
              [&](std::size_t i) { return container_json(recommendation.containers[i]); });
    if (run != nullptr) put_resize(sink, *run);
  });
}

}  // namespace gedge
