#include "gedge/scale/reconcile.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace gedge {
namespace {

// Of metrics that fail the first one gives the reason. 1.20 sees every object as v1, where a
// utilization of cpu has a field of its own and comes behind the others.
bool comes_last(const MetricSpec& metric, Compat compat) {
  return compat == Compat::k1_20 && metric.kind == MetricKind::kResource && metric.name == kCpu &&
         metric.target == TargetKind::kUtilization;
}

class Look {
 public:
  Look(const Autoscaler& autoscaler, const WorkloadIndex& index, UnixSeconds now,
       const ScaleSettings& settings)
      : autoscaler_(autoscaler), index_(index), now_(now), settings_(settings) {}

  ScaleDecision decide(ScaleHistory& history);

 private:
  void say(ScaleConditionType type, bool is_true, ScaleReason reason) {
    set_condition(decision_.conditions, {type, is_true, reason});
  }
  void say_inactive(ScaleReason reason, ScaleStep step) {
    decision_.step = step;
    say(ScaleConditionType::kScalingActive, false, reason);
  }
  bool is_stale(UnixSeconds at) const {
    return settings_.max_age_s && (at > now_ || now_ - at > *settings_.max_age_s);
  }
  bool ask_metrics(const ScaleTarget& target);
  MetricAnswer ask(const MetricSpec& metric, const ScaleTarget& target,
                   std::span<const std::uint32_t> pods) const;
  std::optional<std::size_t> ask_all(const ScaleTarget& target,
                                     std::span<const std::uint32_t> pods);
  MetricAnswer ask_whole(const MetricSpec& metric, const ScaleTarget& target,
                         PodMetricQuestion& question) const;
  void normalize_proposal(ScaleHistory& history);

  const Autoscaler& autoscaler_;
  const WorkloadIndex& index_;
  UnixSeconds now_;
  const ScaleSettings& settings_;
  ScaleDecision decision_;
};

MetricAnswer failed(MetricFailure failure) {
  MetricAnswer answer;
  answer.failure = failure;
  return answer;
}

// A value of an object or of the world outside.
MetricAnswer Look::ask_whole(const MetricSpec& metric, const ScaleTarget& target,
                             PodMetricQuestion& question) const {
  std::int64_t value = 0;
  if (metric.kind == MetricKind::kObject) {
    const ObjectMetric* const found = index_.object_value(metric, target.namespace_name);
    if (found == nullptr || is_stale(found->sample.at)) return failed(MetricFailure::kNoSource);
    value = found->sample.milli;
  } else {
    // A sum without what is too old would be too small.
    const auto sum = index_.external_value(metric);
    if (!sum || is_stale(sum->oldest) || is_stale(sum->newest))
      return failed(MetricFailure::kNoSource);
    value = sum->milli;
  }
  if (metric.target == TargetKind::kValue) return answer_value(value, question, settings_.compat);
  return answer_per_replica(value, target.status_replicas, metric.amount, question.tolerances,
                            settings_.compat);
}

MetricAnswer Look::ask(const MetricSpec& metric, const ScaleTarget& target,
                       std::span<const std::uint32_t> pods) const {
  const auto values = index_.values_of(metric, target, pods, settings_.compat);
  PodMetricQuestion question;
  question.pods = values.pods;
  question.strays = values.strays;
  question.current = target.spec_replicas;
  question.target = metric.amount;
  question.tolerances = tolerances_of(autoscaler_, settings_);
  question.now = now_;
  const bool is_whole = metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal;
  if (is_whole) return ask_whole(metric, target, question);
  if (!values.any || values.broken) return failed(MetricFailure::kNoSource);
  question.is_cpu = metric.kind != MetricKind::kPodMetric && metric.name == kCpu;
  return metric.target == TargetKind::kUtilization ? answer_utilization(question, settings_)
                                                   : answer_average(question, settings_);
}

// The first one that failed.
std::optional<std::size_t> Look::ask_all(const ScaleTarget& target,
                                         std::span<const std::uint32_t> pods) {
  const std::vector<MetricSpec>& metrics = autoscaler_.metrics;
  std::optional<std::size_t> first_failed;
  decision_.metrics.resize(metrics.size());
  for (const bool is_last : {false, true}) {
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (comes_last(metrics[i], settings_.compat) != is_last) continue;
      const MetricAnswer& answer = decision_.metrics[i] = ask(metrics[i], target, pods);
      if (!answer.ok()) {
        if (!first_failed) first_failed = i;
      } else if (decision_.proposal == 0 || answer.replicas > decision_.proposal) {
        decision_.proposal = answer.replicas;
        decision_.deciding = i;
      }
    }
  }
  return first_failed;
}

// False: nothing may be changed.
bool Look::ask_metrics(const ScaleTarget& target) {
  if (!target.has_selector || target.selector.requirements.empty())
    return say_inactive(ScaleReason::kInvalidSelector, ScaleStep::kNoSelector), false;
  std::vector<std::uint32_t> room;
  const std::span<const std::uint32_t> pods = index_.pods_of(target, room);
  const bool is_shared = std::any_of(
      pods.begin(), pods.end(), [&](std::uint32_t pod) { return index_.autoscalers_of(pod) > 1; });
  if (is_shared && settings_.compat != Compat::k1_20)
    return say_inactive(ScaleReason::kAmbiguousSelector, ScaleStep::kAmbiguous), false;
  const std::optional<std::size_t> first_failed = ask_all(target, pods);
  const bool freezes = settings_.compat != Compat::k1_20 && first_failed.has_value() &&
                       decision_.proposal < target.spec_replicas;
  if (!decision_.deciding || freezes) {
    const ScaleStep step = decision_.deciding ? ScaleStep::kFrozen : ScaleStep::kMetricsFailed;
    const std::size_t culprit = first_failed.value_or(0);
    say_inactive(failure_reason(autoscaler_.metrics[culprit].kind), step);
    return false;
  }
  say(ScaleConditionType::kScalingActive, true, ScaleReason::kValidMetricFound);
  return true;
}

void Look::normalize_proposal(ScaleHistory& history) {
  const ScalingBehavior* const behavior = autoscaler_.behavior ? &*autoscaler_.behavior : nullptr;
  // A metric below zero asks for none.
  decision_.proposal = std::max(decision_.proposal, 0);
  const ScaleBounds bounds{decision_.current, decision_.proposal, autoscaler_.min, autoscaler_.max};
  decision_.step = ScaleStep::kComputed;
  decision_.normalized = normalize(bounds, behavior, history, now_, settings_);
  set_condition(decision_.conditions, decision_.normalized->able);
  set_condition(decision_.conditions, decision_.normalized->limited);
  decision_.replicas = decision_.normalized->replicas;
}

ScaleDecision Look::decide(ScaleHistory& history) {
  constexpr std::size_t kTypes = 3;  // of conditions
  decision_.conditions.reserve(kTypes);
  const ScaleTarget* const target = index_.target_of(autoscaler_);
  if (target == nullptr) {
    say(ScaleConditionType::kAbleToScale, false, ScaleReason::kFailedGetScale);
    return std::move(decision_);
  }
  say(ScaleConditionType::kAbleToScale, true, ScaleReason::kSucceededGetScale);
  const std::int32_t current = decision_.current = decision_.replicas = target->spec_replicas;
  if (history.recommendations.empty()) history.recommendations.push_back({current, now_});
  if (current == 0 && autoscaler_.min != 0) {
    say_inactive(ScaleReason::kScalingDisabled, ScaleStep::kDisabled);
  } else if (current > autoscaler_.max) {
    decision_.step = ScaleStep::kAboveMax;
    decision_.replicas = autoscaler_.max;
  } else if (current < autoscaler_.min) {
    decision_.step = ScaleStep::kBelowMin;
    decision_.replicas = autoscaler_.min;
  } else if (ask_metrics(*target)) {
    normalize_proposal(history);
  }
  if (decision_.rescales()) {
    say(ScaleConditionType::kAbleToScale, true, ScaleReason::kSucceededRescale);
    record_change(current, decision_.replicas,
                  autoscaler_.behavior ? &*autoscaler_.behavior : nullptr, history, now_);
  }
  return std::move(decision_);
}

}  // namespace

ScaleReason failure_reason(MetricKind kind) {
  switch (kind) {
    case MetricKind::kResource:
      return ScaleReason::kFailedGetResourceMetric;
    case MetricKind::kContainerResource:
      return ScaleReason::kFailedGetContainerResourceMetric;
    case MetricKind::kPodMetric:
      return ScaleReason::kFailedGetPodsMetric;
    case MetricKind::kObject:
      return ScaleReason::kFailedGetObjectMetric;
    case MetricKind::kExternal:
      break;
  }
  return ScaleReason::kFailedGetExternalMetric;
}

Tolerances tolerances_of(const Autoscaler& autoscaler, const ScaleSettings& settings) {
  Tolerances tolerances{settings.tolerance, settings.tolerance};
  if (!autoscaler.behavior || settings.compat == Compat::k1_20) return tolerances;
  tolerances.down = autoscaler.behavior->down.tolerance.value_or(tolerances.down);
  tolerances.up = autoscaler.behavior->up.tolerance.value_or(tolerances.up);
  return tolerances;
}

ScaleDecision reconcile(const Autoscaler& autoscaler, const WorkloadIndex& index,
                        ScaleHistory& history, UnixSeconds now, const ScaleSettings& settings) {
  return Look(autoscaler, index, now, settings).decide(history);
}

}  // namespace gedge
