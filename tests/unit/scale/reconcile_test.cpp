#include "gedge/scale/reconcile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace {

using namespace gedge;

constexpr UnixSeconds kNow = 1'000'000;

MetricSpec cpu_percent(std::int64_t percent) {
  MetricSpec metric;
  metric.name = "cpu";
  metric.amount = percent;
  return metric;
}

MetricSpec queue_value(std::int64_t milli) {
  MetricSpec metric;
  metric.kind = MetricKind::kExternal;
  metric.name = "queue";
  metric.target = TargetKind::kValue;
  metric.amount = milli;
  return metric;
}

// Deployment web with its pods, all alike, each with a request of one core.
struct Site {
  explicit Site(std::int32_t replicas, std::int64_t cpu_milli) {
    ScaleTarget target;
    target.kind = "Deployment";
    target.name = "web";
    target.spec_replicas = target.status_replicas = replicas;
    target.selector = *parse_selector("app=web");
    target.has_selector = true;
    facts.targets.push_back(target);
    for (std::int32_t i = 0; i < replicas; ++i) add_pod("web-" + std::to_string(i), cpu_milli);
    Autoscaler autoscaler;
    autoscaler.name = "web";
    autoscaler.target = {"apps/v1", "Deployment", "web"};
    autoscaler.max = 10;
    autoscaler.metrics.push_back(cpu_percent(50));
    facts.autoscalers.push_back(autoscaler);
  }

  void add_pod(const std::string& name, std::int64_t cpu_milli) {
    ScaledPod pod;
    pod.name = name;
    pod.labels.set("app", "web");
    pod.phase = PodPhase::kRunning;
    pod.ready = ReadyState::kTrue;
    pod.started = pod.ready_since = kNow - 10'000;
    pod.containers.push_back({"main", {{"cpu", 1'000}, {"memory", 1 << 20}}});
    facts.pods.push_back(pod);
    PodUsage usage;
    usage.name = name;
    usage.at = kNow - 10;
    usage.containers.push_back({"main", {{"cpu", cpu_milli}}});
    facts.metrics.usage.push_back(usage);
  }

  Autoscaler& autoscaler() { return facts.autoscalers.front(); }
  ScaleDecision ask() {
    const WorkloadIndex index(facts);
    return reconcile(autoscaler(), index, history, kNow, settings);
  }

  ScaleFacts facts;
  // A look at an hour ago: nothing holds a scale-down back.
  ScaleHistory history{{{1, kNow - 3'600}}, {}, {}};
  ScaleSettings settings;
};

std::string texts(const ScaleDecision& decision) {
  std::string text;
  for (const ScaleCondition& condition : decision.conditions)
    text += std::string(to_string(condition.type)) + "=" + (condition.is_true ? "True" : "False") +
            " " + std::string(to_string(condition.reason)) + ";";
  return text;
}

TEST_CASE("a load above the target adds replicas, one below takes some away") {
  Site busy(4, 600), idle(4, 100);
  CHECK(busy.ask().replicas == 5);
  CHECK(busy.ask().deciding == std::size_t{0});
  CHECK(texts(busy.ask()) ==
        "AbleToScale=True SucceededRescale;ScalingActive=True ValidMetricFound;"
        "ScalingLimited=False DesiredWithinRange;");
  CHECK(idle.ask().replicas == 1);
}

TEST_CASE("without a memory the replicas of now are remembered, as after a restart") {
  Site idle(4, 100);
  idle.history = {};
  const ScaleDecision decision = idle.ask();
  CHECK(decision.proposal == 1);
  CHECK(decision.replicas == 4);
  CHECK(decision.normalized->able.reason == ScaleReason::kScaleDownStabilized);
}

TEST_CASE("the metric that asks for the most decides") {
  Site site(4, 600);
  site.autoscaler().metrics.push_back(queue_value(1'000));
  site.facts.metrics.external.push_back({"queue", {}, {2'000, kNow, Micros{0}}});
  const ScaleDecision decision = site.ask();
  CHECK(decision.metrics.at(0).replicas == 5);
  CHECK(decision.metrics.at(1).replicas == 8);
  CHECK(decision.deciding == std::size_t{1});
  CHECK(decision.replicas == 8);
}

TEST_CASE("a metric that fails freezes a scale-down, and leaves a scale-up alone") {
  Site idle(4, 100), busy(4, 600);
  for (Site* site : {&idle, &busy}) site->autoscaler().metrics.push_back(queue_value(1'000));
  const ScaleDecision frozen = idle.ask();
  CHECK(frozen.step == ScaleStep::kFrozen);
  CHECK(frozen.replicas == 4);
  CHECK(texts(frozen) ==
        "AbleToScale=True SucceededGetScale;ScalingActive=False FailedGetExternalMetric;");
  CHECK(busy.ask().replicas == 5);
  idle.settings.compat = Compat::k1_20;
  CHECK_MESSAGE(idle.ask().replicas == 1, "1.20 goes down on what is left");
}

TEST_CASE("a source that is gone changes nothing") {
  for (const Compat compat : {Compat::k1_20, Compat::k1_36}) {
    Site site(4, 100);
    site.settings.compat = compat;
    site.facts.metrics = {};
    const ScaleDecision decision = site.ask();
    CHECK(decision.step == ScaleStep::kMetricsFailed);
    CHECK(decision.replicas == 4);
  }
}

TEST_CASE("samples that are too old, or of the future, change nothing") {
  Site site(4, 100);
  site.settings.max_age_s = 5;
  CHECK(site.ask().replicas == 4);
  for (PodUsage& usage : site.facts.metrics.usage) usage.at = kNow + 100;
  CHECK(site.ask().replicas == 4);
}

TEST_CASE("values of a queue or an object that are too old, or of the future, change nothing") {
  for (const UnixSeconds at : {kNow - 6, kNow + 1}) {
    Site site(2, 0);
    site.settings.max_age_s = 5;
    site.autoscaler().min = 0;
    site.autoscaler().metrics = {queue_value(1'000)};
    site.facts.metrics.external = {{"queue", {}, {0, at, Micros{0}}}};
    CHECK(site.ask().step == ScaleStep::kMetricsFailed);
    CHECK(site.ask().replicas == 2);
    // And a part of a sum is none.
    site.facts.metrics.external.push_back({"queue", {}, {0, kNow, Micros{0}}});
    CHECK(site.ask().replicas == 2);
    MetricSpec& metric = site.autoscaler().metrics.front();
    metric.kind = MetricKind::kObject;
    metric.object = {"v1", "Service", "web"};
    site.facts.metrics.objects = {{"default", "Service", "web", metric.name, {0, at, Micros{0}}}};
    CHECK(site.ask().step == ScaleStep::kMetricsFailed);
    site.facts.metrics.objects.front().sample.at = kNow - 5;
    CHECK(site.ask().replicas == 0);
  }
}

TEST_CASE("bounds count before metrics, and a workload that was switched off stays off") {
  Site many(12, 0), few(1, 0), off(0, 0);
  CHECK(many.ask().step == ScaleStep::kAboveMax);
  CHECK(many.ask().replicas == 10);
  few.autoscaler().min = 2;
  CHECK(few.ask().replicas == 2);
  CHECK(off.ask().step == ScaleStep::kDisabled);
  CHECK(off.ask().replicas == 0);
}

TEST_CASE("none are left only where that is declared and the metric says 0") {
  Site site(2, 0);
  site.autoscaler().metrics = {queue_value(1'000)};
  site.facts.metrics.external.push_back({"queue", {}, {0, kNow, Micros{0}}});
  CHECK(site.ask().replicas == 1);
  site.autoscaler().min = 0;
  CHECK(site.ask().replicas == 0);
  site.facts.metrics.external.clear();
  CHECK_MESSAGE(site.ask().replicas == 2, "no value is not 0");
}

TEST_CASE("from none, the value of the queue starts them again") {
  Site site(0, 0);
  site.autoscaler().min = 0;
  site.autoscaler().metrics = {queue_value(1'000)};
  site.facts.metrics.external.push_back({"queue", {}, {2'500, kNow, Micros{0}}});
  CHECK(site.ask().replicas == 3);
}

TEST_CASE("two autoscalers of the same pods stop each other, but not in 1.20") {
  Site site(4, 600);
  Autoscaler other = site.autoscaler();
  other.name = "zweb";
  site.facts.autoscalers.push_back(other);
  CHECK(site.ask().step == ScaleStep::kAmbiguous);
  CHECK(site.ask().replicas == 4);
  site.settings.compat = Compat::k1_20;
  CHECK(site.ask().replicas == 5);
}

TEST_CASE("the tolerance of an object counts instead of the controller's") {
  Site site(4, 540);
  CHECK(site.ask().replicas == 4);
  site.autoscaler().behavior.emplace().up.tolerance = 0.05;
  CHECK(site.ask().replicas == 5);
}

TEST_CASE("a container without a request, or that is not there, fails the metric") {
  Site site(4, 600);
  site.facts.pods.front().containers.push_back({"log", {}});
  CHECK(site.ask().metrics.front().failure == MetricFailure::kMissingRequest);
  MetricSpec& metric = site.autoscaler().metrics.front();
  metric.kind = MetricKind::kContainerResource;
  metric.container = "main";
  CHECK(site.ask().replicas == 5);
  metric.container = "nobody";
  CHECK(site.ask().metrics.front().failure == MetricFailure::kNoSource);
}

TEST_CASE("restartable init containers and requests of the pod count since 1.36") {
  Site site(4, 600);
  for (ScaledPod& pod : site.facts.pods) pod.sidecars.push_back({"proxy", {{"cpu", 1'000}}});
  CHECK(site.ask().metrics.front().utilization == 30);
  for (ScaledPod& pod : site.facts.pods) pod.pod_requests = Resources{{"cpu", 4'000}};
  CHECK(site.ask().metrics.front().utilization == 15);
  site.settings.compat = Compat::k1_20;
  CHECK(site.ask().metrics.front().utilization == 60);
}

TEST_CASE("a value of a pod that nobody knows is no usage, and is counted") {
  Site site(4, 600);
  PodUsage stray = site.facts.metrics.usage.front();
  stray.name = "ghost";
  stray.labels.set("app", "web");
  site.facts.metrics.usage.push_back(stray);
  const MetricAnswer answer = site.ask().metrics.front();
  CHECK(answer.utilization == 60);
  CHECK(answer.strays == 1);
  CHECK(answer.replicas == 5);
}

TEST_CASE("a workload that is not there, or that does not know its pods, is left alone") {
  Site site(4, 600);
  site.facts.targets.front().has_selector = false;
  CHECK(site.ask().step == ScaleStep::kNoSelector);
  site.autoscaler().target.name = "other";
  const ScaleDecision decision = site.ask();
  CHECK(decision.step == ScaleStep::kNoTarget);
  CHECK(texts(decision) == "AbleToScale=False FailedGetScale;");
}

}  // namespace
