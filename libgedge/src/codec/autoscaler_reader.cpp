// The versions of the API differ in the names of fields, and no name means two things: what
// v2beta1 and the annotations of v1 call targetAverageValue is read beside v2's
// target.averageValue.
#include "codec/autoscaler_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/fields.hpp"
#include "codec/selectors.hpp"
#include "codec/words.hpp"
#include "gedge/base/quantity.hpp"

namespace gedge::codec {

std::optional<std::int64_t> read_amount(Cursor value) {
  const auto milli = read_quantity(value, true);
  if (milli && *milli == 0) {
    value.fail("a target of 0", "nothing can be divided by it: write an amount above 0");
    return std::nullopt;
  }
  return milli;
}

std::optional<std::int64_t> read_percent(Cursor value) {
  return value.integer(1, std::numeric_limits<std::int32_t>::max());
}

ObjectName read_object_name(Cursor map) {
  ObjectName name;
  map.fields([&](std::string_view key, Cursor value) {
    if (key == "apiVersion") read_text(value, name.api_version);
    if (key == "kind") read_text(value, name.kind);
    if (key == "name") read_text(value, name.name);
  });
  return name;
}

namespace {

constexpr std::int32_t kDefaultUtilization = 80;                       // of a defaulted cpu metric
constexpr std::size_t kMostAnnotationBytes = std::size_t{256} * 1024;  // as the API server
constexpr std::int64_t kLongestPeriod = 1'800, kLongestWindow = 3'600;
constexpr std::string_view kAnnotation = "autoscaling.alpha.kubernetes.io/";

// The amounts that a target may be, until it is known which one it is.
struct Target {
  std::optional<std::int64_t> utilization, value, average;
  std::optional<TargetKind> kind;
};

void read_selector(Cursor value, MetricSpec& metric) {
  if (!value.is_null()) read_label_selector(value, metric.selector.emplace());
}

// v2beta1 wants a targetValue beside averageValue, which is 0 then. Servers that keep objects in it
// or in v1 give that 0 in other versions, too.
std::optional<std::int64_t> read_old_value(Cursor value, Cursor source) {
  const auto average = source.find("averageValue");
  const bool is_average = average && !average->is_null();
  if (is_average && text_at(source, "type") != "Value") return std::nullopt;
  return read_amount(value);
}

void read_target(Cursor map, Target& target) {
  constexpr std::array<std::string_view, 3> kKinds{"Utilization", "Value", "AverageValue"};
  map.fields([&](std::string_view key, Cursor value) {
    if (key == "type")
      if (const auto kind = read_word(value, kKinds)) target.kind = static_cast<TargetKind>(*kind);
    if (key == "averageUtilization") target.utilization = read_percent(value);
    if (key == "averageValue") target.average = read_amount(value);
    if (key == "value") target.value = read_old_value(value, map);
  });
}

bool is_target(Cursor map) {
  return map.find("type") || map.find("value") || map.find("averageValue") ||
         map.find("averageUtilization");
}

void read_source(Cursor source, MetricSpec& metric, Target& target) {
  source.fields([&](std::string_view key, Cursor value) {
    if (key == "name" || key == "metricName") read_text(value, metric.name);
    if (key == "container") read_text(value, metric.container);
    if (key == "selector" || key == "metricSelector") read_selector(value, metric);
    if (key == "describedObject") metric.object = read_object_name(value);
    if (key == "targetAverageUtilization") target.utilization = read_percent(value);
    if (key == "targetAverageValue" || key == "averageValue") target.average = read_amount(value);
    if (key == "targetValue") target.value = read_old_value(value, source);
    if (key == "target") {
      if (value.is_map() && !is_target(value))
        metric.object = read_object_name(value);
      else
        read_target(value, target);
    }
    if (key != "metric") return;
    value.fields([&](std::string_view part, Cursor inner) {
      if (part == "name") read_text(inner, metric.name);
      if (part == "selector") read_selector(inner, metric);
    });
  });
}

bool fits(MetricKind metric, TargetKind target) {
  switch (metric) {
    case MetricKind::kResource:
    case MetricKind::kContainerResource:
      return target != TargetKind::kValue;
    case MetricKind::kPodMetric:
      return target == TargetKind::kAverageValue;
    default:
      return target != TargetKind::kUtilization;
  }
}

void settle_target(Cursor source, const Target& target, MetricSpec& metric) {
  const std::array<std::pair<TargetKind, const std::optional<std::int64_t>*>, 3> amounts{
      {{TargetKind::kAverageValue, &target.average},
       {TargetKind::kUtilization, &target.utilization},
       {TargetKind::kValue, &target.value}}};
  for (const auto& [kind, amount] : amounts) {
    if (!amount->has_value() || (target.kind && *target.kind != kind)) continue;
    if (!fits(metric.kind, kind)) continue;
    metric.target = kind;
    metric.amount = **amount;
    return;
  }
  source.fail("a metric without a target that it can have",
              "write for example `target: {type: AverageValue, averageValue: 100m}`");
}

void check_names(Cursor source, const MetricSpec& metric) {
  if (metric.name.empty()) source.fail("a metric without a name");
  if (metric.kind == MetricKind::kContainerResource && metric.container.empty())
    source.fail("a ContainerResource without container");
  if (metric.kind == MetricKind::kObject &&
      (metric.object.kind.empty() || metric.object.name.empty()))
    source.fail("an Object metric that does not say of which object",
                "write kind and name under describedObject");
}

void read_metric(Cursor item, std::vector<MetricSpec>& metrics) {
  constexpr std::array<std::string_view, 5> kTypes{"Resource", "ContainerResource", "Pods",
                                                   "Object", "External"};
  constexpr std::array<std::string_view, 5> kFields{"resource", "containerResource", "pods",
                                                    "object", "external"};
  if (!item.is_map()) return item.fail_type("a metric");
  const auto type = item.find("type");
  if (!type || type->is_null()) return item.fail("a metric without type");
  const auto kind = read_word(*type, kTypes);
  if (!kind) return;
  const auto source = item.find(kFields[*kind]);
  if (!source || !source->is_map())
    return item.fail("a metric of type " + std::string(kTypes[*kind]) + " without " +
                     quote(kFields[*kind]));
  const std::size_t said = item.diagnostics().error_count();
  MetricSpec metric;
  Target target;
  metric.kind = static_cast<MetricKind>(*kind);
  read_source(*source, metric, target);
  if (item.diagnostics().error_count() == said) {
    check_names(*source, metric);
    settle_target(*source, target, metric);
  }
  metrics.push_back(std::move(metric));
}

void read_metrics(Cursor list, std::vector<MetricSpec>& metrics) {
  list.items([&](Cursor item) { read_metric(item, metrics); });
}

enum class Letters : std::uint8_t { kExact, kAny };  // of keys

bool is(std::string_view key, std::string_view name, Letters letters) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return key == name || (letters == Letters::kAny && key.size() == name.size() &&
                         std::equal(key.begin(), key.end(), name.begin(),
                                    [&](char a, char b) { return lower(a) == lower(b); }));
}

ScalingPolicy read_policy(Cursor map, Letters letters) {
  constexpr std::array<std::string_view, 2> kUnits{"Pods", "Percent"};
  ScalingPolicy policy;
  bool has_type = false;
  map.fields([&](std::string_view key, Cursor value) {
    if (is(key, "type", letters))
      if (const auto unit = read_word(value, kUnits)) {
        policy.unit = static_cast<PolicyUnit>(*unit);
        has_type = true;
      }
    if (is(key, "value", letters)) read_int32(value, policy.value, 1);
    if (is(key, "periodSeconds", letters))
      policy.period_s = static_cast<std::int32_t>(value.integer(1, kLongestPeriod).value_or(0));
  });
  if (map.is_map() && (!has_type || policy.value == 0 || policy.period_s == 0))
    map.fail("a policy needs type, value and periodSeconds, all above 0");
  return policy;
}

// Digits and a power of ten, as the controller makes a double of them.
void read_tolerance(Cursor value, std::optional<double>& out) {
  auto milli = read_quantity(value, true);
  if (!milli) return;
  int digits = 3;
  for (; digits > 0 && *milli % 10 == 0; --digits) *milli /= 10;
  out = static_cast<double>(*milli) * std::pow(10.0, -digits);
}

void read_rules(Cursor map, Letters letters, ScalingRules& rules) {
  constexpr std::array<std::string_view, 3> kSelect{"Max", "Min", "Disabled"};
  if (map.is_null()) return;
  map.fields([&](std::string_view key, Cursor value) {
    if (value.is_null()) return;
    if (is(key, "stabilizationWindowSeconds", letters))
      if (const auto seconds = value.integer(0, kLongestWindow))
        rules.window_s = static_cast<std::int32_t>(*seconds);
    if (is(key, "selectPolicy", letters))
      if (const auto select = read_word(value, kSelect))
        rules.select = static_cast<SelectPolicy>(*select);
    if (is(key, "tolerance", letters)) read_tolerance(value, rules.tolerance);
    if (!is(key, "policies", letters)) return;
    rules.policies.clear();
    value.items([&](Cursor item) { rules.policies.push_back(read_policy(item, letters)); });
    if (rules.policies.empty())
      value.fail("no policies", "leave the field out, or name one policy");
  });
}

void read_behavior(Cursor map, Letters letters, std::optional<ScalingBehavior>& out) {
  if (map.is_null()) return;
  ScalingBehavior& behavior = out.emplace();
  map.fields([&](std::string_view key, Cursor value) {
    if (is(key, "scaleUp", letters)) read_rules(value, letters, behavior.up);
    if (is(key, "scaleDown", letters)) read_rules(value, letters, behavior.down);
  });
}

}  // namespace

void read_behavior(Cursor map, std::optional<ScalingBehavior>& out) {
  read_behavior(map, Letters::kExact, out);
}

namespace {

MetricSpec cpu_at(std::int64_t percent) {
  MetricSpec metric;
  metric.name = kCpu;
  metric.amount = percent;
  return metric;
}

// What later versions of the API say, hidden in a v1 object as JSON. The API server writes
// "ScaleUp", whatever was written, and reads any letters.
void read_annotation(std::string_view key, Cursor value, Autoscaler& out) {
  if (key.substr(0, kAnnotation.size()) != kAnnotation) return;
  const std::string_view what = key.substr(kAnnotation.size());
  if (what != "metrics" && what != "behavior") return;
  const auto text = value.text();
  if (!text || text->empty()) return;
  if (text->size() > kMostAnnotationBytes)
    return value.fail("an annotation of " + std::to_string(text->size()) + " bytes",
                      "the API server keeps at most 262144 of all annotations together");
  const Source source(value.source().name() + ": annotation " + std::string(key), *text,
                      value.source().file());
  const auto document = Document::parse(source, value.diagnostics());
  if (!document) return;
  if (what == "metrics")
    read_metrics(document->root(), out.metrics);
  else
    read_behavior(document->root(), Letters::kAny, out.behavior);
}

void read_spec(Cursor spec, Autoscaler& out) {
  spec.fields([&](std::string_view key, Cursor value) {
    if (key == "minReplicas") read_int32(value, out.min, 0);
    if (key == "maxReplicas") read_int32(value, out.max, 1);
    if (key == "scaleTargetRef") out.target = read_object_name(value);
    if (key == "metrics") read_metrics(value, out.metrics);
    if (key == "behavior") read_behavior(value, out.behavior);
  });
}

}  // namespace

bool may_be_zero(const Autoscaler& autoscaler) {
  for (const MetricSpec& metric : autoscaler.metrics)
    if (metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal) return true;
  return false;
}

namespace {

void check(Cursor object, Cursor spec, const Autoscaler& out) {
  if (out.max == 0)
    spec.fail("an autoscaler without maxReplicas", "write for example `maxReplicas: 10`");
  else if (out.min > out.max)
    spec.find("minReplicas")
        .value_or(spec)
        .fail("minReplicas " + std::to_string(out.min) + " is above maxReplicas " +
                  std::to_string(out.max),
              "write a larger maxReplicas, or a smaller minReplicas");
  if (out.target.kind.empty() || out.target.name.empty())
    spec.fail("an autoscaler that does not say what it scales",
              "write kind and name under scaleTargetRef");
  if (out.min == 0 && !may_be_zero(out))
    spec.find("minReplicas")
        .value_or(spec)
        .fail("minReplicas 0 without an Object or External metric",
              "without pods no other metric has a value: nothing would start them again");
  if (out.name.empty()) object.fail("an autoscaler without a name");
}

}  // namespace

Autoscaler read_autoscaler(Cursor object) {
  Autoscaler out;
  const Metadata meta = read_identity(object);
  out.place = meta.place;
  out.name = meta.name;
  out.namespace_name = meta.namespace_name;
  out.api_version = text_at(object, "apiVersion");
  out.uid = meta.uid;
  const auto spec = object.find("spec");
  if (!spec || !spec->is_map()) {
    object.fail("an autoscaler without spec");
    return out;
  }
  const std::size_t said = object.diagnostics().error_count();
  read_spec(*spec, out);
  const auto metadata = object.find("metadata");
  if (metadata) {
    out.version = text_at(*metadata, "resourceVersion");
    if (const auto generation = metadata->find("generation"))
      out.generation = generation->integer(0).value_or(0);
  }
  const auto notes = metadata ? metadata->find("annotations") : std::nullopt;
  if (notes && (out.api_version == "autoscaling/v1" || out.api_version.empty()))
    notes->fields([&](std::string_view key, Cursor value) { read_annotation(key, value, out); });
  if (const auto cpu = spec->find("targetCPUUtilizationPercentage"))
    if (const auto percent = read_percent(*cpu)) out.metrics.push_back(cpu_at(*percent));
  if (out.metrics.empty()) out.metrics.push_back(cpu_at(kDefaultUtilization));
  if (const auto status = object.find("status"); status && status->is_map()) {
    if (const auto desired = status->find("desiredReplicas"))
      read_int32(*desired, out.last_desired, 0);
    if (const auto scaled = status->find("lastScaleTime")) read_time(*scaled, out.last_scaled);
  }
  if (object.diagnostics().error_count() == said) check(object, *spec, out);
  return out;
}

}  // namespace gedge::codec
