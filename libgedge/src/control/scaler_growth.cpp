// control/scaler_growth.cpp - replicas of home that grow before others come elsewhere.
#include <algorithm>
#include <utility>

#include "control/workload_key.hpp"
#include "gedge/control/scaler.hpp"

namespace gedge {
namespace {

bool comes_elsewhere(const SiteSplit& split) {
  for (const SiteEffect& effect : split.effects)
    if (effect.step == SiteStep::kOver) return true;
  return split.without_place > 0;
}

bool is_elsewhere(const SiteSplit& split) {
  for (std::size_t site = 1; site < split.replicas.size(); ++site)
    if (split.replicas[site] > 0) return true;
  return false;
}

}  // namespace

// Null: those of this one do not grow, or nobody knows what they have.
const HomeSize* Scaler::size_of(const std::string& key, const Space& space) const {
  const auto at = space.sizes.find(key);
  return at == space.sizes.end() ? nullptr : &at->second;
}

bool Scaler::is_uneven(const std::string& key, const Space& space) const {
  const HomeSize* const size = size_of(key, space);
  return size != nullptr && size->least < size->amount;
}

// Those that run, or that wait.
std::vector<const ScaledPod*> Scaler::pods_at_home(const Entry& entry, const Space& space,
                                                   PodPhase phase) const {
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  std::vector<const ScaledPod*> pods;
  for (const auto& [name, pod] : space.pods)
    if (pod.phase == phase && !pod.deleting && home.selector.matches(pod.labels) &&
        is_made_by(pod, home))
      pods.push_back(&pod);
  return pods;
}

// Empty: their machines gave all of them what they were told to; or there are such pods as the
// template says by now, or there may yet be.
std::string Scaler::lacks_room(const Entry& entry, const Space& space, Nanos now) const {
  if (entry.spec.sites->up.way == ResizeWay::kInPlace) {
    for (const ScaledPod* const pod : pods_at_home(entry, space))
      if (!pod->unresized.empty())
        return "pod " + pod->name.str() + " was not given what it was to have: " + pod->unresized;
    return {};
  }
  if (!is_stuck(entry, space, now)) return {};
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  if (!home.rollout.failure.empty())
    return home.kind + " " + home.name + " cannot make pods: " + home.rollout.failure;
  for (const ScaledPod* const pod : pods_at_home(entry, space, PodPhase::kPending))
    if (!pod->unplaced.empty()) return "pod " + pod->name.str() + " has no node: " + pod->unplaced;
  return {};
}

// For a while at least; empty: they may.
std::string Scaler::cannot_grow(const std::string& key, const Entry& entry, const Space& space,
                                Nanos now) const {
  const GrowRule& rule = entry.spec.sites->up;
  if (rule.resource.empty()) return {};
  if (entry.resize_fails && now < entry.tries_again_at) return *entry.resize_fails;
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  if (size_of(key, space) == nullptr)
    return home_size(rule, home, pods_at_home(entry, space)).error().what;
  if (rule.way == ResizeWay::kTemplate) return lacks_rollout(home);
  return options_.resizes_pods ? std::string()
                               : "the server does not resize pods where they run, and nobody says "
                                 "that their template may be changed";
}

// It is tried again, but each time later.
void Scaler::note_setback(std::string why, Entry& entry, Nanos now) const {
  constexpr std::int32_t kMostDoublings = 6;
  entry.tries_again_at = now + options_.yield * (1 << std::min(entry.setbacks, kMostDoublings));
  ++entry.setbacks;
  entry.resize_fails = std::move(why);
}

// Whoever keeps a template as a file says would write it again and again, and each time all pods
// are replaced.
void Scaler::note_undone(const std::string& key, Entry& entry, const Space& space,
                         Nanos now) const {
  const HomeSize* const size = size_of(key, space);
  if (size == nullptr) return;
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  const bool stands = !entry.written || entry.written->amount == size->amount;
  const bool by_template = entry.spec.sites->up.way == ResizeWay::kTemplate;
  const bool is_undone =
      by_template && ((!stands && entry.written->base == size->amount) || is_put_back(home));
  if (!stands || is_undone) entry.written.reset();
  if (is_undone) {
    entry.stale_note = home.grown;
    return note_setback("somebody else put " + home.kind + " " + home.name + " back to " +
                            resource_text(size->resource, size->amount) + " of " + size->resource,
                        entry, now);
  }
  const bool is_settled = !is_rolling_out(entry, space, now) && !is_stuck(entry, space, now) &&
                          !is_uneven(key, space) && lacks_room(entry, space, now).empty();
  const Nanos pause = entry.tries_again_at - entry.resized_at;
  if (size->amount > size->base && is_settled && now - entry.resized_at > pause + options_.yield)
    entry.setbacks = 0;
}

void Scaler::note_progress(Entry& entry, const Space& space, Nanos now) const {
  const RolloutRules& rollout = space.targets.at(workload_of(entry.spec.target)).rollout;
  if (rollout.is_under_way && entry.progress == rollout.progress) return;
  entry.progress.reset();
  if (rollout.is_under_way) entry.progress = rollout.progress;
  entry.progress_at = now;
}

// Its controller says so, or nothing has happened for long: not all of them say it.
bool Scaler::is_stuck(const Entry& entry, const Space& space, Nanos now) const {
  return space.targets.at(workload_of(entry.spec.target)).rollout.is_stuck ||
         (entry.progress && now - entry.progress_at >= options_.progress);
}

bool Scaler::is_rolling_out(const Entry& entry, const Space& space, Nanos now) const {
  return !entry.spec.sites->up.resource.empty() &&
         space.targets.at(workload_of(entry.spec.target)).rollout.is_under_way &&
         !is_stuck(entry, space, now);
}

// `why`: what keeps them from growing, or from growing as far as they should.
SiteScalerOptions Scaler::splits_by(const std::string& key, const Entry& entry, const Space& space,
                                    const SiteAnswer& answer, std::string& why, Nanos now) const {
  SiteScalerOptions options;
  options.rules = *entry.spec.sites;
  options.rtts = answer.rtts;
  options.max = entry.spec.max;
  options.min = entry.spec.min;
  // Pods that are being replaced take their time to be what they count for.
  options.none_leaves = is_rolling_out(entry, space, now);
  options.keeps_size = !why.empty() || options.none_leaves;
  const HomeSize* const size = size_of(key, space);
  if (size == nullptr) return options;
  options.base = size->base;
  options.home = size->amount;
  GrowRule& rule = options.rules.up;
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  if (options.keeps_size) return options;
  HomeSize aim = *size;
  aim.amount = std::min(size->amount, std::max(rule.most, size->base));
  const ResizePlan even = plan_growth(answer.bounds, home, aim, aim.amount);
  if (is_uneven(key, space) && even.held) {
    why = even.held->what;
    rule.most = aim.amount = std::min(size->least, aim.amount);
  }
  options.least = std::min(least_growth(answer.bounds, home, *size), size->amount);
  rule.most = most_growth(answer.bounds, home, rule, aim, why);
  options.home = aim.amount;
  const bool is_stuck_now = rule.way == ResizeWay::kTemplate && is_stuck(entry, space, now);
  if (std::string said = lacks_room(entry, space, now); !said.empty()) {
    why = std::move(said);
    rule.most = options.home = std::max(options.least, size->base);
  } else if (is_stuck_now) {
    why = home.kind + " " + home.name + " does not get on with replacing its pods";
    rule.most = options.home;
  }
  return options;
}

// What is to be told of it now. `why`: what bounds their growth.
std::string Scaler::note_size(const Splitting& waiting, const SiteSplit& split,
                              const GrowRule& bounded, std::string why, Entry& entry,
                              const Space& space) const {
  const GrowRule& rule = entry.spec.sites->up;
  // All of them, or nothing keeps the others from it.
  const bool is_whole = why.empty() || !is_uneven(waiting.key, space);
  const bool has_grown_whole =
      split.home >= rule.most && is_whole && size_of(waiting.key, space) != nullptr;
  if (rule.resource.empty() || has_grown_whole || is_rolling_out(entry, space, waiting.now))
    return {};
  // What bounds them may not be reached.
  const bool is_full = why.empty() || (bounded.most < rule.most && split.home < bounded.most);
  if (!comes_elsewhere(split) && (is_full || !is_elsewhere(split))) return {};
  if (is_full) {
    const RolloutRules& rollout = space.targets.at(workload_of(entry.spec.target)).rollout;
    why = "no room at home for larger ones";
    if (rule.way == ResizeWay::kTemplate && rollout.unavailable < 1)
      why += ", each of which comes before another one leaves (maxUnavailable is 0)";
  }
  if (why == entry.keeps_size) return {};
  return entry.keeps_size = std::move(why);
}

// False where it turns out that it must not be.
bool Scaler::resize_home(const Splitting& waiting, std::int64_t amount, const SiteAnswer& answer,
                         ScaleReport report, Entry& entry, Space& space) {
  const HomeSize& size = space.sizes.at(waiting.key);
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  const bool in_place = entry.spec.sites->up.way == ResizeWay::kInPlace;
  ResizePlan plan =
      in_place ? plan_growth_of_pods(answer.bounds, home, pods_at_home(entry, space), size, amount)
               : plan_growth(answer.bounds, home, size, amount);
  const bool grows = std::any_of(plan.objects.begin(), plan.objects.end(), [&](const auto& object) {
    return object.containers.front().resources.front().request_before < amount;
  });
  if ((plan.held && grows) || plan.objects.empty()) return false;
  HomeSize after = size;
  after.sizes.clear();
  after.amount = amount;
  report.target_uid = home.uid;
  report.decision.replicas = report.decision.current + units_of(home.spec_replicas, after) -
                             units_of(home.spec_replicas, size);
  const ScaleHistory before = entry.history;
  record_change(report.decision.current, report.decision.replicas,
                entry.spec.behavior ? &*entry.spec.behavior : nullptr, entry.history,
                seconds(waiting.now));
  entry.resized_at = waiting.now;
  entry.tries_again_at = waiting.now + options_.yield;
  entry.resize_fails.reset();
  if (std::string said = lacks_room(entry, space, waiting.now); !said.empty())
    note_setback(std::move(said), entry, waiting.now);
  for (ObjectResize& object : plan.objects) {
    const std::int64_t from =
        object.containers.front().resources.front().request_before.value_or(size.amount);
    report.size = ScaleReport::Size{size.resource, from, amount,
                                    in_place ? object.name.str() : std::string(), size.base};
    ScaleWrite write;
    write.resize = std::move(object);
    act(waiting.key, entry, report, before, std::move(write), space, waiting.now);
    report.keeps_size.clear();
  }
  return true;
}

}  // namespace gedge
