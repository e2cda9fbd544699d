#include "scale/load_look.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gedge/scale/reconcile.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMostLooks = 10'000'000;
constexpr std::int32_t kMostReplicas = 1'000'000;  // each of them is kept, and looked at

// The autoscaler stands in a file that whoever read it knows.
Error invalid_autoscaler(const Autoscaler& autoscaler, const std::string& what, std::string hint) {
  Error error = invalid_input("autoscaler '" + autoscaler.name + "' " + what, {}, std::move(hint));
  error.where.line = static_cast<int>(autoscaler.place.line);
  error.where.column = static_cast<int>(autoscaler.place.column);
  return error;
}

std::vector<SampledPod> views(const LoadNow& now, const LoadSetting& setting) {
  SampledPod pod;
  pod.phase = PodPhase::kRunning;
  pod.ready = ReadyState::kTrue;
  pod.started = pod.ready_since = kNoTime / 2;
  pod.sampled = now.now;
  pod.has_value = true;
  pod.value = now.ready > 0 ? now.demand_milli / now.ready : 0;
  pod.request = setting.request_milli;
  std::vector<SampledPod> all(static_cast<std::size_t>(now.ready), pod);
  pod.phase = PodPhase::kPending;
  pod.has_value = false;
  all.insert(all.end(), static_cast<std::size_t>(now.starting), pod);
  return all;
}

}  // namespace

MetricAnswer LoadLook::ask(const LoadNow& now) const {
  const MetricSpec& metric = setting_.autoscaler.metrics.front();
  const std::vector<SampledPod> pods = views(now, setting_);
  PodMetricQuestion question;
  question.pods = pods;
  question.current = now.ready + now.starting;
  question.target = metric.amount;
  question.tolerances = tolerances_of(setting_.autoscaler, settings_);
  question.now = now.now;
  const bool is_whole = metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal;
  if (metric.target == TargetKind::kUtilization) return answer_utilization(question, settings_);
  if (!is_whole) return answer_average(question, settings_);
  if (metric.target == TargetKind::kAverageValue)
    return answer_per_replica(now.demand_milli, question.current, metric.amount,
                              question.tolerances, settings_.compat);
  return answer_value(now.ready > 0 ? now.demand_milli / now.ready : 0, question, settings_.compat);
}

std::int32_t LoadLook::bounded(std::int32_t proposal, std::int32_t current, UnixSeconds now) {
  const Autoscaler& autoscaler = setting_.autoscaler;
  if (setting_.cooldown) {
    const std::int32_t bound = std::clamp(proposal, autoscaler.min, autoscaler.max);
    const std::int64_t wait = bound > current ? setting_.cooldown->out_s : setting_.cooldown->in_s;
    const UnixSeconds since = changed_ != kNoTime ? changed_
                              : bound > current   ? now - wait
                                                  : begin_;
    return now - since >= wait ? bound : current;
  }
  const ScalingBehavior* const behavior = autoscaler.behavior ? &*autoscaler.behavior : nullptr;
  if (history_.recommendations.empty()) history_.recommendations.push_back({current, now});
  const ScaleBounds bounds{current, std::max(proposal, 0), autoscaler.min, autoscaler.max};
  const std::int32_t then = normalize(bounds, behavior, history_, now, settings_).replicas;
  if (then != current) record_change(current, then, behavior, history_, now);
  return then;
}

std::int32_t LoadLook::wanted(const LoadNow& now) {
  const std::int32_t current = now.ready + now.starting;
  const MetricAnswer answer = ask(now);
  if (!answer.ok()) return current;
  const std::int32_t then = bounded(answer.replicas, current, now.now);
  if (then != current) changed_ = now.now;
  return then;
}

Result<std::int64_t> load_target(const LoadSeries& series, const LoadSetting& setting) {
  const Autoscaler& autoscaler = setting.autoscaler;
  if (series.empty()) return invalid_input("a load without values");
  if (autoscaler.metrics.size() != 1)
    return invalid_autoscaler(autoscaler,
                              "has " + std::to_string(autoscaler.metrics.size()) + " metrics",
                              "one series is one metric: leave one of them");
  if (autoscaler.max > kMostReplicas)
    return invalid_autoscaler(
        autoscaler, "may have " + std::to_string(autoscaler.max) + " replicas",
        "at most " + std::to_string(kMostReplicas) + " are played: write a smaller one");
  const MetricSpec& metric = autoscaler.metrics.front();
  std::int64_t target = metric.amount;
  if (metric.target == TargetKind::kUtilization) {
    if (setting.request_milli <= 0)
      return invalid_autoscaler(autoscaler, "aims at a utilization",
                                "say what a pod requests: `--request 500m`");
    if (__builtin_mul_overflow(target, setting.request_milli, &target))
      return invalid_input("a target beyond 64 bits");
    target = std::max<std::int64_t>(target / 100, 1);
  }
  if (setting.every_s <= 0 || (series.back().at - series.front().at) / setting.every_s > kMostLooks)
    return invalid_input("a load of more than ten million looks", {},
                         "look less often, or cut the load");
  return target;
}

UnixSeconds end_of(const LoadSeries& series, const LoadSetting& setting) {
  const std::size_t last = series.size() - 1;
  const std::int64_t tail = last > 0 ? series[last].at - series[last - 1].at : setting.every_s;
  return series[last].at + tail;
}

std::int32_t first_replicas(const LoadSeries& series, const LoadSetting& setting,
                            std::int64_t target_milli) {
  const Autoscaler& autoscaler = setting.autoscaler;
  const std::int32_t needed = pods_for(series.front().milli, target_milli);
  return std::clamp(setting.first > 0 ? setting.first : needed, std::max(autoscaler.min, 1),
                    autoscaler.max);
}

}  // namespace gedge
