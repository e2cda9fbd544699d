#include "gedge/scale/load_run.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "gedge/scale/metric.hpp"
#include "gedge/scale/reconcile.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMostLooks = 10'000'000;
constexpr UnixSeconds kNoTime = std::numeric_limits<UnixSeconds>::min();

class Loop {
 public:
  Loop(const LoadSeries& series, const LoadSetting& setting, const ScaleSettings& settings,
       std::int64_t target_milli)
      : series_(series), setting_(setting), settings_(settings) {
    run_.name = setting.name;
    run_.target_milli = target_milli;
    run_.begin = series.front().at;
    // The last point counts as long as the one before did.
    const std::size_t last = series.size() - 1;
    const std::int64_t tail = last > 0 ? series[last].at - series[last - 1].at : setting.every_s;
    run_.end = series[last].at + tail;
    const Autoscaler& autoscaler = setting.autoscaler;
    const std::int32_t needed = pods_for(series.front().milli, target_milli);
    ready_ = std::clamp(setting.first > 0 ? setting.first : needed, std::max(autoscaler.min, 1),
                        autoscaler.max);
    run_.most = run_.fewest = ready_;
    now_ = run_.begin;
    changed_ = kNoTime;
  }

  LoadRun run() {
    demand_ = series_.front().milli;
    note();
    for (UnixSeconds look = run_.begin + setting_.every_s; look < run_.end;
         look += setting_.every_s) {
      pass_until(look);
      decide();
    }
    pass_until(run_.end);
    return std::move(run_);
  }

 private:
  std::int32_t replicas() const { return ready_ + static_cast<std::int32_t>(starting_.size()); }
  bool is_short() const { return pods_for(demand_, run_.target_milli) > ready_; }

  void note() {
    const LoadStep step{now_, demand_, replicas(), ready_};
    if (!run_.steps.empty() && run_.steps.back().at == now_)
      run_.steps.back() = step;
    else
      run_.steps.push_back(step);
    if (is_short() && short_since_ == kNoTime) short_since_ = now_;
    if (is_short() || short_since_ == kNoTime) return;
    run_.reactions_s.push_back(now_ - short_since_);
    short_since_ = kNoTime;
  }

  void pass(UnixSeconds until) {
    run_.replica_seconds += replicas() * (until - now_);
    if (is_short()) run_.short_seconds += until - now_;
    now_ = until;
  }

  // Pods become ready and the demand changes on the way.
  void pass_until(UnixSeconds until) {
    for (;;) {
      const bool has_point = next_ < series_.size();
      const UnixSeconds point = has_point ? series_[next_].at : until + 1;
      const UnixSeconds start = starting_.empty() ? until + 1 : starting_.front();
      const UnixSeconds first = std::min(point, start);
      if (first > until) break;
      pass(first);
      for (; next_ < series_.size() && series_[next_].at == now_; ++next_)
        demand_ = series_[next_].milli;
      for (; !starting_.empty() && starting_.front() <= now_; starting_.pop_front()) ++ready_;
      note();
    }
    pass(until);
  }

  std::vector<SampledPod> views() const {
    SampledPod pod;
    pod.phase = PodPhase::kRunning;
    pod.ready = ReadyState::kTrue;
    pod.started = pod.ready_since = kNoTime / 2;
    pod.sampled = now_;
    pod.has_value = true;
    pod.value = ready_ > 0 ? demand_ / ready_ : 0;
    pod.request = setting_.request_milli;
    std::vector<SampledPod> all(static_cast<std::size_t>(ready_), pod);
    pod.phase = PodPhase::kPending;
    pod.has_value = false;
    all.insert(all.end(), starting_.size(), pod);
    return all;
  }

  MetricAnswer ask() const {
    const MetricSpec& metric = setting_.autoscaler.metrics.front();
    const std::vector<SampledPod> pods = views();
    PodMetricQuestion question;
    question.pods = pods;
    question.current = replicas();
    question.target = metric.amount;
    question.tolerances = tolerances_of(setting_.autoscaler, settings_);
    question.now = now_;
    const bool is_whole =
        metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal;
    if (metric.target == TargetKind::kUtilization) return answer_utilization(question, settings_);
    if (!is_whole) return answer_average(question, settings_);
    if (metric.target == TargetKind::kAverageValue)
      return answer_per_replica(demand_, replicas(), metric.amount, question.tolerances,
                                settings_.compat);
    return answer_value(ready_ > 0 ? demand_ / ready_ : 0, question, settings_.compat);
  }

  std::int32_t wanted(std::int32_t proposal) {
    const Autoscaler& autoscaler = setting_.autoscaler;
    const std::int32_t current = replicas();
    if (setting_.cooldown) {
      const std::int32_t bound = std::clamp(proposal, autoscaler.min, autoscaler.max);
      const std::int64_t wait =
          bound > current ? setting_.cooldown->out_s : setting_.cooldown->in_s;
      const UnixSeconds since = changed_ != kNoTime ? changed_
                                : bound > current   ? now_ - wait
                                                    : run_.begin;
      return now_ - since >= wait ? bound : current;
    }
    const ScalingBehavior* const behavior = autoscaler.behavior ? &*autoscaler.behavior : nullptr;
    if (history_.recommendations.empty()) history_.recommendations.push_back({current, now_});
    const ScaleBounds bounds{current, std::max(proposal, 0), autoscaler.min, autoscaler.max};
    const std::int32_t then = normalize(bounds, behavior, history_, now_, settings_).replicas;
    if (then != current) record_change(current, then, behavior, history_, now_);
    return then;
  }

  void decide() {
    const MetricAnswer answer = ask();
    if (!answer.ok()) return;
    const std::int32_t current = replicas(), then = wanted(answer.replicas);
    if (then == current) return;
    changed_ = now_;
    ++(then > current ? run_.outs : run_.ins);
    for (std::int32_t i = current; i < then; ++i) starting_.push_back(now_ + setting_.startup_s);
    for (std::int32_t i = then; i < current; ++i) {
      if (starting_.empty())
        --ready_;
      else
        starting_.pop_back();
    }
    for (; !starting_.empty() && starting_.front() <= now_; starting_.pop_front()) ++ready_;
    run_.most = std::max(run_.most, then);
    run_.fewest = std::min(run_.fewest, then);
    note();
  }

  const LoadSeries& series_;
  const LoadSetting& setting_;
  const ScaleSettings& settings_;
  LoadRun run_;
  ScaleHistory history_;
  std::deque<UnixSeconds> starting_;  // when each is ready
  std::int32_t ready_ = 0;
  std::int64_t demand_ = 0;
  std::size_t next_ = 1;
  UnixSeconds now_ = 0, changed_ = kNoTime, short_since_ = kNoTime;
};

}  // namespace

std::int32_t pods_for(std::int64_t demand_milli, std::int64_t target_milli) {
  const std::int64_t pods =
      demand_milli / target_milli + (demand_milli % target_milli != 0 ? 1 : 0);
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(pods, std::numeric_limits<std::int32_t>::max()));
}

Result<LoadRun> run_load(const LoadSeries& series, const LoadSetting& setting,
                         const ScaleSettings& settings) {
  const Autoscaler& autoscaler = setting.autoscaler;
  if (series.empty()) return invalid_input("a load without values");
  if (autoscaler.metrics.size() != 1)
    return invalid_input("autoscaler '" + autoscaler.name + "' has " +
                             std::to_string(autoscaler.metrics.size()) + " metrics",
                         {}, "one series is one metric: leave one of them");
  const MetricSpec& metric = autoscaler.metrics.front();
  std::int64_t target = metric.amount;
  if (metric.target == TargetKind::kUtilization) {
    if (setting.request_milli <= 0)
      return invalid_input("autoscaler '" + autoscaler.name + "' aims at a utilization", {},
                           "say what a pod requests: `--request 500m`");
    if (__builtin_mul_overflow(target, setting.request_milli, &target))
      return invalid_input("a target beyond 64 bits");
    target = std::max<std::int64_t>(target / 100, 1);
  }
  if (setting.every_s <= 0 || (series.back().at - series.front().at) / setting.every_s > kMostLooks)
    return invalid_input("a load of more than ten million looks", {},
                         "look less often, or cut the load");
  return Loop(series, setting, settings, target).run();
}

}  // namespace gedge
