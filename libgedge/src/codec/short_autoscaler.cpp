// codec/short_autoscaler.cpp - what is declared to gedge alone: kind Autoscaler of
// gedge.io/v1alpha1. Schema: libgedge/schemas/autoscaler.schema.json.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/autoscaler_reader.hpp"
#include "codec/fields.hpp"
#include "codec/profile_fields.hpp"
#include "codec/selectors.hpp"
#include "gedge/base/duration.hpp"

namespace gedge::codec {
namespace {

constexpr std::array<std::string_view, 5> kWhat{"resource", "pods", "object", "external", "query"};

const std::vector<std::string> kMetricFields{"resource", "container", "pods",    "object",
                                             "metric",   "external",  "query",   "utilization",
                                             "average",  "value",     "selector"};

struct Amounts {
  std::optional<std::int64_t> utilization, average, value;
};

void read_what(std::string_view key, Cursor value, MetricSpec& metric) {
  if (key == "resource") {
    metric.kind = MetricKind::kResource;
    read_text(value, metric.name);
  } else if (key == "pods") {
    metric.kind = MetricKind::kPodMetric;
    read_text(value, metric.name);
  } else if (key == "object") {
    metric.kind = MetricKind::kObject;
    check_fields(value, {"apiVersion", "kind", "name"});
    metric.object = read_object_name(value);
  } else {
    metric.kind = MetricKind::kExternal;
    metric.is_query = key == "query";
    read_text(value, metric.name);
  }
}

void settle(Cursor item, const Amounts& amounts, MetricSpec& metric) {
  const int given =
      (amounts.utilization ? 1 : 0) + (amounts.average ? 1 : 0) + (amounts.value ? 1 : 0);
  const bool is_usage =
      metric.kind == MetricKind::kResource || metric.kind == MetricKind::kContainerResource;
  const bool is_of_pods = is_usage || metric.kind == MetricKind::kPodMetric;
  const char* const choice = is_usage     ? "utilization or average"
                             : is_of_pods ? "average"
                                          : "average or value";
  const bool fits =
      given == 1 && (!amounts.utilization || is_usage) && (!amounts.value || !is_of_pods);
  if (!fits)
    return item.fail("a metric needs one target that it can have", std::string("write ") + choice);
  metric.target = amounts.utilization ? TargetKind::kUtilization
                  : amounts.average   ? TargetKind::kAverageValue
                                      : TargetKind::kValue;
  metric.amount = amounts.utilization ? *amounts.utilization
                  : amounts.average   ? *amounts.average
                                      : *amounts.value;
}

void read_metric(Cursor item, std::vector<MetricSpec>& metrics) {
  const std::size_t said = item.diagnostics().error_count();
  MetricSpec metric;
  Amounts amounts;
  int whats = 0;
  strict_fields(item, kMetricFields, [&](std::string_view key, Cursor value) {
    if (std::find(kWhat.begin(), kWhat.end(), key) != kWhat.end()) {
      ++whats;
      read_what(key, value, metric);
    }
    if (key == "container") read_text(value, metric.container);
    if (key == "metric") read_text(value, metric.name);
    if (key == "utilization") amounts.utilization = read_percent(value);
    if (key == "average") amounts.average = read_amount(value);
    if (key == "value") amounts.value = read_amount(value);
    if (key == "selector" && !value.is_null())
      read_label_selector(value, metric.selector.emplace());
  });
  if (item.diagnostics().error_count() != said) return;
  if (whats != 1) return item.fail("a metric is one of resource, pods, object, external and query");
  const bool is_object = metric.kind == MetricKind::kObject;
  if (metric.name.empty())
    return item.fail("a metric without a name", is_object ? "write it under `metric`" : "");
  if (is_object && (metric.object.kind.empty() || metric.object.name.empty()))
    return item.fail("a metric that does not say of which object", "write kind and name");
  if (item.find("metric") && !is_object)
    return item.fail("`metric` belongs to an object", "leave it out");
  if (!metric.container.empty()) {
    if (metric.kind != MetricKind::kResource)
      return item.fail("`container` belongs to a resource", "leave it out");
    metric.kind = MetricKind::kContainerResource;
  }
  if (metric.selector && (metric.is_query || metric.kind == MetricKind::kResource))
    return item.fail("this metric has no selector", "leave it out");
  settle(item, amounts, metric);
  metrics.push_back(std::move(metric));
}

constexpr std::int64_t kLongestWait = 86'400;

void read_wait(Cursor value, std::int64_t& out) {
  if (const auto seconds = value.integer(0, kLongestWait)) out = *seconds;
}

constexpr std::int64_t kMostSteps = 200;  // each of them is asked of the planner

// "500m" of memory is half a byte: a slip for 500Mi.
bool is_part_of_unit(Cursor value) {
  const std::string_view text = value.raw_text();
  return !text.empty() && std::string_view("mun").find(text.back()) != std::string_view::npos;
}

void check_growth(Cursor step, Cursor most, const GrowRule& up) {
  if (up.resource != kCpu)
    for (Cursor amount : {step, most})
      if (is_part_of_unit(amount))
        return amount.fail(
            quote(amount.raw_text()) + " of " + up.resource + " is a part of one",
            up.resource == kMemory ? "write for example 512Mi" : "write a whole number");
  if (up.step == 0) return step.fail("a step of 0", "replicas would never grow");
  if (up.most <= up.step)
    return most.fail("a most that is not above one step",
                     "replicas would never grow: write a larger one");
  if (up.most / up.step > kMostSteps)
    step.fail("more than " + std::to_string(kMostSteps) + " steps to the most",
              "write a larger step");
}

void read_growth(Cursor map, GrowRule& up) {
  const std::size_t said = map.diagnostics().error_count();

  check_fields(map, {"resource", "step", "most", "through"});
  const auto resource = map.find("resource"), step = map.find("step"), most = map.find("most");
  if (map.diagnostics().error_count() != said) return;
  if (!resource || !step || !most)
    return map.fail("replicas that grow need a resource, a step and a most",
                    "write for example `up: {resource: cpu, step: 250m, most: 2}`");
  read_text(*resource, up.resource);
  const bool milli = up.resource == kCpu;
  const auto by = read_quantity(*step, milli), to = read_quantity(*most, milli);
  if (!by || !to) return;
  up.step = *by;
  up.most = *to;
  if (up.resource.empty()) resource->fail("a resource without a name");
  check_growth(*step, *most, up);
  const auto through = map.find("through");
  const auto word = through ? through->text() : std::nullopt;
  if (word == "template") up.way = ResizeWay::kTemplate;
  if (word && word != "template" && word != "pods")
    fail_unknown(*through, "way", *word, {"pods", "template"});
}

void read_order(Cursor list, std::vector<std::string>& order) {
  list.items([&](Cursor item) {
    std::string name;
    read_text(item, name);
    if (name.empty()) return item.fail("a site without a name");
    if (std::find(order.begin(), order.end(), name) != order.end())
      return item.fail("site " + quote(name) + " is there already", "name each site once");
    order.push_back(std::move(name));
  });
}

struct NamedWorkload {
  std::string site, workload;
  Cursor place;
};

// Which sites they are of is known when the order is.
void read_workloads(Cursor map, std::vector<NamedWorkload>& workloads) {
  map.fields([&](std::string_view key, Cursor value) {
    std::string name;
    read_text(value, name);
    if (name.empty()) value.fail("a workload without a name");
    workloads.push_back({std::string(key), std::move(name), value.key().value_or(value)});
  });
}

void settle_workloads(const std::vector<NamedWorkload>& named, SiteRules& sites) {
  sites.workloads.resize(sites.order.size());
  for (const auto& [site, workload, place] : named) {
    const auto at = std::find(sites.order.begin(), sites.order.end(), site);
    if (at == sites.order.end()) return fail_unknown(place, "site", site, sites.order);
    if (at == sites.order.begin())
      return place.fail("site " + quote(site) + " is home: its workload is the target",
                        "leave it out");
    sites.workloads[static_cast<std::size_t>(at - sites.order.begin())] = workload;
  }
}

void read_choice(Cursor value, SiteChoice& choice) {
  static const std::vector<std::string> kChoices{"order", "demand", "spread"};
  const auto word = value.text();
  if (!word) return;
  const auto at = std::find(kChoices.begin(), kChoices.end(), *word);
  if (at == kChoices.end()) return fail_unknown(value, "choice", *word, kChoices);
  choice = static_cast<SiteChoice>(at - kChoices.begin());
}

void read_sites(Cursor map, SiteRules& sites) {
  const std::size_t said = map.diagnostics().error_count();
  std::vector<NamedWorkload> workloads;
  strict_fields(map,
                {"order", "workloads", "label", "choose", "demandLabel", "budget", "up",
                 "overAfterSeconds", "returnAfterSeconds", "fullPercent"},
                [&](std::string_view key, Cursor value) {
                  if (key == "order") read_order(value, sites.order);
                  if (key == "workloads" && !value.is_null()) read_workloads(value, workloads);
                  if (key == "label") read_text(value, sites.label);
                  if (key == "choose") read_choice(value, sites.choice);
                  if (key == "demandLabel") read_text(value, sites.demand_label);
                  if (key == "up" && !value.is_null()) read_growth(value, sites.up);
                  if (key == "overAfterSeconds") read_wait(value, sites.over_after_s);
                  if (key == "returnAfterSeconds") read_wait(value, sites.return_after_s);
                  if (key == "fullPercent") {
                    const auto percent = value.integer(100, 1'000);
                    if (percent) sites.full_percent = static_cast<std::int32_t>(*percent);
                  }
                  if (key != "budget") return;
                  const auto text = value.text_or_number();
                  if (text) sites.budget_us = parse_duration(*text, Rounding::kDown);
                  if (text && !sites.budget_us)
                    value.fail(quote(*text) + " is no delay budget", "write for example `20ms`");
                });
  if (map.diagnostics().error_count() != said) return;
  if (sites.order.empty())
    map.fail("sites without an order", "write for example `order: [edge-a, cloud]`");
  if (!workloads.empty()) settle_workloads(workloads, sites);
  if (sites.label.empty())
    map.fail("sites without a label that nodes have",
             "write for example `label: topology.kubernetes.io/zone`");
  if (!sites.demand_label.empty() && sites.choice != SiteChoice::kDemand)
    map.find("demandLabel")
        .value_or(map)
        .fail("nobody asks from where demand comes", "write `choose: demand`, or leave it out");
  if (!sites.up.resource.empty() && sites.choice != SiteChoice::kOrder)
    map.find("up").value_or(map).fail("replicas grow only where the sites have an order",
                                      "leave out `up`, or `choose`");
}

// Amounts that can be summed up by the sites from where they come, and shared by replicas.
bool is_summed(const MetricSpec& metric) {
  return metric.kind == MetricKind::kExternal && metric.target == TargetKind::kAverageValue;
}

void check(Cursor spec, const Autoscaler& out) {
  if (out.target.kind.empty() || out.target.name.empty())
    spec.fail("an autoscaler that does not say what it scales",
              "write for example `target: {kind: Deployment, name: web}`");
  if (out.max == 0)
    spec.fail("an autoscaler without max", "write for example `max: 10`");
  else if (out.min > out.max)
    spec.find("min").value_or(spec).fail(
        "min " + std::to_string(out.min) + " is above max " + std::to_string(out.max),
        "write a larger max, or a smaller min");
  if (out.metrics.empty())
    spec.fail("an autoscaler without metrics",
              "write for example `metrics: [{resource: cpu, utilization: 60}]`");
  else if (out.sites && !out.sites->demand_label.empty() &&
           (out.metrics.size() != 1 || !is_summed(out.metrics.front())))
    spec.find("metrics").value_or(spec).fail(
        "`demandLabel` needs one metric, whose values can be summed up",
        "write for example `metrics: [{query: \"sum by (site) (...)\", average: 50}]`");
  else if (out.min == 0 && !may_be_zero(out))
    spec.find("min").value_or(spec).fail(
        "min 0 without a metric of an object, an external one or a query",
        "without pods no other metric has a value: nothing would start them again");
}

}  // namespace

Autoscaler read_short_autoscaler(Cursor object) {
  Autoscaler out;
  const Metadata meta = read_identity(object);
  out.place = meta.place;
  out.name = meta.name;
  out.namespace_name = meta.namespace_name;
  out.api_version = kShortAutoscaler;
  out.behavior.emplace();
  check_fields(object, {"apiVersion", "kind", "metadata", "spec"});
  const auto spec = object.find("spec");
  if (!spec || !spec->is_map()) {
    object.fail("an autoscaler without spec");
    return out;
  }
  const std::size_t said = object.diagnostics().error_count();
  strict_fields(*spec, {"target", "min", "max", "metrics", "behavior", "sites"},
                [&](std::string_view key, Cursor value) {
                  if (key == "target") {
                    check_fields(value, {"apiVersion", "kind", "name"});
                    out.target = read_object_name(value);
                  }
                  if (key == "min") read_int32(value, out.min, 0);
                  if (key == "max") read_int32(value, out.max, 1);
                  if (key == "metrics")
                    value.items([&](Cursor item) { read_metric(item, out.metrics); });
                  if (key == "behavior" && !value.is_null()) read_behavior(value, out.behavior);
                  if (key == "sites" && !value.is_null()) read_sites(value, out.sites.emplace());
                });
  if (out.name.empty()) object.fail("an autoscaler without a name");
  if (object.diagnostics().error_count() == said) check(*spec, out);
  return out;
}

}  // namespace gedge::codec
