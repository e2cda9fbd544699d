#include "gedge/scale/metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gedge {
namespace {

using Limits = std::numeric_limits<std::int64_t>;
__extension__ using Wide = __int128;  // products of two amounts

struct Totals {
  std::int64_t usage = 0, request = 0;
  std::int32_t values = 0;  // of pods and of strays
};

std::int64_t clamp64(Wide value) {
  if (value > Limits::max()) return Limits::max();
  return value < Limits::min() ? Limits::min() : static_cast<std::int64_t>(value);
}

// The pods of each group, and what those that are ready add up to.
Totals count_groups(const PodMetricQuestion& question, const ScaleSettings& settings,
                    MetricAnswer& answer) {
  Totals totals;
  for (const SampledPod& pod : question.pods) {
    switch (group_of(pod, question.is_cpu, question.now, settings)) {
      case PodGroupKind::kReady:
        ++answer.ready;
        ++totals.values;
        totals.usage = saturating_add(totals.usage, pod.value);
        totals.request = saturating_add(totals.request, pod.request);
        break;
      case PodGroupKind::kUnready:
        ++answer.unready;
        break;
      case PodGroupKind::kMissing:
        ++answer.missing;
        break;
      case PodGroupKind::kLeftOut:
        ++answer.ignored;
        break;
    }
  }
  answer.strays = question.strays.count;
  totals.values += question.strays.count;
  return totals;
}

// What missing and unready pods count as, given which way the ratio points.
struct Filling {
  bool missing = false, unready = false;
  std::int64_t percent_of_request = 0;  // utilization
  std::int64_t value = 0;               // average value
};

Totals fill(const PodMetricQuestion& question, const ScaleSettings& settings, Totals totals,
            const Filling& filling) {
  for (const SampledPod& pod : question.pods) {
    const PodGroupKind group = group_of(pod, question.is_cpu, question.now, settings);
    const bool is_missing = filling.missing && group == PodGroupKind::kMissing;
    if (!is_missing && !(filling.unready && group == PodGroupKind::kUnready)) continue;
    ++totals.values;
    totals.request = saturating_add(totals.request, pod.request);
    if (!is_missing) continue;
    const std::int64_t share =
        clamp64(static_cast<Wide>(pod.request) * filling.percent_of_request / 100);
    totals.usage = saturating_add(totals.usage, saturating_add(share, filling.value));
  }
  return totals;
}

std::int32_t utilization_of(const Totals& totals) {
  const Wide percent = static_cast<Wide>(totals.usage) * 100 / totals.request;
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  return percent > kMost ? kMost : static_cast<std::int32_t>(std::max<Wide>(percent, -kMost));
}

MetricAnswer give(MetricAnswer answer, std::int32_t replicas, MetricRule rule) {
  answer.replicas = replicas;
  answer.rule = rule;
  return answer;
}

MetricAnswer fail(MetricAnswer answer, MetricFailure failure) {
  answer.failure = failure;
  return answer;
}

bool turns(double before, double after) {
  return (before < 1.0 && after > 1.0) || (before > 1.0 && after < 1.0);
}

// `ratio_of` says what totals come to. `holds_direction`: the number of values may not turn it.
template <typename RatioOf>
MetricAnswer decide(const PodMetricQuestion& question, const ScaleSettings& settings,
                    MetricAnswer answer, const Totals& totals, Filling filling,
                    bool holds_direction, RatioOf ratio_of) {
  const double ratio = answer.ratio = ratio_of(totals);
  answer.values = totals.values;
  filling.unready = answer.unready > 0 && ratio > 1.0;
  if (!filling.unready && answer.missing == 0) {
    if (is_within(ratio, question.tolerances, settings.compat))
      return give(answer, question.current, MetricRule::kWithinTolerance);
    return give(answer, to_replicas(std::ceil(ratio * static_cast<double>(answer.ready))),
                MetricRule::kRatio);
  }
  if (ratio >= 1.0) filling.percent_of_request = filling.value = 0;
  const Totals filled = fill(question, settings, totals, filling);
  const double again = answer.filled_ratio = ratio_of(filled);
  answer.values = filled.values;
  if (is_within(again, question.tolerances, settings.compat))
    return give(answer, question.current, MetricRule::kFilledWithin);
  if (turns(ratio, again)) return give(answer, question.current, MetricRule::kFilledTurns);
  const std::int32_t replicas = to_replicas(std::ceil(again * static_cast<double>(filled.values)));
  const bool against =
      (again < 1.0 && replicas > question.current) || (again > 1.0 && replicas < question.current);
  if (holds_direction && against)
    return give(answer, question.current, MetricRule::kFilledGoesAgainst);
  return give(answer, replicas, MetricRule::kFilledRatio);
}

bool lacks_request(const PodMetricQuestion& question) {
  return std::any_of(question.pods.begin(), question.pods.end(),
                     [](const SampledPod& pod) { return !pod.has_request; });
}

}  // namespace

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? Limits::max() : Limits::min();
}

std::int32_t to_replicas(double count) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (count >= static_cast<double>(kMost)) return kMost;
  return count <= static_cast<double>(-kMost) ? -kMost : static_cast<std::int32_t>(count);
}

bool is_within(double ratio, const Tolerances& tolerances, Compat compat) {
  if (compat == Compat::k1_20) return std::abs(1.0 - ratio) <= tolerances.up;
  return 1.0 - tolerances.down <= ratio && ratio <= 1.0 + tolerances.up;
}

PodGroupKind group_of(const SampledPod& pod, bool is_cpu, UnixSeconds now,
                      const ScaleSettings& set) {
  if (pod.deleting || pod.phase == PodPhase::kFailed) return PodGroupKind::kLeftOut;
  if (pod.phase == PodPhase::kPending) return PodGroupKind::kUnready;
  const bool is_stale =
      set.max_age_s.has_value() && (pod.sampled > now || now - pod.sampled > *set.max_age_s);
  if (!pod.has_value || is_stale) return PodGroupKind::kMissing;
  if (!is_cpu) return PodGroupKind::kReady;
  if (pod.ready == ReadyState::kAbsent || pod.started == kNever) return PodGroupKind::kUnready;
  const bool is_false = pod.ready == ReadyState::kFalse;
  if (pod.started + set.cpu_initialization_s > now) {
    const auto after_change = std::chrono::seconds(pod.sampled - pod.ready_since);
    return is_false || after_change < pod.window ? PodGroupKind::kUnready : PodGroupKind::kReady;
  }
  const bool never_was = pod.started + set.initial_readiness_delay_s > pod.ready_since;
  return is_false && never_was ? PodGroupKind::kUnready : PodGroupKind::kReady;
}

MetricAnswer answer_utilization(const PodMetricQuestion& question, const ScaleSettings& settings) {
  MetricAnswer answer;
  if (question.pods.empty()) return fail(answer, MetricFailure::kNoPods);
  const Totals totals = count_groups(question, settings, answer);
  if (lacks_request(question)) return fail(answer, MetricFailure::kMissingRequest);
  if (totals.values == 0) return fail(answer, MetricFailure::kNoReadyPods);
  if (totals.request == 0) return fail(answer, MetricFailure::kNoKnownPods);
  answer.usage_milli = totals.usage;
  answer.request_milli = totals.request;
  answer.utilization = utilization_of(totals);
  answer.average_milli = totals.usage / std::max(answer.ready, 1);
  Filling filling;
  filling.percent_of_request =
      settings.compat == Compat::k1_20 ? 100 : std::max<std::int64_t>(100, question.target);
  filling.missing = true;
  // Exactly 1: missing pods are left out.
  const auto ratio_of = [&](const Totals& of) {
    return static_cast<double>(utilization_of(of)) / static_cast<double>(question.target);
  };
  if (ratio_of(totals) == 1.0) filling.missing = false;
  return decide(question, settings, answer, totals, filling, true, ratio_of);
}

MetricAnswer answer_average(const PodMetricQuestion& question, const ScaleSettings& settings) {
  MetricAnswer answer;
  if (question.pods.empty()) return fail(answer, MetricFailure::kNoPods);
  Totals totals = count_groups(question, settings, answer);
  if (totals.values == 0) return fail(answer, MetricFailure::kNoReadyPods);
  totals.usage = saturating_add(totals.usage, question.strays.sum_milli);
  answer.usage_milli = totals.usage;
  answer.average_milli = totals.usage / totals.values;
  const auto ratio_of = [&](const Totals& of) {
    const std::int64_t average = of.usage / of.values;
    return static_cast<double>(average) / static_cast<double>(question.target);
  };
  Filling filling;
  filling.value = question.target;
  const bool is_new = settings.compat != Compat::k1_20;
  filling.missing = !is_new || ratio_of(totals) != 1.0;
  return decide(question, settings, answer, totals, filling, is_new, ratio_of);
}

MetricAnswer answer_value(std::int64_t value_milli, const PodMetricQuestion& question,
                          Compat compat) {
  MetricAnswer answer;
  answer.value_milli = answer.usage_milli = value_milli;
  const double ratio = answer.ratio =
      static_cast<double>(value_milli) / static_cast<double>(question.target);
  if (question.current == 0) return give(answer, to_replicas(std::ceil(ratio)), MetricRule::kRatio);
  if (is_within(ratio, question.tolerances, compat))
    return give(answer, question.current, MetricRule::kWithinTolerance);
  if (question.pods.empty()) return fail(answer, MetricFailure::kNoPods);
  for (const SampledPod& pod : question.pods) {
    const bool is_ready = pod.phase == PodPhase::kRunning && pod.ready == ReadyState::kTrue;
    ++(is_ready ? answer.ready : answer.unready);
  }
  return give(answer, to_replicas(std::ceil(ratio * static_cast<double>(answer.ready))),
              MetricRule::kRatio);
}

MetricAnswer answer_per_replica(std::int64_t value_milli, std::int32_t status_replicas,
                                std::int64_t target_milli, const Tolerances& tolerances,
                                Compat compat) {
  MetricAnswer answer;
  const auto value = static_cast<double>(value_milli);
  const auto target = static_cast<double>(target_milli);
  answer.usage_milli = value_milli;
  answer.ratio = value / (target * static_cast<double>(status_replicas));
  if (status_replicas > 0) {
    const double average = std::ceil(value / static_cast<double>(status_replicas));
    answer.average_milli = average >= static_cast<double>(Limits::max())
                               ? Limits::max()
                               : static_cast<std::int64_t>(average);
  }
  if (is_within(answer.ratio, tolerances, compat))
    return give(answer, status_replicas, MetricRule::kWithinTolerance);
  return give(answer, to_replicas(std::ceil(value / target)), MetricRule::kPerReplica);
}

}  // namespace gedge
