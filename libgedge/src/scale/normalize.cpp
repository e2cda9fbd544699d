#include "gedge/scale/normalize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gedge/scale/metric.hpp"

namespace gedge {
namespace {

constexpr double kScaleUpFactor = 2.0;
constexpr double kScaleUpLeast = 4.0;

ScaleCondition able(ScaleReason reason) { return {ScaleConditionType::kAbleToScale, true, reason}; }

// Takes the place of the last entry that nobody asks for any more.
void remember(std::vector<ScaleRecommendation>& list, std::int32_t replicas, UnixSeconds now,
              UnixSeconds cutoff) {
  const auto old = std::find_if(list.rbegin(), list.rend(), [&](const ScaleRecommendation& entry) {
    return entry.at < cutoff;
  });
  if (old != list.rend())
    *old = {replicas, now};
  else
    list.push_back({replicas, now});
}

std::int64_t change_within(const std::vector<ScaleChange>& changes, std::int32_t period_s,
                           UnixSeconds now) {
  std::int64_t sum = 0;
  for (const ScaleChange& change : changes)
    if (change.at > now - period_s) sum += change.change;
  return sum;
}

// 1.20 looks at changes of the same direction only.
std::int32_t period_start(std::int32_t current, const ScalingPolicy& policy, bool is_up,
                          const ScaleHistory& history, UnixSeconds now, Compat compat) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::int64_t start = current;
  if (is_up || compat != Compat::k1_20) start -= change_within(history.ups, policy.period_s, now);
  if (!is_up || compat != Compat::k1_20)
    start += change_within(history.downs, policy.period_s, now);
  return static_cast<std::int32_t>(std::clamp(start, -kMost, kMost));
}

std::int32_t proposed_by(const ScalingPolicy& policy, bool is_up, std::int32_t start) {
  const std::int64_t pods =
      is_up ? std::int64_t{start} + policy.value : std::int64_t{start} - policy.value;
  if (policy.unit == PolicyUnit::kPodCount) return to_replicas(static_cast<double>(pods));
  const double share = static_cast<double>(policy.value) / 100;
  const auto from = static_cast<double>(start);
  return is_up ? to_replicas(std::ceil(from * (1 + share))) : to_replicas(from * (1 - share));
}

// The most, or fewest, replicas that the policies allow; never on the other side of `current`.
std::int32_t limit_of(const ScaleBounds& bounds, const ScalingRules& rules, bool is_up,
                      const ScaleHistory& history, UnixSeconds now, Compat compat) {
  if (rules.select == SelectPolicy::kDisabled) return bounds.current;
  // A larger change is a larger number on the way up, and a smaller one on the way down.
  const bool takes_larger = (rules.select == SelectPolicy::kMax) == is_up;
  std::int32_t limit = takes_larger ? std::numeric_limits<std::int32_t>::min()
                                    : std::numeric_limits<std::int32_t>::max();
  for (const ScalingPolicy& policy : rules.policies) {
    const std::int32_t start = period_start(bounds.current, policy, is_up, history, now, compat);
    const std::int32_t proposed = proposed_by(policy, is_up, start);
    limit = takes_larger ? std::max(limit, proposed) : std::min(limit, proposed);
  }
  return is_up ? std::max(limit, bounds.current) : std::min(limit, bounds.current);
}

void limit(NormalizedScale& scale, std::int32_t replicas, ScaleReason reason) {
  scale.replicas = replicas;
  scale.limited = {ScaleConditionType::kScalingLimited, replicas != scale.stabilized, reason};
}

void limit_without_behavior(const ScaleBounds& bounds, NormalizedScale& scale) {
  const std::int32_t rate = scale.rate_limit =
      to_replicas(std::max(kScaleUpFactor * static_cast<double>(bounds.current), kScaleUpLeast));
  const bool is_rate = bounds.max > rate;
  const std::int32_t most = is_rate ? rate : bounds.max;
  if (scale.stabilized < bounds.min) return limit(scale, bounds.min, ScaleReason::kTooFewReplicas);
  if (scale.stabilized > most)
    return limit(scale, most, is_rate ? ScaleReason::kScaleUpLimit : ScaleReason::kTooManyReplicas);
  limit(scale, scale.stabilized, ScaleReason::kDesiredWithinRange);
}

void limit_by_policies(const ScaleBounds& bounds, const ScalingBehavior& behavior,
                       const ScaleHistory& history, UnixSeconds now, Compat compat,
                       NormalizedScale& scale) {
  scale.rate_limit = scale.stabilized;
  if (scale.stabilized > bounds.current) {
    const std::int32_t rate = scale.rate_limit =
        limit_of(bounds, behavior.up, true, history, now, compat);
    const std::int32_t most = std::min(bounds.max, rate);
    if (scale.stabilized > most)
      return limit(scale, most,
                   bounds.max > rate ? ScaleReason::kScaleUpLimit : ScaleReason::kTooManyReplicas);
  } else if (scale.stabilized < bounds.current) {
    const std::int32_t rate = scale.rate_limit =
        limit_of(bounds, behavior.down, false, history, now, compat);
    const std::int32_t fewest = std::max(bounds.min, rate);
    if (scale.stabilized < fewest)
      return limit(scale, fewest,
                   bounds.min < rate ? ScaleReason::kScaleDownLimit : ScaleReason::kTooFewReplicas);
  }
  limit(scale, scale.stabilized, ScaleReason::kDesiredWithinRange);
}

// The lowest and the highest recommendation of the two windows, this one included.
struct Range {
  std::int32_t low, high;
};
Range range_of(const ScaleBounds& bounds, const ScaleHistory& history, UnixSeconds up_cutoff,
               UnixSeconds down_cutoff) {
  Range range{bounds.desired, bounds.desired};
  for (const ScaleRecommendation& entry : history.recommendations) {
    if (entry.at > up_cutoff) range.low = std::min(range.low, entry.replicas);
    if (entry.at > down_cutoff) range.high = std::max(range.high, entry.replicas);
  }
  return range;
}

}  // namespace

NormalizedScale normalize(const ScaleBounds& bounds, const ScalingBehavior* behavior,
                          ScaleHistory& history, UnixSeconds now, const ScaleSettings& settings) {
  NormalizedScale scale;
  const std::int64_t down_window =
      behavior != nullptr ? behavior->down.window_s.value_or(settings.downscale_window_s)
                          : settings.downscale_window_s;
  const std::int64_t up_window = behavior != nullptr ? behavior->up.window_s.value_or(0) : 0;
  const bool is_up = bounds.desired >= bounds.current;
  const ScaleReason held = behavior != nullptr && is_up ? ScaleReason::kScaleUpStabilized
                                                        : ScaleReason::kScaleDownStabilized;
  if (behavior == nullptr) {
    scale.stabilized = bounds.desired;
    for (const ScaleRecommendation& entry : history.recommendations)
      if (entry.at >= now - down_window)
        scale.stabilized = std::max(scale.stabilized, entry.replicas);
  } else {
    const Range range = range_of(bounds, history, now - up_window, now - down_window);
    if (settings.compat == Compat::k1_20)
      scale.stabilized = is_up ? range.low : range.high;
    else
      scale.stabilized = std::min(std::max(bounds.current, range.low), range.high);
  }
  remember(history.recommendations, bounds.desired, now, now - std::max(up_window, down_window));
  scale.able = able(scale.stabilized != bounds.desired ? held : ScaleReason::kReadyForNewScale);
  if (behavior == nullptr)
    limit_without_behavior(bounds, scale);
  else
    limit_by_policies(bounds, *behavior, history, now, settings.compat, scale);
  return scale;
}

void record_change(std::int32_t from, std::int32_t to, const ScalingBehavior* behavior,
                   ScaleHistory& history, UnixSeconds now) {
  if (behavior == nullptr) return;
  const bool is_up = to > from;
  const ScalingRules& rules = is_up ? behavior->up : behavior->down;
  std::vector<ScaleChange>& changes = is_up ? history.ups : history.downs;
  std::int32_t longest = 0;
  for (const ScalingPolicy& policy : rules.policies) longest = std::max(longest, policy.period_s);
  for (ScaleChange& change : changes) change.outdated |= change.at < now - longest;
  const auto old = std::find_if(changes.rbegin(), changes.rend(),
                                [](const ScaleChange& change) { return change.outdated; });
  const ScaleChange entry{is_up ? to - from : from - to, now, false};
  if (old != changes.rend())
    *old = entry;
  else
    changes.push_back(entry);
}

void forget_change(std::int32_t change, ScaleHistory& history, UnixSeconds then) {
  std::vector<ScaleChange>& changes = change > 0 ? history.ups : history.downs;
  std::int64_t left = change > 0 ? std::int64_t{change} : -std::int64_t{change};
  for (ScaleChange& known : changes) {
    if (known.at != then) continue;
    const auto gone = static_cast<std::int32_t>(std::min<std::int64_t>(known.change, left));
    known.change -= gone;
    left -= gone;
  }
  std::erase_if(changes, [](const ScaleChange& known) { return known.change == 0; });
}

}  // namespace gedge
