// Embeds the formula of the HorizontalPodAutoscaler: how many pods should there be?
//
// Three pods use 450m, 480m and 510m of the 500m that each requests; the target is 60 %. A fourth
// has no value yet.
// Prints:
//   96 % of the request: 5 replicas, the metrics ask for 5
#include <cstdio>
#include <vector>

#include "gedge/scale/metric.hpp"
#include "gedge/scale/normalize.hpp"

int main() {
  constexpr gedge::UnixSeconds now = 1'000'000;
  std::vector<gedge::SampledPod> pods(4);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    gedge::SampledPod& pod = pods[i];
    pod.phase = gedge::PodPhase::kRunning;
    pod.ready = gedge::ReadyState::kTrue;
    pod.started = pod.ready_since = now - 3'600;
    pod.request = 500;
    pod.has_value = i < 3;
    pod.value = 450 + 30 * static_cast<std::int64_t>(i);
    pod.sampled = now;
  }
  gedge::PodMetricQuestion question;
  question.pods = pods;
  question.is_cpu = true;
  question.current = 4;
  question.target = 60;
  question.now = now;
  const gedge::ScaleSettings settings;
  const gedge::MetricAnswer answer = gedge::answer_utilization(question, settings);
  if (!answer.ok()) return 1;

  // No behavior, no memory: what the metrics ask for, within what may be added at once and 1 to 10.
  gedge::ScaleHistory history;
  const gedge::NormalizedScale scale =
      gedge::normalize({4, answer.replicas, 1, 10}, nullptr, history, now, settings);
  std::printf("%d %% of the request: %d replicas, the metrics ask for %d\n", *answer.utilization,
              scale.replicas, answer.replicas);
  return 0;
}
