// The formula of 1.36: what 1.20 answers is in tests/conformance/hpa_test.cpp.
#include "gedge/scale/metric.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace gedge;

constexpr UnixSeconds kNow = 1'000'000;
constexpr std::int64_t kRequest = 1'000;

// Runs for long, is ready, and was measured.
SampledPod ready_at(std::int64_t milli) {
  SampledPod pod;
  pod.phase = PodPhase::kRunning;
  pod.ready = ReadyState::kTrue;
  pod.started = pod.ready_since = kNow - 10'000;
  pod.value = milli;
  pod.request = kRequest;
  pod.sampled = kNow - 10;
  pod.window = std::chrono::seconds(30);
  pod.has_value = true;
  return pod;
}

SampledPod missing() {
  SampledPod pod = ready_at(0);
  pod.has_value = false;
  return pod;
}

SampledPod unready() {
  SampledPod pod = ready_at(500);
  pod.phase = PodPhase::kPending;
  return pod;
}

std::vector<SampledPod> pods(std::size_t count, const SampledPod& pod,
                             const std::vector<SampledPod>& others = {}) {
  std::vector<SampledPod> all(count, pod);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

MetricAnswer ask(const std::vector<SampledPod>& pods, std::int32_t current,
                 std::int64_t target = 50, Compat compat = Compat::k1_36) {
  PodMetricQuestion question;
  question.pods = pods;
  question.is_cpu = true;
  question.current = current;
  question.target = target;
  question.now = kNow;
  ScaleSettings settings;
  settings.compat = compat;
  return answer_utilization(question, settings);
}

MetricAnswer ask_average(const std::vector<SampledPod>& pods, std::int32_t current,
                         std::int64_t target, Compat compat = Compat::k1_36) {
  PodMetricQuestion question;
  question.pods = pods;
  question.current = current;
  question.target = target;
  question.now = kNow;
  ScaleSettings settings;
  settings.compat = compat;
  return answer_average(question, settings);
}

TEST_CASE("V18: four pods at 600m of 1000m and a target of 50 percent become five") {
  const MetricAnswer more = ask(pods(4, ready_at(600)), 4);
  CHECK(more.replicas == 5);
  CHECK(more.utilization == 60);
  CHECK(more.rule == MetricRule::kRatio);
  const MetricAnswer same = ask(pods(4, ready_at(540)), 4);
  CHECK(same.replicas == 4);
  CHECK(same.rule == MetricRule::kWithinTolerance);
}

TEST_CASE("V19: utilization is a whole percent, and both ends of the tolerance are inside") {
  const auto ten = pods(9, ready_at(554), {ready_at(563)});
  CHECK(ask(ten, 10).utilization == 55);
  CHECK(ask(ten, 10).replicas == 10);
  CHECK_MESSAGE(ask(ten, 10, 50, Compat::k1_20).replicas == 11, "1.1 lies outside in 1.20");
}

TEST_CASE("V20: a missing pod counts as its whole request on the way down") {
  const MetricAnswer answer = ask(pods(3, ready_at(300), {missing()}), 4);
  CHECK(answer.replicas == 4);
  CHECK(answer.ratio == doctest::Approx(0.6));
  CHECK(answer.filled_ratio == doctest::Approx(0.94));
  CHECK(answer.rule == MetricRule::kFilledWithin);
}

TEST_CASE("V21: a missing pod counts as nothing on the way up") {
  const MetricAnswer answer = ask(pods(3, ready_at(800), {missing()}), 4);
  CHECK(answer.replicas == 5);
  CHECK(answer.filled_ratio == doctest::Approx(1.2));
}

TEST_CASE("V22: unready pods that turn the ratio keep the replicas") {
  const MetricAnswer answer = ask(pods(2, ready_at(900), {unready(), unready()}), 4);
  CHECK(answer.replicas == 4);
  CHECK(answer.ratio == doctest::Approx(1.8));
  CHECK(answer.filled_ratio == doctest::Approx(0.9));
}

TEST_CASE("V23: unready pods vanish on the way down") {
  const MetricAnswer answer = ask(pods(4, ready_at(100), {unready(), unready()}), 6);
  CHECK(answer.replicas == 1);
  CHECK(answer.ready == 4);
  CHECK(answer.unready == 2);
}

TEST_CASE("a target above 100 percent fills missing pods with the target, but not in 1.20") {
  const auto four = pods(3, ready_at(600), {missing()});
  CHECK(ask(four, 4, 200).filled_ratio == doctest::Approx(0.475));
  CHECK(ask(four, 4, 200, Compat::k1_20).filled_ratio == doctest::Approx(0.35));
}

TEST_CASE("an average that is met exactly leaves missing pods out, but not in 1.20") {
  const auto four = pods(3, ready_at(500), {missing()});
  CHECK(ask_average(four, 4, 500).replicas == 4);
  CHECK(ask_average(four, 4, 500).filled_ratio == doctest::Approx(1.0));
  CHECK(ask_average(four, 4, 500, Compat::k1_20).filled_ratio == doctest::Approx(0.75));
}

TEST_CASE("the number of values does not turn the direction of an average since 1.36") {
  // Ten pods although the scale says two: the ratio points down, three of them would be more.
  const auto ten = pods(9, ready_at(20), {missing()});
  CHECK(ask_average(ten, 2, 100, Compat::k1_20).replicas == 3);
  CHECK(ask_average(ten, 2, 100).replicas == 2);
  CHECK(ask_average(ten, 2, 100).rule == MetricRule::kFilledGoesAgainst);
}

TEST_CASE("a pod that starts is not believed, one that was ready before is") {
  ScaleSettings settings;
  SampledPod pod = ready_at(100);
  pod.started = kNow - 100;
  pod.ready_since = kNow - 20;
  const auto group = [&] { return group_of(pod, true, kNow, settings); };
  CHECK_MESSAGE(group() == PodGroupKind::kUnready, "the window began before it was ready");
  pod.ready_since = kNow - 60;
  CHECK(group() == PodGroupKind::kReady);
  CHECK(group_of(pod, false, kNow, settings) == PodGroupKind::kReady);
  pod.ready = ReadyState::kFalse;
  CHECK(group() == PodGroupKind::kUnready);
  pod.started = kNow - 1'000;
  CHECK_MESSAGE(group() == PodGroupKind::kReady, "it was ready, and is not any more");
  pod.ready_since = kNow - 990;
  CHECK_MESSAGE(group() == PodGroupKind::kUnready, "it never was ready");
  pod.deleting = true;
  CHECK(group() == PodGroupKind::kLeftOut);
}

TEST_CASE("with an age limit, old samples and those of the future are missing") {
  ScaleSettings settings;
  SampledPod pod = ready_at(100);
  pod.sampled = kNow - 61;
  CHECK(group_of(pod, true, kNow, settings) == PodGroupKind::kReady);
  settings.max_age_s = 60;
  CHECK(group_of(pod, true, kNow, settings) == PodGroupKind::kMissing);
  pod.sampled = kNow + 1;
  CHECK(group_of(pod, true, kNow, settings) == PodGroupKind::kMissing);
  pod.sampled = kNow;
  CHECK(group_of(pod, true, kNow, settings) == PodGroupKind::kReady);
}

TEST_CASE("a metric that cannot be answered says so and asks for nothing") {
  CHECK(ask({}, 3).failure == MetricFailure::kNoPods);
  CHECK(ask(pods(2, missing()), 3).failure == MetricFailure::kNoReadyPods);
  SampledPod pod = ready_at(10);
  pod.has_request = false;
  CHECK(ask(pods(2, pod), 3).failure == MetricFailure::kMissingRequest);
  pod.has_request = true;
  pod.request = 0;
  CHECK(ask(pods(2, pod), 3).failure == MetricFailure::kNoKnownPods);
}

TEST_CASE("amounts beyond 64 bits are capped and never come out small") {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  CHECK(ask(pods(3, ready_at(kHuge)), 3).utilization == kMost);
  CHECK(ask(pods(3, ready_at(kHuge)), 3).replicas > 100'000'000);
  CHECK(ask_average(pods(3, ready_at(kHuge)), 3, 1).replicas == kMost);
  CHECK(answer_per_replica(kHuge, 2, 1, {}, Compat::k1_36).replicas == kMost);
  CHECK(to_replicas(1e300) == kMost);
  CHECK(to_replicas(-1e300) == -kMost);
}

TEST_CASE("the value of an object is shared by the pods that are ready") {
  PodMetricQuestion question;
  const auto three = pods(2, ready_at(0), {unready()});
  question.pods = three;
  question.current = 3;
  question.target = 1'000;
  CHECK(answer_value(2'500, question, Compat::k1_36).replicas == 5);
  CHECK(answer_value(1'100, question, Compat::k1_36).replicas == 3);
  question.current = 0;
  CHECK_MESSAGE(answer_value(2'500, question, Compat::k1_36).replicas == 3, "from none: no pods");
  CHECK(answer_value(0, question, Compat::k1_36).replicas == 0);
}

TEST_CASE("a value for each replica is divided by its target") {
  const MetricAnswer answer = answer_per_replica(10'500, 3, 1'000, {}, Compat::k1_36);
  CHECK(answer.replicas == 11);
  CHECK(answer.average_milli == 3'500);
  CHECK(answer_per_replica(3'100, 3, 1'000, {}, Compat::k1_36).replicas == 3);
  CHECK(answer_per_replica(3'100, 3, 1'000, {0.1, 0.02}, Compat::k1_36).replicas == 4);
}

}  // namespace
