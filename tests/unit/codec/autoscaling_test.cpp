#include "gedge/codec/autoscaling.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/read_files.hpp"

namespace {

using namespace gedge;

ScaleLoadResult load(const std::string& text) {
  ScaleLoader loader;
  loader.add({"hpa.yaml", text});
  return loader.finish();
}

std::string head(const std::string& version) {
  return "apiVersion: autoscaling/" + version +
         "\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\n";
}

const std::string kTarget =
    "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 9\n";

Autoscaler read(const std::string& text) {
  const ScaleLoadResult result = load(text);
  for (const Error& error : result.errors) MESSAGE(error.what);
  REQUIRE(result.facts);
  REQUIRE(result.facts->autoscalers.size() == 1);
  return result.facts->autoscalers.front();
}

std::string error_of(const std::string& spec) {
  const ScaleLoadResult result = load(head("v2") + "spec:\n" + spec);
  CHECK_FALSE(result.facts);
  REQUIRE_FALSE(result.errors.empty());
  CHECK(result.errors.front().where.line > 0);
  return result.errors.front().what;
}

std::string with_metric(const std::string& metric) {
  return kTarget + "  metrics:\n  - " + metric + "\n";
}

TEST_CASE("without metrics and minReplicas: 80 percent of the cpu, at least one") {
  const Autoscaler autoscaler = read(head("v2") + "spec:\n" + kTarget);
  CHECK(autoscaler.min == 1);
  CHECK(autoscaler.max == 9);
  CHECK_FALSE(autoscaler.behavior);
  REQUIRE(autoscaler.metrics.size() == 1);
  CHECK(autoscaler.metrics.front().name == "cpu");
  CHECK(autoscaler.metrics.front().amount == 80);
  CHECK(autoscaler.target.name == "web");
}

TEST_CASE("v2beta1 and v2 say the same in other words") {
  const Autoscaler old = read(head("v2beta1") + "spec:\n" + kTarget + R"(
  metrics:
  - {type: Resource, resource: {name: cpu, targetAverageUtilization: 60}}
  - {type: ContainerResource, containerResource: {name: memory, container: main,
      targetAverageValue: 1Ki}}
  - {type: Pods, pods: {metricName: qps, targetAverageValue: 1500m,
      selector: {matchLabels: {a: b}}}}
  - {type: Object, object: {target: {kind: Ingress, name: main}, metricName: rps,
      targetValue: "0", averageValue: "2"}}
  - {type: Object, object: {target: {kind: Ingress, name: main}, metricName: rps, targetValue: "7"}}
  - {type: External, external: {metricName: queue, metricSelector: {matchLabels: {q: w}},
      targetValue: "30"}}
)");
  const Autoscaler now = read(head("v2") + "spec:\n" + kTarget + R"(
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
  - {type: ContainerResource, containerResource: {name: memory, container: main,
      target: {type: AverageValue, averageValue: 1Ki}}}
  - {type: Pods, pods: {metric: {name: qps, selector: {matchLabels: {a: b}}},
      target: {type: AverageValue, averageValue: 1.5}}}
  - {type: Object, object: {describedObject: {kind: Ingress, name: main}, metric: {name: rps},
      target: {type: AverageValue, averageValue: "2"}}}
  - {type: Object, object: {describedObject: {kind: Ingress, name: main}, metric: {name: rps},
      target: {type: Value, value: "7"}}}
  - {type: External, external: {metric: {name: queue, selector: {matchLabels: {q: w}}},
      target: {type: Value, value: "30"}}}
)");
  REQUIRE(old.metrics.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    INFO("metric " << i);
    CHECK(old.metrics[i] == now.metrics.at(i));
  }
  // What is kept in v1 comes back with a value of 0 beside the average.
  const Autoscaler kept = read(head("v2beta2") + "spec:\n" + kTarget + R"(
  metrics:
  - {type: Object, object: {describedObject: {kind: Ingress, name: main}, metric: {name: rps},
      target: {type: AverageValue, value: "0", averageValue: "2"}}}
)");
  CHECK(kept.metrics.at(0) == now.metrics[3]);
  CHECK(now.metrics[1].amount == 1'024'000);
  CHECK(now.metrics[3].target == TargetKind::kAverageValue);
}

TEST_CASE("the annotations of v1 say what later versions do") {
  const Autoscaler autoscaler = read(R"(
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: web
  annotations:
    autoscaling.alpha.kubernetes.io/metrics: |
      [{"type": "Pods", "pods": {"metricName": "qps", "targetAverageValue": "10"}}]
    autoscaling.alpha.kubernetes.io/behavior: '{"scaleDown":{"selectPolicy":"Disabled"}}'
    autoscaling.alpha.kubernetes.io/conditions: 'not looked at'
spec:
  targetCPUUtilizationPercentage: 70
)" + kTarget);
  REQUIRE(autoscaler.metrics.size() == 2);
  CHECK(autoscaler.metrics[0].name == "qps");
  CHECK(autoscaler.metrics[1].amount == 70);
  REQUIRE(autoscaler.behavior);
  CHECK(autoscaler.behavior->down.select == SelectPolicy::kDisabled);
  CHECK(autoscaler.behavior->up == ScalingBehavior{}.up);
}

TEST_CASE("given fields of a behavior replace the defaults one by one") {
  const Autoscaler autoscaler = read(head("v2") + "spec:\n" + kTarget + R"(
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 60
      tolerance: 50m
    scaleDown:
      policies: [{type: Pods, value: 2, periodSeconds: 90}]
)");
  const ScalingBehavior& behavior = *autoscaler.behavior;
  CHECK(behavior.up.window_s == 60);
  CHECK(behavior.up.tolerance == doctest::Approx(0.05));
  CHECK(behavior.up.policies == ScalingBehavior{}.up.policies);
  CHECK(behavior.down.policies == std::vector<ScalingPolicy>{{PolicyUnit::kPodCount, 2, 90}});
  CHECK_FALSE(behavior.down.window_s);
}

TEST_CASE("behavior in an annotation, as a server writes it: with the names of its own") {
  const auto with = [](const std::string& behavior) {
    return read(
        R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":)"
        R"({"name":"web","annotations":{"autoscaling.alpha.kubernetes.io/behavior":")" +
        behavior +
        R"("}},"spec":{"maxReplicas":9,"scaleTargetRef":{"kind":"Deployment","name":"a"}}})");
  };
  const Autoscaler theirs = with(
      R"({\"ScaleUp\":{\"StabilizationWindowSeconds\":0,\"SelectPolicy\":\"Min\",\"Policies\":)"
      R"([{\"Type\":\"Pods\",\"Value\":1,\"PeriodSeconds\":1800}]},\"ScaleDown\":null})");
  const Autoscaler usual = with(
      R"({\"scaleUp\":{\"stabilizationWindowSeconds\":0,\"selectPolicy\":\"Min\",\"policies\":)"
      R"([{\"type\":\"Pods\",\"value\":1,\"periodSeconds\":1800}]}})");
  REQUIRE(theirs.behavior);
  CHECK(theirs.behavior == usual.behavior);
  CHECK(theirs.behavior->up.select == SelectPolicy::kMin);
  REQUIRE(theirs.behavior->up.policies.size() == 1);
  CHECK(theirs.behavior->up.policies.front().period_s == 1'800);
  const Autoscaler empty =
      with(R"({\"ScaleUp\":null,\"ScaleDown\":{\"StabilizationWindowSeconds\":null,)"
           R"(\"SelectPolicy\":null,\"Policies\":null}})");
  CHECK(empty.behavior == ScalingBehavior());
}

TEST_CASE("what no API server takes is refused, with its place") {
  CHECK(error_of("  minReplicas: 10\n" + kTarget) == "minReplicas 10 is above maxReplicas 9");
  CHECK(error_of("  maxReplicas: 3\n") == "an autoscaler that does not say what it scales");
  CHECK(error_of("  minReplicas: 0\n" + kTarget) ==
        "minReplicas 0 without an Object or External metric");
  CHECK(error_of("  scaleTargetRef: {kind: Deployment, name: web}\n") ==
        "an autoscaler without maxReplicas");
  CHECK(error_of(with_metric("{type: Sorcery}")) == "'type' cannot be 'Sorcery'");
  CHECK(error_of(with_metric("{type: Pods}")) == "a metric of type Pods without 'pods'");
  CHECK(error_of(with_metric("{type: Resource, resource: {name: cpu}}")) ==
        "a metric without a target that it can have");
  const std::string qps = "{type: Pods, pods: {metric: {name: qps}, target: {type: AverageValue, ";
  CHECK(error_of(with_metric(qps + "averageValue: 0}}}")) == "a target of 0");
  CHECK(error_of(with_metric("{type: External, external: {metric: {name: queue}, target: {"
                             "type: Value, value: 0, averageValue: 1}}}")) == "a target of 0");
  CHECK(error_of(with_metric(qps + "averageValue: -5}}}")) == "'averageValue' is negative: '-5'");
  CHECK_FALSE(error_of(with_metric(qps + "averageValue: .nan}}}")).empty());
  CHECK(error_of(with_metric(qps + "averageUtilization: 50}}}")) ==
        "a metric without a target that it can have");
  CHECK(error_of(kTarget + "  behavior: {scaleUp: {policies: []}}\n") == "no policies");
  CHECK(error_of(kTarget + "  behavior: {scaleUp: {policies: [{type: Pods, value: 1}]}}\n") ==
        "a policy needs type, value and periodSeconds, all above 0");
}

TEST_CASE("an annotation of ten megabytes is refused before it is read") {
  std::string deep;
  deep.resize(10'000'000, '[');
  const std::string text = head("v1") +
                           "  annotations:\n    autoscaling.alpha.kubernetes.io/metrics: '" + deep +
                           "'\nspec:\n" + kTarget;
  const ScaleLoadResult result = load(text);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors.front().what == "an annotation of 10000000 bytes");
}

TEST_CASE("an annotation that is no JSON is an error, not an autoscaler without metrics") {
  const ScaleLoadResult result =
      load(head("v1") +
           "  annotations:\n    autoscaling.alpha.kubernetes.io/metrics: '[{'\nspec:\n" + kTarget);
  CHECK_FALSE(result.facts);
}

const std::string kSite = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: web-0, labels: {app: web}, deletionTimestamp: "2021-06-01T11:00:00Z"}
  spec:
    containers: [{name: main, resources: {limits: {cpu: 200m}}}]
    initContainers: [{name: proxy, restartPolicy: Always, resources: {requests: {cpu: 50m}}},
        {name: once}]
  status:
    phase: Running
    startTime: "2021-06-01T10:00:00Z"
    conditions: [{type: Ready, status: "False", lastTransitionTime: "2021-06-01T10:00:30Z"}]
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {replicas: 3, selector: {matchLabels: {app: web}},
      template: {metadata: {labels: {app: web}}, spec: {containers: []}}}
  status: {replicas: 2}
- {apiVersion: v1, kind: Secret, metadata: {name: s}}
---
kind: PodMetricsList
apiVersion: metrics.k8s.io/v1beta1
items:
- metadata: {name: web-0, namespace: default, labels: {app: web}}
  timestamp: "2021-06-01T10:10:00Z"
  window: 1m0.5s
  containers: [{name: main, usage: {cpu: 144965184n, memory: 770776Ki}}]
---
kind: MetricValueList
apiVersion: custom.metrics.k8s.io/v1beta2
items:
- {describedObject: {kind: Pod, namespace: default, name: web-0}, metric: {name: qps},
    timestamp: "2021-06-01T10:10:00Z", windowSeconds: 30, value: 1500m}
---
kind: ExternalMetricValueList
apiVersion: external.metrics.k8s.io/v1beta1
items:
- {metricName: queue, metricLabels: {queue: work}, timestamp: "2021-06-01T10:10:00Z", value: "42"}
)";

TEST_CASE("pods, workloads and the answers of all three metrics APIs") {
  const ScaleLoadResult result = load(kSite);
  for (const Error& error : result.errors) MESSAGE(error.what);
  REQUIRE(result.facts);
  const ScaleFacts& facts = *result.facts;
  REQUIRE(facts.pods.size() == 1);
  const ScaledPod& pod = facts.pods.front();
  CHECK(pod.deleting);
  CHECK(pod.ready == ReadyState::kFalse);
  CHECK(pod.ready_since - pod.started == 30);
  CHECK(pod.containers.front().requests.amount("cpu") == 200);
  REQUIRE(pod.sidecars.size() == 1);
  CHECK(pod.sidecars.front().requests.amount("cpu") == 50);
  REQUIRE(facts.targets.size() == 1);
  CHECK(facts.targets.front().spec_replicas == 3);
  CHECK(facts.targets.front().status_replicas == 2);
  CHECK(facts.targets.front().selector.matches(pod.labels));
  REQUIRE(facts.metrics.usage.size() == 1);
  const PodUsage& usage = facts.metrics.usage.front();
  CHECK(usage.window == Micros{60'500'000});
  CHECK(usage.containers.front().milli.at(0).second == 145);
  CHECK(usage.containers.front().milli.at(1).second == 770'776LL * 1'024 * 1'000);
  CHECK(facts.metrics.objects.at(0).sample.milli == 1'500);
  CHECK(facts.metrics.external.at(0).sample.milli == 42'000);
  CHECK(facts.metrics.external.at(0).labels.find("queue") != nullptr);
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped.front().kind == "Secret");
}

TEST_CASE("values that are no numbers, or negative, are errors and never 0") {
  for (const char* value : {"NaN", ".nan", "-3", "'-1m'", "lots", ".inf", "null"}) {
    INFO(value);
    const ScaleLoadResult result = load(
        "kind: ExternalMetricValueList\napiVersion: external.metrics.k8s.io/v1beta1\nitems:\n"
        "- {metricName: queue, value: " +
        std::string(value) + "}\n");
    CHECK_FALSE(result.facts);
    REQUIRE_FALSE(result.errors.empty());
  }
}

TEST_CASE("equal objects twice are one, different ones under one name an error") {
  const std::string one = head("v2") + "spec:\n" + kTarget;
  CHECK(read(one + "---\n" + one).name == "web");
  const ScaleLoadResult result = load(one + "---\n" + one + "  minReplicas: 2\n");
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors.front().what.find("declared twice") != std::string::npos);
}

TEST_CASE("every autoscaler and every metric of the public data is read") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  std::size_t autoscalers = 0, usages = 0;
  for (const char* folder : {"hpa", "metrics"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*data / folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind != ".yaml" && kind != ".json") continue;
      INFO(entry.path().string());
      const ScaleLoadResult result = load(test::slurp(entry.path()));
      for (const Error& error : result.errors) MESSAGE(error.what);
      REQUIRE(result.facts);
      autoscalers += result.facts->autoscalers.size();
      usages += result.facts->metrics.usage.size();
    }
  }
  CHECK(autoscalers >= 17);
  CHECK(usages == 3);
}

}  // namespace

TEST_CASE("of a pod that is being resized: its machine is at it, or has not seen it") {
  const auto is_resizing = [](const std::string& metadata, const std::string& status) {
    ScaleLoader loader;
    loader.add(
        {"pod.json", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a")" + metadata +
                         R"(},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running")" +
                         status + "}}"});
    const ScaleLoadResult read = loader.finish();
    REQUIRE(read.facts);
    CHECK(read.facts->pods.front().unresized.empty());
    return read.facts->pods.front().is_resizing;
  };
  const std::string third = R"(,"generation":3)";
  CHECK(is_resizing(third, R"(,"observedGeneration":2)"));
  CHECK_FALSE(is_resizing(third, R"(,"observedGeneration":3)"));
  CHECK_FALSE_MESSAGE(is_resizing(third, ""), "a server that does not say it");
  const auto condition = [](const std::string& is) {
    return R"(,"conditions":[{"type":"PodResizeInProgress","status":")" + is + "\"}]";
  };
  CHECK(is_resizing("", condition("True")));
  CHECK_FALSE(is_resizing("", condition("False")));
}

TEST_CASE("of a pod that may be resized: who made it, and why it is not as or where it should be") {
  const std::string pod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop","uid":"u",)"
      R"("resourceVersion":"7","ownerReferences":[{"kind":"ReplicaSet","name":"web-5b8",)"
      R"("uid":"r","controller":true}]},"spec":{"containers":[{"name":"c"}]},"status":{)"
      R"("phase":"Pending","conditions":[{"type":"PodResizePending","status":"True",)"
      R"("reason":"Deferred"},{"type":"PodScheduled","status":"False",)"
      R"("reason":"Unschedulable","message":"0/2 nodes"}]}})";
  ScaleLoadOptions options;
  options.keep_objects = true;
  ScaleLoader loader(options);
  loader.add({"pod.json", pod});
  const ScaleLoadResult read = loader.finish();
  REQUIRE(read.facts);
  REQUIRE(read.facts->pods.size() == 1);
  const ScaledPod& kept = read.facts->pods.front();
  CHECK(kept.controller == ControllerRef{"ReplicaSet", "web-5b8", "r"});
  CHECK(kept.unresized == "Deferred");
  CHECK(kept.unplaced == "0/2 nodes");
  CHECK(kept.uid == "u");
  ScaleLoader plain;
  plain.add({"pod.json", pod});
  const ScaleLoadResult less = plain.finish();
  REQUIRE(less.facts);
  CHECK(less.facts->pods.front().controller == ControllerRef{});
  CHECK(less.facts->pods.front().unplaced.empty());
}

TEST_CASE("limits, the largest nodes and kills are read, and a history if one is asked for") {
  const std::string text =
      "kind: LimitRange\nmetadata: {name: limits, namespace: shop}\nspec: {limits: [{type: Pod, "
      "max: "
      "{cpu: 9}}, {type: Container, max: {cpu: 2}, min: {memory: 64Mi}}]}\n---\n"
      "kind: NodeList\nitems:\n"
      "- {metadata: {name: a}, status: {allocatable: {cpu: 4, memory: 1Gi}}}\n"
      "- {metadata: {name: b}, status: {allocatable: {cpu: 2, memory: 8Gi}}}\n---\n"
      "kind: Pod\nmetadata: {name: web-1}\n"
      "spec: {containers: [{name: main, image: a}, {name: side, image: a}]}\n"
      "status:\n  phase: Running\n  containerStatuses:\n"
      "  - {name: main, lastState: {terminated: {reason: OOMKilled, finishedAt: "
      "\"2026-11-21T09:00:00Z\"}}}\n"
      "  - {name: side, lastState: {terminated: {reason: Error, finishedAt: "
      "\"2026-11-21T09:00:00Z\"}}}\n";
  const ScaleLoadResult result = load(text);
  for (const Error& error : result.errors) MESSAGE(error.what);
  REQUIRE(result.facts);
  const ScaleFacts& facts = *result.facts;
  REQUIRE(facts.limits.size() == 1);
  CHECK(facts.limits.front().namespace_name == "shop");
  CHECK(facts.limits.front().most == Resources{{"cpu", 2'000}});
  CHECK(facts.limits.front().least == Resources{{"memory", 64 << 20}});
  CHECK(facts.largest.amount("cpu") == 4'000);
  CHECK(facts.largest.amount("memory") == std::int64_t{8} << 30);
  REQUIRE(facts.pods.size() == 1);
  CHECK(facts.pods.front().containers.at(0).out_of_memory == 1'795'251'600);
  CHECK_FALSE(facts.pods.front().containers.at(1).out_of_memory);

  const std::string usage =
      "kind: PodMetricsList\nitems:\n"
      "- {metadata: {name: web-1}, timestamp: \"2026-11-21T09:01:00Z\", containers: []}\n"
      "- {metadata: {name: web-1}, timestamp: \"2026-11-21T09:00:00Z\", containers: []}\n"
      "- {metadata: {name: web-1}, timestamp: \"2026-11-21T09:00:00Z\", containers: []}\n";
  CHECK_FALSE(load(usage).facts);
  ScaleLoadOptions options;
  options.keep_history = true;
  ScaleLoader loader(options);
  loader.add({"usage.yaml", usage});
  const ScaleLoadResult history = loader.finish();
  REQUIRE(history.facts);
  REQUIRE(history.facts->metrics.usage.size() == 2);
  CHECK(history.facts->metrics.usage.front().at == 1'795'251'600);
}
