#include "gedge/scale/explain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gedge {
namespace {

constexpr std::int64_t kMostAmount = std::int64_t{1} << 52;  // doubles count exactly up to here

// A metric of which nothing had to be filled in: the ratio is its amount through `whole`.
struct Shape {
  std::int64_t whole = 0;
  std::int64_t now = 0;
  bool per_replica = false;
};

std::optional<Shape> shape_of(const MetricSpec& metric, const MetricAnswer& answer,
                              std::int32_t status_replicas) {
  if (!answer.ok() || answer.filled_ratio != 0) return std::nullopt;
  const bool is_whole = metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal;
  Shape shape{metric.amount, 0, is_whole && metric.target == TargetKind::kAverageValue};
  if (answer.utilization)
    shape.now = *answer.utilization;
  else
    shape.now = is_whole ? answer.usage_milli : answer.average_milli.value_or(0);
  if (shape.per_replica && __builtin_mul_overflow(shape.whole, status_replicas, &shape.whole))
    return std::nullopt;
  const bool fits = shape.whole > 0 && shape.whole < kMostAmount / 4;
  return fits ? std::optional(shape) : std::nullopt;
}

class Thresholds {
 public:
  Thresholds(const MetricSpec& metric, const MetricAnswer& answer, const Shape& shape,
             std::int32_t current, const Tolerances& tolerances, Compat compat)
      : metric_(metric),
        answer_(answer),
        shape_(shape),
        current_(current),
        tolerances_(tolerances),
        compat_(compat) {}

  // The least amount above the target that asks for more than now, and the largest below it that
  // asks for fewer.
  std::int64_t upper() const {
    std::int64_t inside = shape_.whole, outside = 2 * shape_.whole + 1;
    while (keeps(outside)) outside = std::min(2 * outside, kMostAmount);
    while (outside - inside > 1) {
      const std::int64_t middle = inside + (outside - inside) / 2;
      (keeps(middle) ? inside : outside) = middle;
    }
    return outside;
  }
  std::optional<std::int64_t> lower() const {
    std::int64_t inside = shape_.whole, outside = 0;
    if (keeps(outside)) return std::nullopt;
    while (inside - outside > 1) {
      const std::int64_t middle = outside + (inside - outside) / 2;
      (keeps(middle) ? inside : outside) = middle;
    }
    return outside;
  }
  std::int32_t replicas(std::int64_t amount) const {
    if (shape_.per_replica)
      return to_replicas(
          std::ceil(static_cast<double>(amount) / static_cast<double>(metric_.amount)));
    return to_replicas(std::ceil(ratio(amount) * static_cast<double>(answer_.ready)));
  }

 private:
  double ratio(std::int64_t amount) const {
    return static_cast<double>(amount) / static_cast<double>(shape_.whole);
  }
  // Not more above the target, not fewer below it.
  bool asks_the_wrong_way(std::int64_t amount) const {
    return amount > shape_.whole ? replicas(amount) <= current_ : replicas(amount) >= current_;
  }
  bool keeps(std::int64_t amount) const {
    if (amount >= kMostAmount) return false;
    return is_within(ratio(amount), tolerances_, compat_) || asks_the_wrong_way(amount);
  }

  const MetricSpec& metric_;
  const MetricAnswer& answer_;
  const Shape& shape_;
  std::int32_t current_;
  Tolerances tolerances_;
  Compat compat_;
};

void hint_amounts(ScaleExplanation& out, std::size_t metric, std::int32_t status_replicas,
                  const ScaleSettings& settings) {
  const MetricSpec& spec = out.autoscaler.metrics[metric];
  const MetricAnswer& answer = out.decision.metrics[metric];
  const auto shape = shape_of(spec, answer, status_replicas);
  // Ready pods are counted only where the ratio left the tolerance.
  const bool is_counted = answer.ready > 0 || (shape && shape->per_replica);
  if (!shape || !is_counted) return;
  const Thresholds thresholds(spec, answer, *shape, out.decision.current,
                              tolerances_of(out.autoscaler, settings), settings.compat);
  const std::int64_t upper = thresholds.upper();
  const auto lower = thresholds.lower();
  const std::int32_t kept = out.decision.current;
  const auto add = [&](ScaleHintKind kind, std::int64_t amount, std::int32_t replicas) {
    out.hints.push_back({kind, metric, amount, replicas});
  };
  if (lower && shape->now <= *lower) add(ScaleHintKind::kMetricRises, *lower + 1, kept);
  if (shape->now >= upper)
    add(ScaleHintKind::kMetricFalls, upper - 1, kept);
  else if (upper < kMostAmount)
    add(ScaleHintKind::kMetricRises, upper, thresholds.replicas(upper));
  if (lower && shape->now > *lower && shape->now < upper)
    add(ScaleHintKind::kMetricFalls, *lower, thresholds.replicas(*lower));
}

// How long until nothing of the memory holds the proposal back any more.
void hint_window(ScaleExplanation& out, const ScaleHistory& history,
                 const ScaleSettings& settings) {
  const ScaleDecision& decision = out.decision;
  const bool is_up = decision.proposal >= decision.current;
  const auto& behavior = out.autoscaler.behavior;
  std::int64_t window = settings.downscale_window_s;
  if (behavior && is_up) window = behavior->up.window_s.value_or(0);
  if (behavior && !is_up) window = behavior->down.window_s.value_or(window);
  UnixSeconds latest = 0;
  for (const ScaleRecommendation& entry : history.recommendations)
    if (is_up ? entry.replicas < decision.proposal : entry.replicas > decision.proposal)
      latest = std::max(latest, entry.at);
  if (latest == 0) return;
  const std::int64_t wait = latest + window - out.now + (behavior ? 0 : 1);
  out.hints.push_back({ScaleHintKind::kWindowPasses, 0, std::max<std::int64_t>(wait, 1),
                       std::clamp(decision.proposal, out.autoscaler.min, out.autoscaler.max)});
}

void hint_limits(ScaleExplanation& out) {
  const NormalizedScale& scale = *out.decision.normalized;
  const auto add = [&](ScaleHintKind kind) { out.hints.push_back({kind, 0, 0, scale.stabilized}); };
  switch (scale.limited.reason) {
    case ScaleReason::kTooManyReplicas:
      return add(ScaleHintKind::kMaxRises);
    case ScaleReason::kTooFewReplicas:
      return add(ScaleHintKind::kMinFalls);
    case ScaleReason::kScaleUpLimit:
    case ScaleReason::kScaleDownLimit:
      return add(ScaleHintKind::kPeriodPasses);
    default:
      return;
  }
}

std::vector<ExplainedPod> explain_pods(const MetricSpec& metric, const ScaleTarget& target,
                                       const std::vector<std::uint32_t>& selected,
                                       const WorkloadIndex& index, UnixSeconds now,
                                       const ScaleSettings& settings) {
  const auto values = index.values_of(metric, target, selected, settings.compat);
  const bool is_cpu = metric.kind != MetricKind::kPodMetric && metric.name == kCpu;
  std::vector<ExplainedPod> pods;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const SampledPod& view = values.pods[i];
    ExplainedPod pod{
        index.facts().pods[selected[i]].name.str(), group_of(view, is_cpu, now, settings), {}, {}};
    if (view.has_value) pod.milli = view.value;
    if (metric.target == TargetKind::kUtilization && view.has_request)
      pod.request_milli = view.request;
    pods.push_back(std::move(pod));
  }
  return pods;
}

}  // namespace

ScaleExplanation explain_scale(const Autoscaler& autoscaler, const WorkloadIndex& index,
                               ScaleHistory history, UnixSeconds now,
                               const ScaleSettings& settings) {
  ScaleExplanation out;
  out.autoscaler = autoscaler;
  out.compat = settings.compat;
  out.now = now;
  out.decision = reconcile(autoscaler, index, history, now, settings);
  out.pods.resize(autoscaler.metrics.size());
  const ScaleTarget* const target = index.target_of(autoscaler);
  if (target == nullptr || out.decision.metrics.empty()) return out;
  const auto selected = index.select(target->namespace_name, target->selector);
  for (std::size_t i = 0; i < autoscaler.metrics.size(); ++i) {
    const MetricSpec& metric = autoscaler.metrics[i];
    const bool is_whole =
        metric.kind == MetricKind::kObject || metric.kind == MetricKind::kExternal;
    if (!is_whole) out.pods[i] = explain_pods(metric, *target, selected, index, now, settings);
    if (!out.decision.metrics[i].ok())
      out.hints.push_back({ScaleHintKind::kSourceComes, i, 0, out.decision.proposal});
  }
  if (out.decision.deciding)
    hint_amounts(out, *out.decision.deciding, target->status_replicas, settings);
  if (!out.decision.normalized) return out;
  if (out.decision.normalized->stabilized != out.decision.proposal)
    hint_window(out, history, settings);
  hint_limits(out);
  return out;
}

UnixSeconds latest_time(const ScaleFacts& facts) {
  UnixSeconds latest = 0;
  for (const PodUsage& usage : facts.metrics.usage) latest = std::max(latest, usage.at);
  for (const ObjectMetric& value : facts.metrics.objects)
    latest = std::max(latest, value.sample.at);
  for (const ExternalMetric& value : facts.metrics.external)
    latest = std::max(latest, value.sample.at);
  for (const ScaledPod& pod : facts.pods) latest = std::max(latest, pod.ready_since);
  return latest;
}

}  // namespace gedge
