// Autoscaling against the HPA controller of Kubernetes 1.20.2: single metrics, windows and
// policies, series of evaluations, and whole reconciliations. Objects go through the same readers
// as a user's files.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/quantity.hpp"
#include "gedge/codec/autoscaling.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/scale/reconcile.hpp"
#include "support/conformance.hpp"

namespace {

using namespace gedge;
using gedge::test::expect_equal;
using nlohmann::json;

UnixSeconds time_of(const json& text) {
  const auto time = codec::parse_timestamp(text.get<std::string>());
  REQUIRE(time);
  return *time;
}

ScaleSettings settings_of(const json& vector) {
  const json& given = vector.at("settings");
  ScaleSettings settings;
  settings.compat = Compat::k1_20;
  settings.tolerance = given.at("tolerance");
  settings.cpu_initialization_s = given.at("cpuInitializationPeriodSeconds");
  settings.initial_readiness_delay_s = given.at("initialReadinessDelaySeconds");
  settings.downscale_window_s = given.at("downscaleStabilizationWindowSeconds");
  return settings;
}

ScaleFacts read_objects(json items) {
  const json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}};
  const std::string bytes = list.dump();
  ScaleLoader loader;
  loader.add({"vector.json", bytes});
  ScaleLoadResult result = loader.finish();
  for (const Error& error : result.errors) MESSAGE(error.what);
  REQUIRE(result.facts);
  return *std::move(result.facts);
}

json autoscaler_with(json spec) {
  spec["scaleTargetRef"] = {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "web"}};
  return {{"apiVersion", "autoscaling/v2beta2"},
          {"kind", "HorizontalPodAutoscaler"},
          {"metadata", {{"name", "web"}, {"namespace", "default"}}},
          {"spec", std::move(spec)}};
}

const json& object_in(const json& map, const char* key) {
  static const json kEmpty = json::object();
  return map.contains(key) ? map.at(key) : kEmpty;
}

const json& list_in(const json& map, const char* key) {
  static const json kEmpty = json::array();
  return map.contains(key) ? map.at(key) : kEmpty;
}

json pods_of(const json& vector) { return list_in(vector, "pods"); }

// A value of a pod that nobody knows comes because its labels match: those of the first selector.
Labels labels_of(const LabelSelector& selector) {
  Labels labels;
  for (const Requirement& requirement : selector.requirements)
    if (!requirement.values.empty()) labels.set(requirement.key, requirement.values.front());
  return labels;
}

using Usages = std::map<std::string, PodUsage>;

void put_usage(Usages& usages, const std::string& pod, const std::string& container,
               const std::string& resource, const json& sample) {
  PodUsage& usage = usages[pod];
  usage.name = pod;
  usage.at = time_of(sample.at("timestamp"));
  usage.window = std::chrono::seconds(sample.at("windowSeconds").get<int>());
  const std::int64_t milli = sample.at("milliValue");
  auto at = std::find_if(usage.containers.begin(), usage.containers.end(),
                         [&](const auto& known) { return known.name == container; });
  if (at == usage.containers.end())
    at = usage.containers.insert(usage.containers.end(), {container, {}});
  at->milli.emplace_back(resource, milli);
}

void read_metrics(const json& vector, const LabelSelector& selector, MetricFacts& out) {
  const json& metrics = vector.at("metrics");
  Usages usages;
  for (const auto& [resource, pods] : object_in(metrics, "resource").items())
    for (const auto& [pod, sample] : pods.items()) put_usage(usages, pod, "", resource, sample);
  for (const auto& [container, resources] : object_in(metrics, "containerResource").items())
    for (const auto& [resource, pods] : resources.items())
      for (const auto& [pod, sample] : pods.items())
        put_usage(usages, pod, container, resource, sample);
  for (auto& [name, usage] : usages) {
    usage.labels = labels_of(selector);
    out.usage.push_back(std::move(usage));
  }
  const auto add = [&](const char* kind, const std::string& object, const std::string& metric,
                       std::int64_t milli) {
    out.objects.push_back({"default", kind, object, metric, {milli, 0, Micros{0}}});
  };
  for (const auto& [metric, pods] : object_in(metrics, "pods").items())
    for (const auto& [pod, sample] : pods.items()) add("Pod", pod, metric, sample.at("milliValue"));
  for (const auto& [metric, value] : object_in(metrics, "object").items())
    add("Ingress", "main", metric, value);
  for (const auto& [metric, values] : object_in(metrics, "external").items())
    for (const json& value : values)
      out.external.push_back({metric, Labels{{"queue", "work"}}, {value, 0, Micros{0}}});
}

ScaleTarget target_of(const std::string& selector, std::int32_t spec, std::int32_t status) {
  ScaleTarget target;
  target.kind = "Deployment";
  target.name = "web";
  target.spec_replicas = spec;
  target.status_replicas = status;
  if (selector.empty()) return target;
  const auto parsed = parse_selector(selector);
  REQUIRE(parsed);
  target.selector = *parsed;
  target.has_selector = true;
  return target;
}

ScaleHistory history_of(const json& vector) {
  ScaleHistory history;
  const json& given = object_in(vector, "history");
  for (const json& entry : list_in(given, "recommendations"))
    history.recommendations.push_back({entry.value("replicas", 0), time_of(entry.at("timestamp"))});
  for (const auto& [key, list] :
       {std::pair{"scaleUpEvents", &history.ups}, {"scaleDownEvents", &history.downs}})
    for (const json& entry : list_in(given, key))
      list->push_back(
          {entry.at("change"), time_of(entry.at("timestamp")), entry.value("outdated", false)});
  return history;
}

std::string text_of(const ScaleHistory& history) {
  std::string text;
  const auto add = [&](std::int32_t number, UnixSeconds at, bool outdated) {
    text += std::to_string(number) + "@" + codec::format_timestamp(at) + (outdated ? "! " : " ");
  };
  for (const ScaleRecommendation& entry : history.recommendations)
    add(entry.replicas, entry.at, false);
  text += "up ";
  for (const ScaleChange& change : history.ups) add(change.change, change.at, change.outdated);
  text += "down ";
  for (const ScaleChange& change : history.downs) add(change.change, change.at, change.outdated);
  return text;
}

std::string text_of(const ScaleCondition& condition) {
  return std::string(to_string(condition.type)) + "=" + (condition.is_true ? "True" : "False") +
         " " + std::string(to_string(condition.reason)) + "; ";
}

std::string conditions_text(const json& list) {
  std::string text;
  for (const json& condition : list)
    text += condition.at("type").get<std::string>() + "=" +
            condition.at("status").get<std::string>() + " " +
            condition.at("reason").get<std::string>() + "; ";
  return text;
}

std::string shown(const std::optional<std::int64_t>& milli) {
  return milli ? std::to_string(*milli) : "-";
}

// The amounts of a MetricStatus: percent, average and value in thousandths. The way through v1 adds
// a value of 0 to each average.
std::string status_text(const json& status) {
  const std::string type = status.at("type");
  std::string key = type;
  key.front() = static_cast<char>(key.front() - 'A' + 'a');
  const json& current = status.at(key).at("current");
  const auto milli = [&](const char* name) {
    std::optional<std::int64_t> amount;
    if (current.contains(name)) amount = parse_milli(current.at(name).get<std::string>());
    return shown(amount);
  };
  return (current.contains("averageUtilization")
              ? std::to_string(current.at("averageUtilization").get<int>())
              : "-") +
         " " + milli("averageValue") + " " +
         (current.contains("averageValue") ? "-" : milli("value"));
}

std::string status_text(const MetricAnswer& answer) {
  return (answer.utilization ? std::to_string(*answer.utilization) : "-") + " " +
         shown(answer.average_milli) + " " + shown(answer.value_milli);
}

void check_metric(const json& vector) {
  json spec{{"maxReplicas", 1'000'000}, {"metrics", json::array({vector.at("metricSpec")})}};
  json items = pods_of(vector);
  items.push_back(autoscaler_with(spec));
  ScaleFacts facts = read_objects(std::move(items));
  facts.targets.push_back(
      target_of(vector.at("selector"), vector.at("specReplicas"), vector.at("statusReplicas")));
  read_metrics(vector, facts.targets.front().selector, facts.metrics);
  const WorkloadIndex index(facts);
  ScaleSettings settings = settings_of(vector);
  ScaleHistory history;
  // Beside the bounds, which a metric does not know.
  Autoscaler autoscaler = facts.autoscalers.front();
  autoscaler.min = 0;
  const ScaleDecision decision =
      reconcile(autoscaler, index, history, time_of(vector.at("now")), settings);
  const json& expected = vector.at("expected");
  REQUIRE(decision.metrics.size() == 1);
  const MetricAnswer& answer = decision.metrics.front();
  expect_equal("fails", expected.contains("error"), !answer.ok());
  if (expected.contains("error")) {
    expect_equal("reason", expected.at("condition").at("reason").get<std::string>(),
                 std::string(to_string(failure_reason(autoscaler.metrics.front().kind))));
    return;
  }
  expect_equal("replicas", expected.at("replicas").get<int>(), answer.replicas);
  expect_equal("status", status_text(expected.at("currentMetric")), status_text(answer));
}

// Behavior as it was written, through the reader, which defaults it.
std::optional<ScalingBehavior> behavior_of(const json& vector) {
  json spec{{"maxReplicas", 10}};
  if (vector.contains("behavior")) spec["behavior"] = vector.at("behavior");
  return read_objects(json::array({autoscaler_with(spec)})).autoscalers.front().behavior;
}

void check_conditions(const json& expected, const NormalizedScale& scale) {
  expect_equal("replicas", expected.at("replicas").get<int>(), scale.replicas);
  expect_equal("conditions", conditions_text(expected.at("conditions")),
               text_of(scale.able) + text_of(scale.limited));
}

void check_normalize(const json& vector) {
  const auto behavior = behavior_of(vector);
  ScaleHistory history = history_of(vector);
  const ScaleBounds bounds{vector.at("currentReplicas"), vector.at("desiredReplicas"),
                           vector.at("minReplicas"), vector.at("maxReplicas")};
  const NormalizedScale scale = normalize(bounds, behavior ? &*behavior : nullptr, history,
                                          time_of(vector.at("now")), settings_of(vector));
  const json& expected = vector.at("expected");
  check_conditions(expected, scale);
  const json after{{"history", expected.at("after")}};
  expect_equal("after", text_of(history_of(after)), text_of(history));
}

void check_sequence(const json& vector) {
  const auto behavior = behavior_of(vector);
  const ScalingBehavior* const rules = behavior ? &*behavior : nullptr;
  UnixSeconds now = time_of(vector.at("now"));
  std::int32_t current = vector.at("currentReplicas");
  ScaleHistory history;
  history.recommendations.push_back({current, now});
  const ScaleSettings settings = settings_of(vector);
  const json& expected = vector.at("expected");
  std::size_t i = 0;
  for (const json& step : vector.at("steps")) {
    INFO("step " << i);
    now += step.at("advanceSeconds").get<int>();
    const ScaleBounds bounds{current, step.at("desired"), vector.at("minReplicas"),
                             vector.at("maxReplicas")};
    const NormalizedScale scale = normalize(bounds, rules, history, now, settings);
    check_conditions(expected.at("steps").at(i++), scale);
    if (scale.replicas != current) record_change(current, scale.replicas, rules, history, now);
    current = scale.replicas;
  }
  const json after{{"history", expected.at("after")}};
  expect_equal("after", text_of(history_of(after)), text_of(history));
}

// The controller sees every object as v1: a utilization of cpu comes last.
std::vector<MetricAnswer> in_v1_order(const Autoscaler& autoscaler, const ScaleDecision& decision) {
  std::vector<MetricAnswer> first, last;
  for (std::size_t i = 0; i < decision.metrics.size(); ++i) {
    const MetricSpec& metric = autoscaler.metrics[i];
    const bool is_cpu = metric.kind == MetricKind::kResource && metric.name == kCpu &&
                        metric.target == TargetKind::kUtilization;
    (is_cpu ? last : first).push_back(decision.metrics[i]);
  }
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

void check_reconcile(const json& vector) {
  json items = pods_of(vector);
  items.push_back(vector.at("hpa"));
  ScaleFacts facts = read_objects(std::move(items));
  const json& scale = vector.at("scale");
  facts.targets.push_back(target_of(scale.at("status").value("selector", ""),
                                    scale.at("spec").value("replicas", 0),
                                    scale.at("status").value("replicas", 0)));
  read_metrics(vector, facts.targets.front().selector, facts.metrics);
  const WorkloadIndex index(facts);
  ScaleHistory history = history_of(vector);
  const ScaleDecision decision = reconcile(facts.autoscalers.front(), index, history,
                                           time_of(vector.at("now")), settings_of(vector));
  const json& expected = vector.at("expected");
  expect_equal("scaleReplicas", expected.at("scaleReplicas").get<int>(), decision.replicas);
  expect_equal("rescaled", expected.at("rescaled").get<bool>(), decision.rescales());
  expect_equal("currentReplicas", expected.at("currentReplicas").get<int>(), decision.current);
  const bool failed =
      decision.step != ScaleStep::kComputed && decision.step != ScaleStep::kDisabled &&
      decision.step != ScaleStep::kAboveMax && decision.step != ScaleStep::kBelowMin;
  expect_equal("error", expected.contains("error"), failed);
  std::string conditions;
  for (const ScaleCondition& condition : decision.conditions) conditions += text_of(condition);
  expect_equal("conditions", conditions_text(expected.at("conditions")), conditions);
  const json statuses = expected.value("currentMetrics", json::array());
  const std::vector<MetricAnswer> answers = in_v1_order(facts.autoscalers.front(), decision);
  for (std::size_t i = 0; i < statuses.size() && i < answers.size(); ++i) {
    const MetricAnswer& answer = answers[i];
    const bool is_shown = !statuses.at(i).value("type", "").empty();
    expect_equal("metric is read", is_shown, answer.ok());
    if (is_shown) expect_equal("metric", status_text(statuses.at(i)), status_text(answer));
  }
  const json after{{"history", expected.at("after")}};
  expect_equal("after", text_of(history_of(after)), text_of(history));
}

TEST_CASE("autoscaling equals the HPA controller of 1.20.2") {
  std::map<std::string, int> seen;
  gedge::test::for_each_vector("hpa.jsonl", [&](const json& vector) {
    const std::string type = vector.at("type");
    ++seen[type];
    if (type == "metric") check_metric(vector);
    if (type == "normalize") check_normalize(vector);
    if (type == "sequence") check_sequence(vector);
    if (type == "reconcile") check_reconcile(vector);
  });
  CHECK(seen.size() == 4);
}

}  // namespace
