// control/scaler_growth.cpp - replicas of home that grow before others come elsewhere.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/workload_key.hpp"
#include "gedge/control/scaler.hpp"

namespace gedge {
namespace {

constexpr std::int32_t kMostDoublings = 6;  // of a pause

std::optional<std::int64_t> before_of(const ObjectResize& object) {
  return object.containers.front().resources.front().request_before;
}

std::optional<std::int64_t> requested(const ScaledPod& pod, const HomeSize& size) {
  for (const ScaledContainer& one : pod.containers)
    if (one.name == size.container) return one.requests.find(size.resource);
  return std::nullopt;
}

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
    if (!pod->unplaced.empty())
      return "pod " + pod->name.str() + " has no node: " + pod->unplaced +
             (home.rollout.is_ordered ? "; " + home.kind + " waits until it is deleted" : "");
  return {};
}

// Neither larger nor smaller, for a while at least; empty: they may be.
std::string Scaler::cannot_resize(const std::string& key, const Entry& entry, const Space& space,
                                  Nanos now) const {
  const GrowRule& rule = entry.spec.sites->up;
  if (rule.resource.empty()) return {};
  if (now < entry.growth.shrinks_again_at) return entry.growth.shrink_fails;
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  if (size_of(key, space) == nullptr)
    return home_size(rule, home, pods_at_home(entry, space)).error().what;
  if (rule.way == ResizeWay::kTemplate) return lacks_rollout(home);
  return options_.resizes_pods ? std::string()
                               : "the server does not resize pods where they run, and nobody says "
                                 "that their template may be changed";
}

Nanos Scaler::pause_after(std::int32_t setbacks) const {
  return options_.yield * (1 << std::min(setbacks, kMostDoublings));
}

// It is tried again, but each time later. Of several pods the first one says it.
void Scaler::note_setback(std::string why, Entry& entry, Nanos now) const {
  Growth& growth = entry.growth;
  if (growth.resize_fails == why && now < growth.tries_again_at) return;
  growth.tries_again_at = now + pause_after(growth.setbacks);
  ++growth.setbacks;
  growth.stands_since.reset();
  growth.resize_fails = std::move(why);
}

// Whoever keeps a template as a file says would write it again and again, and each time all pods
// are replaced.
std::string Scaler::undone_template(const HomeSize& size, Entry& entry, const Space& space) const {
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  std::optional<Growth::Written>& written = entry.growth.written;
  const bool stands = !written || written->amount == size.amount;
  const bool is_undone = (!stands && written->base == size.amount) || is_put_back(home);
  if (!stands || is_undone) written.reset();
  if (!is_undone) return {};
  entry.growth.stale_note = home.grown;
  return "somebody else put " + home.kind + " " + home.name + " back to " +
         resource_text(size.resource, size.amount) + " of " + size.resource;
}

// Whoever keeps pods as large as they were declared, or as something else says. What is not seen
// yet is as it was before.
std::string Scaler::undone_pod(const HomeSize& size, Entry& entry, const Space& space) const {
  std::map<std::string, Growth::Given> known;
  std::string said;
  for (const ScaledPod* const pod : pods_at_home(entry, space)) {
    const auto given = entry.growth.given.find(pod->uid);
    if (given == entry.growth.given.end()) continue;
    const auto own = requested(*pod, size);
    if (pod->version == given->second.version || own == given->second.amount)
      known.insert(*given);
    else if (own && said.empty())
      said = "somebody else changed pod " + pod->name.str() + " to " +
             resource_text(size.resource, *own) + " of " + size.resource;
  }
  entry.growth.given = std::move(known);
  return said;
}

// What has not lasted is forgotten when it has stood for longer than whoever undoes it may take.
void Scaler::note_undone(const std::string& key, Entry& entry, const Space& space,
                         Nanos now) const {
  const HomeSize* const size = size_of(key, space);
  if (size == nullptr) return;
  const bool by_template = entry.spec.sites->up.way == ResizeWay::kTemplate;
  std::string said =
      by_template ? undone_template(*size, entry, space) : undone_pod(*size, entry, space);
  if (!said.empty()) return note_setback(std::move(said), entry, now);
  std::optional<Nanos>& since = entry.growth.stands_since;
  const bool is_settled = !is_rolling_out(entry, space, now) && !is_stuck(entry, space, now) &&
                          !is_uneven(key, space) && lacks_room(entry, space, now).empty();
  if (size->amount <= size->base) since.reset();
  if (size->amount > size->base && is_settled && !since) since = now;
  if (since && is_settled && now - *since > pause_after(kMostDoublings)) entry.growth.setbacks = 0;
}

void Scaler::note_progress(Entry& entry, const Space& space, Nanos now) const {
  const RolloutRules& rollout = space.targets.at(workload_of(entry.spec.target)).rollout;
  // Pods that cannot be made are waited for, too, where none is replaced: a quota may leave them
  // out.
  const bool waits = rollout.is_under_way || !rollout.failure.empty();
  if (waits && entry.growth.progress == rollout.progress) return;
  entry.growth.progress.reset();
  if (waits) entry.growth.progress = rollout.progress;
  entry.growth.progress_at = now;
}

// Its controller says so, or nothing has happened for long: not all of them say it.
bool Scaler::is_stuck(const Entry& entry, const Space& space, Nanos now) const {
  return space.targets.at(workload_of(entry.spec.target)).rollout.is_stuck ||
         (entry.growth.progress && now - entry.growth.progress_at >= options_.progress);
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
  // Those that are smaller must stay so; nobody shrinks the others for that.
  options.none_grows = is_uneven(key, space) && even.held;
  options.least = least_growth(answer.bounds, home, *size);
  rule.most = most_growth(answer.bounds, home, rule, aim, why);
  if (options.none_grows) why = even.held->what;
  options.home = aim.amount;
  if (entry.growth.resize_fails && now < entry.growth.tries_again_at) {
    why = *entry.growth.resize_fails;
    options.none_grows = true;
  }
  const bool in_place = rule.way == ResizeWay::kInPlace;
  if (std::string said = lacks_room(entry, space, now); !said.empty()) {
    why = std::move(said);
    options.none_grows = true;
    // Where they run, only those shrink that were put off.
    if (!in_place) options.home = std::min(options.least, options.home);
  } else if (!in_place && is_stuck(entry, space, now)) {
    why = home.kind + " " + home.name + " does not get on with replacing its pods";
    options.none_grows = true;
  }
  if (options.none_grows) rule.most = options.home;
  return options;
}

// What is to be told of it now. `why`: what bounds their growth.
std::string Scaler::note_size(const Splitting& waiting, const SiteSplit& split,
                              const GrowRule& bounded, std::string why, Entry& entry,
                              const Space& space) const {
  const GrowRule& rule = entry.spec.sites->up;
  // All of them, or nothing keeps the others from it.
  const bool is_whole = !is_uneven(waiting.key, space) || (why.empty() && split.evens_out);
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
  Growth& growth = entry.growth;
  const Nanos kept_at = std::exchange(growth.kept_at, waiting.now);
  const bool is_known =
      !growth.keeps_size.empty() && waiting.now - kept_at <= pause_after(kMostDoublings);
  // What says something else each time is not told each time.
  const bool is_quiet = waiting.now - growth.told_at < options_.progress;
  if (is_known && (why == growth.keeps_size || is_quiet)) return {};
  growth.told_at = waiting.now;
  return growth.keeps_size = std::move(why);
}

// False where it turns out that it must not be.
bool Scaler::resize_home(const Splitting& waiting, const SiteSplit& split, const SiteAnswer& answer,
                         ScaleReport report, Entry& entry, Space& space) {
  const HomeSize& size = space.sizes.at(waiting.key);
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  const bool in_place = entry.spec.sites->up.way == ResizeWay::kInPlace;
  std::vector<const ScaledPod*> pods = pods_at_home(entry, space);
  std::erase_if(pods, [](const ScaledPod* pod) { return !pod->unresized.empty(); });
  ResizePlan plan = in_place ? plan_growth_of_pods(answer.bounds, home, pods, size, split.home)
                             : plan_growth(answer.bounds, home, size, split.home);
  const auto is_larger = [&](const ObjectResize& object) { return before_of(object) < split.home; };
  if (!split.evens_out) std::erase_if(plan.objects, is_larger);
  const bool grows = std::any_of(plan.objects.begin(), plan.objects.end(), is_larger);
  if ((plan.held && grows) || plan.objects.empty()) return false;
  HomeSize after = size;
  after.sizes.clear();
  after.amount = split.home;
  const std::int32_t change =
      units_of(home.spec_replicas, after) - units_of(home.spec_replicas, size);
  report.decision.replicas = report.decision.current + change;
  record_change(report.decision.current, report.decision.replicas,
                entry.spec.behavior ? &*entry.spec.behavior : nullptr, entry.history,
                seconds(waiting.now));
  if (grows) {
    entry.growth.tries_again_at = waiting.now + options_.yield;
    entry.growth.resize_fails.reset();
  }
  ScaleReport::Size said{size.resource, size.amount, split.home, {}, size.base, {}};
  if (!in_place) said.undoes = lacks_room(entry, space, waiting.now);
  send(waiting, std::move(plan), said, std::move(report), change, entry, space);
  return true;
}

// Those that their machines put off are as they were declared again, and no others.
bool Scaler::take_back(const Splitting& waiting, const SiteAnswer& answer, ScaleReport report,
                       Entry& entry, Space& space) {
  const HomeSize* const size = size_of(waiting.key, space);
  const bool in_place = entry.spec.sites->up.way == ResizeWay::kInPlace && options_.resizes_pods;
  if (size == nullptr || !in_place || waiting.now < entry.growth.shrinks_again_at) return false;
  const ScaleTarget& home = space.targets.at(workload_of(entry.spec.target));
  std::vector<const ScaledPod*> pods = pods_at_home(entry, space);
  std::erase_if(pods, [](const ScaledPod* pod) { return pod->unresized.empty(); });
  const std::int64_t least = least_growth(answer.bounds, home, *size);
  ResizePlan plan = plan_growth_of_pods(answer.bounds, home, pods, *size, least);
  std::erase_if(plan.objects, [&](const ObjectResize& one) { return before_of(one) <= least; });
  if (plan.objects.empty()) return false;
  const ScaleReport::Size said{
      size->resource, size->amount, least, {}, size->base, lacks_room(entry, space, waiting.now)};
  report.decision.replicas = report.decision.current;
  send(waiting, std::move(plan), said, std::move(report), 0, entry, space);
  return true;
}

// `change`: of all of them together; each has its share.
void Scaler::send(const Splitting& waiting, ResizePlan plan, const ScaleReport::Size& size,
                  ScaleReport report, std::int32_t change, Entry& entry, Space& space) {
  const auto count = static_cast<std::int64_t>(plan.objects.size());
  std::int64_t sent = 0;
  report.target_uid = space.targets.at(workload_of(entry.spec.target)).uid;
  for (ObjectResize& object : plan.objects) {
    report.size = size;
    report.size->from = before_of(object).value_or(size.from);
    if (plan.way == ResizeWay::kInPlace) report.size->pod = object.name.str();
    ScaleWrite write;
    write.resize = std::move(object);
    const std::int64_t before = change * sent / count, then = change * ++sent / count;
    act(waiting.key, entry, report, static_cast<std::int32_t>(then - before), std::move(write),
        space, waiting.now);
    report.keeps_size.clear();
  }
}

}  // namespace gedge
