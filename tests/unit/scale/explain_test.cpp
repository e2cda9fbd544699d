#include "gedge/scale/explain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace {

using namespace gedge;

constexpr UnixSeconds kNow = 1'000'000;

// A Deployment of four pods with one core each, and an autoscaler at 50 percent.
ScaleFacts site(std::int64_t cpu_milli) {
  ScaleFacts facts;
  ScaleTarget target;
  target.kind = "Deployment";
  target.name = "web";
  target.spec_replicas = target.status_replicas = 4;
  target.selector = *parse_selector("app=web");
  target.has_selector = true;
  facts.targets.push_back(target);
  for (int i = 0; i < 4; ++i) {
    ScaledPod pod;
    pod.name = "web-" + std::to_string(i);
    pod.labels.set("app", "web");
    pod.phase = PodPhase::kRunning;
    pod.ready = ReadyState::kTrue;
    pod.started = pod.ready_since = kNow - 10'000;
    pod.containers.push_back({"main", {{"cpu", 1'000}}});
    facts.pods.push_back(pod);
    PodUsage usage;
    usage.name = pod.name;
    usage.at = kNow;
    usage.containers.push_back({"main", {{"cpu", cpu_milli}}});
    facts.metrics.usage.push_back(usage);
  }
  Autoscaler autoscaler;
  autoscaler.name = "web";
  autoscaler.target = {"apps/v1", "Deployment", "web"};
  autoscaler.max = 10;
  MetricSpec metric;
  metric.name = "cpu";
  metric.amount = 50;
  autoscaler.metrics.push_back(metric);
  facts.autoscalers.push_back(autoscaler);
  return facts;
}

ScaleExplanation explain(const ScaleFacts& facts, const ScaleHistory& history) {
  const WorkloadIndex index(facts);
  return explain_scale(facts.autoscalers.front(), index, history, kNow, {});
}

const ScaleHistory kOld{{{1, kNow - 3'600}}, {}, {}};

const ScaleHint* hint(const ScaleExplanation& explanation, ScaleHintKind kind) {
  const auto at = std::find_if(explanation.hints.begin(), explanation.hints.end(),
                               [&](const ScaleHint& h) { return h.kind == kind; });
  return at == explanation.hints.end() ? nullptr : &*at;
}

TEST_CASE("within the tolerance, both ends of it are named, and they hold") {
  const ScaleExplanation kept = explain(site(500), kOld);
  const ScaleHint* const up = hint(kept, ScaleHintKind::kMetricRises);
  const ScaleHint* const down = hint(kept, ScaleHintKind::kMetricFalls);
  REQUIRE(up != nullptr);
  REQUIRE(down != nullptr);
  CHECK(up->amount == 56);
  CHECK_MESSAGE(down->amount == 37, "three quarters of the target: 44 percent still ask for 4");
  for (const ScaleHint* each : {up, down}) {
    CHECK(explain(site(10 * each->amount), kOld).decision.proposal == each->replicas);
    const std::int64_t inside = each == up ? each->amount - 1 : each->amount + 1;
    CHECK(explain(site(10 * inside), kOld).decision.proposal == 4);
  }
}

TEST_CASE("outside of it, the way back is named") {
  const ScaleHint* back = nullptr;
  const ScaleExplanation busy = explain(site(800), kOld), idle = explain(site(100), kOld);
  back = hint(busy, ScaleHintKind::kMetricFalls);
  REQUIRE(back != nullptr);
  CHECK(back->amount == 55);
  CHECK(back->replicas == 4);
  back = hint(idle, ScaleHintKind::kMetricRises);
  REQUIRE(back != nullptr);
  CHECK(back->amount == 38);
}

TEST_CASE("a window says how long it takes, and then it is over") {
  const ScaleHistory history{{{4, kNow - 100}}, {}, {}};
  const ScaleExplanation held = explain(site(100), history);
  CHECK(held.decision.replicas == 4);
  const ScaleHint* const wait = hint(held, ScaleHintKind::kWindowPasses);
  REQUIRE(wait != nullptr);
  CHECK(wait->replicas == 1);
  const ScaleFacts facts = site(100);
  const WorkloadIndex index(facts);
  const auto replicas_at = [&](std::int64_t seconds) {
    ScaleHistory memory = history;
    return reconcile(facts.autoscalers.front(), index, memory, kNow + seconds, {}).replicas;
  };
  CHECK(replicas_at(wait->amount - 1) == 4);
  CHECK(replicas_at(wait->amount) == 1);
}

TEST_CASE("a bound says what there would be without it") {
  ScaleFacts facts = site(900);
  facts.autoscalers.front().max = 6;
  const ScaleExplanation bounded = explain(facts, kOld);
  REQUIRE(hint(bounded, ScaleHintKind::kMaxRises) != nullptr);
  CHECK(hint(bounded, ScaleHintKind::kMaxRises)->replicas == 8);
  facts.autoscalers.front().max = 50;
  for (PodUsage& usage : facts.metrics.usage) usage.containers[0].milli[0].second = 2'000;
  REQUIRE(hint(explain(facts, kOld), ScaleHintKind::kPeriodPasses) != nullptr);
  CHECK(hint(explain(facts, kOld), ScaleHintKind::kPeriodPasses)->replicas == 16);
}

TEST_CASE("what each pod counts as is listed, and the memory stays as it was") {
  ScaleFacts facts = site(500);
  facts.pods[1].phase = PodPhase::kPending;
  facts.metrics.usage.pop_back();
  const ScaleExplanation explanation = explain(facts, kOld);
  REQUIRE(explanation.pods.size() == 1);
  REQUIRE(explanation.pods[0].size() == 4);
  CHECK(explanation.pods[0][0].group == PodGroupKind::kReady);
  CHECK(explanation.pods[0][0].milli == 500);
  CHECK(explanation.pods[0][0].request_milli == 1'000);
  CHECK(explanation.pods[0][1].group == PodGroupKind::kUnready);
  CHECK(explanation.pods[0][3].group == PodGroupKind::kMissing);
  CHECK_FALSE(explanation.pods[0][3].milli);
}

TEST_CASE("the latest time of the facts is that of the newest sample") {
  CHECK(latest_time(site(1)) == kNow);
  CHECK(latest_time({}) == 0);
}

}  // namespace
