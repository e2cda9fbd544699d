#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "gedge/codec/autoscaling.hpp"

namespace gedge {
namespace {

std::string with(const std::string& metric, const std::string& more = "") {
  return "apiVersion: gedge.io/v1alpha1\nkind: Autoscaler\nmetadata: {name: web}\nspec:\n"
         "  target: {kind: Deployment, name: web}\n  max: 9\n  metrics:\n  - " +
         metric + "\n" + more;
}

ScaleLoadResult load(const std::string& text) {
  ScaleLoader loader;
  loader.add({"short.yaml", text});
  return loader.finish();
}

MetricSpec metric_of(const std::string& text) {
  const ScaleLoadResult result = load(with(text));
  for (const Error& error : result.errors) MESSAGE(error.what);
  REQUIRE(result.facts);
  REQUIRE(result.facts->autoscalers.size() == 1);
  return result.facts->autoscalers.front().metrics.front();
}

TEST_CASE("a short autoscaler: defaults are those of autoscaling/v2") {
  const ScaleLoadResult result = load(with("{resource: cpu, utilization: 60}"));
  REQUIRE(result.facts);
  const Autoscaler& read = result.facts->autoscalers.front();
  CHECK(read.api_version == kShortAutoscaler);
  CHECK(read.namespace_name == "default");
  CHECK(read.min == 1);
  CHECK(read.max == 9);
  CHECK(read.behavior == ScalingBehavior());
  CHECK(read.target.name == "web");
}

TEST_CASE("a kind or a version that is nearly one that is read is a slip, others are for others") {
  const auto hint_of = [](const std::string& api_version, const std::string& kind) {
    const ScaleLoadResult result =
        load("apiVersion: " + api_version + "\nkind: " + kind + "\nmetadata: {name: web}\n");
    if (result.facts) return "skipped " + std::to_string(result.skipped.size());
    CHECK(result.errors.front().where.line > 0);
    return result.errors.front().hint;
  };
  CHECK(hint_of("gedge.io/v1alpha1", "Autoscalr") == "did you mean Autoscaler?");
  CHECK(hint_of("gedge.io/v1", "Autoscaler") == "did you mean gedge.io/v1alpha1?");
  CHECK(hint_of("autoscaling/v2", "HorizontalPodAutoscalar") ==
        "did you mean HorizontalPodAutoscaler?");
  CHECK(hint_of("apps/v1", "Deploymnet") == "did you mean Deployment?");
  CHECK(hint_of("v1", "Pdo") == "did you mean Pod?");
  CHECK(hint_of("metrics.k8s.io/v1beta1", "PodMetric") == "did you mean PodMetrics?");
  CHECK(hint_of("slo.koordinator.sh/v1alpha1", "NodeMetric") == "skipped 1");
  CHECK(hint_of("example.com/v1", "Autoscaler") == "skipped 1");
  CHECK(hint_of("gedge.io/v1alpha1", "Scenario") == "skipped 1");
  CHECK(hint_of("apps/v1", "DaemonSet") == "skipped 1");
  CHECK(hint_of("v1", "Service") == "skipped 1");
}

TEST_CASE("a short autoscaler: each kind of metric") {
  MetricSpec cpu = metric_of("{resource: cpu, utilization: 60}");
  CHECK(cpu.kind == MetricKind::kResource);
  CHECK(cpu.target == TargetKind::kUtilization);
  CHECK(cpu.amount == 60);
  const MetricSpec container = metric_of("{resource: memory, container: app, average: 1Mi}");
  CHECK(container.kind == MetricKind::kContainerResource);
  CHECK(container.amount == 1'048'576'000);
  const MetricSpec pods = metric_of("{pods: rps, average: 100, selector: {matchLabels: {a: b}}}");
  CHECK(pods.kind == MetricKind::kPodMetric);
  CHECK(pods.selector);
  const MetricSpec object =
      metric_of("{object: {kind: Service, name: front}, metric: rps, value: 2k}");
  CHECK(object.kind == MetricKind::kObject);
  CHECK(object.object.name == "front");
  CHECK(object.amount == 2'000'000);
  const MetricSpec external = metric_of("{external: queue, average: 30}");
  CHECK(external.kind == MetricKind::kExternal);
  CHECK_FALSE(external.is_query);
  const MetricSpec query = metric_of("{query: 'sum(rate(x[1m]))', average: 500m}");
  CHECK(query.is_query);
  CHECK(query.name == "sum(rate(x[1m]))");
  CHECK(query.amount == 500);
}

std::string with_sites(const std::string& sites) {
  return with("{resource: cpu, utilization: 60}", "  sites: " + sites + "\n");
}

TEST_CASE("a short autoscaler: sites, and what they are by default") {
  const ScaleLoadResult plain = load(with_sites("{order: [edge, cloud]}"));
  REQUIRE(plain.facts);
  const auto& read = plain.facts->autoscalers.front().sites;
  REQUIRE(read);
  SiteRules expected;
  expected.order = {"edge", "cloud"};
  CHECK(*read == expected);
  CHECK(read->label == "topology.kubernetes.io/zone");
  const ScaleLoadResult all = load(
      with_sites("{order: [a], label: l, budget: 1.5ms, up: {resource: cpu, step: 250m, most: 2}, "
                 "overAfterSeconds: 0, returnAfterSeconds: 7, fullPercent: 100}"));
  REQUIRE(all.facts);
  const SiteRules& rules = *all.facts->autoscalers.front().sites;
  CHECK(rules.budget_us == 1'500);
  CHECK(rules.up == GrowRule{"cpu", 250, 2'000});
  CHECK(rules.over_after_s == 0);
  CHECK(rules.return_after_s == 7);
  CHECK(rules.full_percent == 100);
  const ScaleLoadResult memory =
      load(with_sites("{order: [a], up: {resource: memory, step: 1Mi, most: 3Mi}}"));
  REQUIRE(memory.facts);
  CHECK(memory.facts->autoscalers.front().sites->up.step == 1'048'576);
  CHECK(memory.facts->autoscalers.front().sites->up.way == ResizeWay::kInPlace);
  const ScaleLoadResult through =
      load(with_sites("{order: [a], up: {resource: cpu, step: 1, most: 2, through: template}}"));
  REQUIRE(through.facts);
  CHECK(through.facts->autoscalers.front().sites->up.way == ResizeWay::kTemplate);
  const ScaleLoadResult live =
      load(with_sites("{workloads: {c: web-c, b: web-b}, order: [a, b, c]}"));
  REQUIRE(live.facts);
  CHECK(live.facts->autoscalers.front().sites->workloads ==
        std::vector<std::string>{"", "web-b", "web-c"});
  const ScaleLoadResult demand = load(with_sites("{order: [a, b], choose: demand}"));
  REQUIRE(demand.facts);
  CHECK(demand.facts->autoscalers.front().sites->choice == SiteChoice::kDemand);
}

TEST_CASE("a short autoscaler: the label that says from where demand comes needs one metric") {
  const std::string sites = "  sites: {order: [a, b], choose: demand, demandLabel: at}\n";
  const ScaleLoadResult summed = load(with("{query: q, average: 30}", sites));
  REQUIRE(summed.facts);
  CHECK(summed.facts->autoscalers.front().sites->demand_label == "at");
  for (const std::string metric : {"{query: q, value: 30}", "{resource: cpu, average: 30m}",
                                   "{query: q, average: 30}\n  - {external: x, average: 1}"}) {
    CAPTURE(metric);
    const ScaleLoadResult refused = load(with(metric, sites));
    REQUIRE_FALSE(refused.facts);
    CHECK(refused.errors.front().what.find("needs one metric") != std::string::npos);
  }
}

TEST_CASE("a short autoscaler: sites that cannot be") {
  for (const auto& [text, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {"{}", "without an order"},
           {"{order: []}", "without an order"},
           {"{order: [a, a]}", "there already"},
           {"{order: ['']}", "without a name"},
           {"{order: [a], label: ''}", "without a label"},
           {"{order: [a, b], workloads: {c: x}}", "unknown site"},
           {"{order: [a, b], workloads: {a: x}}", "is home"},
           {"{order: [a, b], workloads: {b: ''}}", "without a name"},
           {"{order: [a], choose: best}", "unknown choice"},
           {"{order: [a], budget: 20}", "no delay budget"},
           {"{order: [a], up: {resource: cpu}}", "a step and a most"},
           {"{order: [a], up: {resource: cpu, step: 0, most: 1}}", "a step of 0"},
           {"{order: [a], up: {resource: cpu, step: 1, most: 0}}", "above one step"},
           {"{order: [a], up: {resource: cpu, step: 1, most: 1000m}}", "above one step"},
           {"{order: [a], up: {resource: memory, step: 500m, most: 2Gi}}", "a part of one"},
           {"{order: [a], up: {resource: memory, step: 1Mi, most: 2000m}}", "a part of one"},
           {"{order: [a], up: {resource: cpu, stepp: 1, most: 2}}", "did you mean step?"},
           {"{order: [a], up: [cpu]}", "must be a map"},
           {"{order: [a], up: {resource: cpu, step: 1m, most: 2}}", "more than 200 steps"},
           {"{order: [a], choose: demand, up: {resource: cpu, step: 1, most: 2}}", "an order"},
           {"{order: [a], up: {resource: cpu, step: 1, most: 2, through: pod}}", "unknown way"},
           {"{order: [a], demandLabel: at}", "choose: demand"},
           {"{order: [a], fullPercent: 99}", ""},
           {"{order: [a], overAfterSeconds: -1}", ""},
           {"{order: [a], orders: 1}", "did you mean order"}}) {
    const std::string given = text;
    const ScaleLoadResult result = load(with_sites(given));
    INFO(given);
    REQUIRE_FALSE(result.facts);
    REQUIRE_FALSE(result.errors.empty());
    const Error& error = result.errors.front();
    CHECK((error.what + " " + error.hint).find(words) != std::string::npos);
    CHECK(error.where.line > 0);
  }
}

TEST_CASE("a short autoscaler: a workload of a site that is not has the place of that site") {
  for (const std::string site : {"c", "a"}) {
    CAPTURE(site);
    const std::string sites = "{order: [a, b], workloads: {b: web-b, " + site + ": x}}";
    const ScaleLoadResult result = load(with_sites(sites));
    REQUIRE(result.errors.size() == 1);
    const SourceSpan& where = result.errors.front().where;
    const auto column = static_cast<std::size_t>(where.column);
    CHECK(where.excerpt.substr(column - 1).starts_with(site + ": x"));
  }
}

TEST_CASE("a short autoscaler: what is wrong has its place") {
  for (const auto& [text, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {with("{resource: cpu}"), "needs one target"},
           {with("{resource: cpu, utilization: 60, average: 1}"), "needs one target"},
           {with("{resource: cpu, value: 1}"), "needs one target"},
           {with("{query: up, utilization: 5}"), "needs one target"},
           {with("{resource: cpu, utilization: 0}"), "utilization"},
           {with("{query: up, average: NaN}"), ""},
           {with("{query: up, average: -1}"), ""},
           {with("{query: up, average: 0}"), "a target of 0"},
           {with("{query: up, average: 1, selector: {}}"), "no selector"},
           {with("{resource: cpu, pods: x, average: 1}"), "a metric is one of"},
           {with("{object: {kind: Service, name: a}, value: 1}"), "without a name"},
           {with("{resource: cpu, utilisation: 60}"), "unknown field"},
           {with("{resource: cpu, utilization: 60}", "  min: 10\n"), "is above max"},
           {with("{resource: cpu, utilization: 60}", "  min: 0\n"), "min 0"},
           {with("{resource: cpu, utilization: 60}", "  mni: 2\n"), "unknown field"}}) {
    const std::string& given = text;
    CAPTURE(given);
    const ScaleLoadResult result = load(given);
    CHECK_FALSE(result.facts);
    REQUIRE_FALSE(result.errors.empty());
    CHECK(result.errors.front().what.find(words) != std::string::npos);
    CHECK(result.errors.front().where.line > 0);
  }
}

TEST_CASE("a short autoscaler: what to write instead") {
  const std::string cpu = "{resource: cpu, utilization: 60}";
  for (const auto& [text, hint] : std::initializer_list<std::pair<std::string, std::string>>{
           {with(cpu, "  min: 10\n"), "write a larger max, or a smaller min"},
           {with_sites("{order: [a, b, a]}"), "name each site once"},
           {with_sites("{order: [a], label: ''}"),
            "write for example `label: topology.kubernetes.io/zone`"},
           {"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\n"
            "spec: {scaleTargetRef: {kind: Deployment, name: web}, minReplicas: 4, "
            "maxReplicas: 3}\n",
            "write a larger maxReplicas, or a smaller minReplicas"}}) {
    const std::string& given = text;
    CAPTURE(given);
    const ScaleLoadResult result = load(given);
    REQUIRE(result.errors.size() == 1);
    CHECK(result.errors.front().hint == hint);
  }
}

TEST_CASE("an Autoscaler of somebody else is skipped") {
  const ScaleLoadResult result =
      load("apiVersion: example.com/v1\nkind: Autoscaler\nmetadata: {name: web}\n");
  REQUIRE(result.facts);
  CHECK(result.facts->autoscalers.empty());
  CHECK(result.skipped.size() == 1);
}

TEST_CASE("of an object: what a status is written by") {
  const ScaleLoadResult result = load(
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web",
      "uid":"u1","resourceVersion":"17","generation":3},"spec":{"maxReplicas":3,"scaleTargetRef":{
      "kind":"Deployment","name":"web"}},"status":{"lastScaleTime":"2026-11-22T10:00:00Z"}})");
  REQUIRE(result.facts);
  const Autoscaler& read = result.facts->autoscalers.front();
  CHECK(read.uid == "u1");
  CHECK(read.version == "17");
  CHECK(read.generation == 3);
  CHECK(read.last_scaled == 1'795'341'600);
}

}  // namespace
}  // namespace gedge
