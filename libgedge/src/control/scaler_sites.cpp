// control/scaler_sites.cpp - autoscalers whose replicas are on several sites, each with a workload
// of its own: seen as one by the formula, then split by what fits where.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "control/workload_key.hpp"
#include "gedge/control/scaler.hpp"

namespace gedge {
namespace {

// On facts of a look alone: what all pods of an autoscaler have in common.
constexpr const char* kSitesLabel = "sites.gedge.io/autoscaler";

// Empty while one of them is not known.
std::vector<const ScaleTarget*> targets_of(const Autoscaler& spec,
                                           const std::map<std::string, ScaleTarget>& known) {
  std::vector<const ScaleTarget*> targets;
  for (const ObjectName& one : site_workloads(spec)) {
    const auto at = known.find(workload_of(one));
    if (at == known.end() || !at->second.has_selector) return {};
    targets.push_back(&at->second);
  }
  return targets;
}

std::int32_t units_of(std::int32_t replicas, const HomeSize* size) {
  return size == nullptr ? replicas : units_of(replicas, *size);
}

/// Replicas on all sites, and as how many they count.
struct Together {
  std::int64_t replicas = 0, units = 0;
  void add(std::int32_t count, const HomeSize* size) {
    replicas += count;
    units += units_of(count, size);
  }
  // Larger ones are no more than the most: else the formula would say so, and look no further.
  std::int32_t seen(std::int32_t most) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(
        std::min(std::max(replicas, std::min<std::int64_t>(units, most)), kMost));
  }
};

std::vector<SiteCount> in_units(std::vector<SiteCount> sites, const HomeSize* size) {
  if (!sites.empty()) {
    sites.front().replicas = units_of(sites.front().replicas, size);
    sites.front().ready = units_of(sites.front().ready, size);
  }
  return sites;
}

bool changes(const SiteSplit& split, const std::vector<SiteCount>& sites) {
  for (std::size_t site = 0; site < sites.size(); ++site)
    if (split.replicas[site] != sites[site].replicas) return true;
  return false;
}

/// Replicas that have to be there, without any tolerance; all of them where nobody knows.
double needed(const Autoscaler& spec, const ScaleDecision& decision,
              const std::vector<double>& demand) {
  if (!demand.empty())
    return std::accumulate(demand.begin(), demand.end(), 0.0) /
           static_cast<double>(spec.metrics.front().amount);
  double most = 0;
  for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
    const bool is_known = i < decision.metrics.size() && decision.metrics[i].average_milli;
    if (!is_known || spec.metrics[i].target != TargetKind::kAverageValue) return decision.current;
    most = std::max(most, static_cast<double>(*decision.metrics[i].average_milli) *
                              decision.current / static_cast<double>(spec.metrics[i].amount));
  }
  return most;
}

/// So many that are not at home are to leave.
std::int64_t leaving(const SiteSplit& split, const std::vector<SiteCount>& sites) {
  std::int64_t count = 0;
  for (std::size_t site = 1; site < sites.size(); ++site)
    count += std::max(sites[site].replicas - split.replicas[site], 0);
  return count;
}

/// So many are more than is wanted when those at home have grown.
std::int64_t stood_in_for(const SiteSplit& split, const HomeSize& size, std::int32_t wanted) {
  HomeSize after = size;
  after.sizes.clear();
  after.amount = split.home;
  std::int64_t units = units_of(split.replicas.front(), after);
  for (std::size_t site = 1; site < split.replicas.size(); ++site) units += split.replicas[site];
  return std::max<std::int64_t>(units - wanted, 0);
}

bool has_answer(const ScaleDecision& decision) {
  return decision.step == ScaleStep::kComputed || decision.step == ScaleStep::kAboveMax ||
         decision.step == ScaleStep::kBelowMin;
}

}  // namespace

const ScaleTarget* Scaler::target_of(const std::string& key, const Entry& entry,
                                     const Space& space) const {
  const auto& all = entry.spec.sites ? space.joined : space.targets;
  const auto at = all.find(entry.spec.sites ? key : workload_of(entry.spec.target));
  return at == all.end() ? nullptr : &at->second;
}

// It is believed no more, even where the template comes to be as large by chance.
void Scaler::drop_stale_note(const Entry& entry, Space& space) {
  const auto home = space.targets.find(workload_of(entry.spec.target));
  if (home != space.targets.end() && home->second.grown == entry.growth.stale_note)
    home->second.grown.clear();
}

// Replicas that are larger count for as many as were declared.
void Scaler::join_sites(Space& space) const {
  space.joined.clear();
  space.sizes.clear();
  for (const auto& [key, entry] : space.entries) {
    if (!entry.spec.sites) continue;
    drop_stale_note(entry, space);
    const std::vector<const ScaleTarget*> targets = targets_of(entry.spec, space.targets);
    if (targets.empty()) {
      // Without one of them nothing is known of the whole.
      space.targets.erase(workload_of(entry.spec.target));
      continue;
    }
    ScaleTarget joined;
    joined.namespace_name = targets.front()->namespace_name;
    joined.kind = entry.spec.target.kind;
    joined.name = entry.spec.target.name;
    joined.selector.requirements.push_back(
        {kSitesLabel, SelectorOp::kEquals, {entry.spec.name.str()}});
    joined.has_selector = true;
    if (const GrowRule& rule = entry.spec.sites->up; !rule.resource.empty())
      if (const auto size = home_size(rule, *targets.front(), pods_at_home(entry, space)))
        space.sizes.emplace(key, *size);
    const HomeSize* size = size_of(key, space);
    Together spec, status;
    for (const ScaleTarget* const target : targets) {
      spec.add(target->spec_replicas, size);
      status.add(target->status_replicas, size);
      joined.uid += target->uid + " ";
      size = nullptr;  // only those at home grow
    }
    joined.spec_replicas = spec.seen(entry.spec.max);
    joined.status_replicas = status.seen(entry.spec.max);
    space.joined.emplace(key, std::move(joined));
  }
}

void Scaler::mark_sites(const Space& space, ScaledPod& pod) const {
  for (const auto& [key, joined] : space.joined) {
    const Autoscaler& spec = space.entries.at(key).spec;
    for (const ScaleTarget* const target : targets_of(spec, space.targets))
      if (target->selector.matches(pod.labels)) pod.labels.set(kSitesLabel, spec.name.str());
  }
}

std::vector<SiteCount> Scaler::count_sites(const Entry& entry, const Space& space) const {
  std::vector<SiteCount> sites;
  for (const ScaleTarget* const target : targets_of(entry.spec, space.targets)) {
    SiteCount& site = sites.emplace_back();
    site.replicas = target->spec_replicas;
    // Who is being resized does not do yet what it is counted for.
    for (const auto& [name, pod] : space.pods)
      if (pod.ready == ReadyState::kTrue && !pod.deleting && pod.phase == PodPhase::kRunning &&
          !pod.is_resizing && target->selector.matches(pod.labels))
        ++site.ready;
    site.ready = std::min(site.ready, site.replicas);
  }
  return sites;
}

// Nothing is decided where a metric is not known: then nothing moves either.
void Scaler::split(const std::string& key, Entry& entry, ScaleReport report, ScaleHistory before,
                   Space& space, Nanos now) {
  entry.history.ups = std::move(before.ups);  // what is done is remembered when it is known
  entry.history.downs = std::move(before.downs);
  const SiteRules& rules = *entry.spec.sites;
  const std::vector<SiteCount> sites = count_sites(entry, space);
  const bool is_known = has_answer(report.decision) && !sites.empty();
  std::int64_t far = 0;
  for (std::size_t site = 1; site < sites.size(); ++site) far += sites[site].replicas;
  // Nobody knows when they went there: they stay as if it had been now.
  if (is_known && far > 0 && !entry.moved) entry.moved = seconds(now);
  if (!is_known) return tell(std::move(report), entry);
  const std::int32_t wanted = report.decision.replicas;
  Splitting waiting{key, std::move(report), now, wanted, {}, false};
  if (rules.choice == SiteChoice::kDemand) {
    waiting.demand = demand_of(entry.spec, space);
    if (waiting.demand.empty())
      return give_up(
          std::move(waiting),
          "no value says by its label '" + rules.demand_label + "' from which site it is", entry);
  }
  waiting.wanted = without_surplus(entry, waiting);
  note_progress(entry, space, now);
  note_undone(key, entry, space, now);
  const HomeSize* const size = size_of(key, space);
  const std::int64_t number = sites.front().replicas + far;
  // Units are whole ones: some of them may be larger than these few need. Who is far leaves first.
  const bool is_spare = size != nullptr && (far == 0 || number <= entry.spec.min) &&
                        cannot_resize(key, entry, space, now).empty() &&
                        !is_rolling_out(entry, space, now) &&
                        has_spare(sites.front().replicas, *size, rules.up.step,
                                  std::max<std::int64_t>(waiting.wanted - far, 0));
  const bool may_stay =
      size == nullptr || (!is_spare && !is_uneven(key, space) &&
                          lacks_room(entry, space, now).empty() && number >= entry.spec.min);
  if (may_stay &&
      !needs_split(rules, in_units(sites, size), waiting.wanted, entry.moved, seconds(now)))
    return tell(std::move(waiting.report), entry);
  SiteQuestion question;
  question.ticket = ++last_ticket_;
  question.autoscaler = entry.spec;
  for (const ScaleTarget* const target : targets_of(entry.spec, space.targets))
    question.targets.push_back(*target);
  tickets_.emplace(question.ticket, entry.spec.namespace_name.str());
  space.splitting.emplace(question.ticket, std::move(waiting));
  site_questions_.push_back(std::move(question));
}

// [sites]. What comes from elsewhere is as if it came from home; empty: nobody says where anything
// comes from.
std::vector<double> Scaler::demand_of(const Autoscaler& spec, const Space& space) const {
  const SiteRules& rules = *spec.sites;
  const auto asked = std::find_if(
      space.facts->autoscalers.begin(), space.facts->autoscalers.end(), [&](const Autoscaler& one) {
        return one.name == spec.name && one.api_version == kShortAutoscaler;
      });
  std::vector<double> demand(rules.order.size(), 0);
  double known = 0, other = 0;
  for (const ExternalMetric& value : space.facts->metrics.external) {
    if (value.metric != asked->metrics.front().name || value.sample.milli <= 0) continue;
    const auto amount = static_cast<double>(value.sample.milli);
    const std::string* const label = value.labels.find(rules.demand_label);
    const auto site = label == nullptr ? rules.order.end()
                                       : std::find(rules.order.begin(), rules.order.end(), *label);
    (site == rules.order.end() ? other : known) += amount;
    if (site != rules.order.end())
      demand[static_cast<std::size_t>(site - rules.order.begin())] += amount;
  }
  if (known <= 0 && other > 0) return {};
  demand.front() += other;
  return demand;
}

// The formula is content with replicas that came by a move, or are larger in the stead of others.
// Those that are to leave by it do, unless there is work for them by now.
std::int32_t Scaler::without_surplus(Entry& entry, const Splitting& waiting) {
  const ScaleDecision& decision = waiting.report.decision;
  if (decision.rescales()) entry.surplus = 0;
  if (entry.surplus == 0) return decision.replicas;
  const double busy = std::min(std::ceil(needed(entry.spec, decision, waiting.demand)),
                               static_cast<double>(decision.replicas));
  return std::max(decision.replicas - entry.surplus, static_cast<std::int32_t>(busy));
}

// Nothing moves, and that is told.
void Scaler::give_up(Splitting waiting, std::string why, Entry& entry) {
  ScaleReport& report = waiting.report;
  report.why = std::move(why);
  if (report.decision.rescales()) {
    report.outcome = ScaleReport::Outcome::kNotRescaled;
    report.answer = ScaleAnswer::kNotSent;
    ++counts_.not_rescaled;
  }
  tell(std::move(report), entry);
}

void Scaler::answer(std::uint64_t ticket, SiteAnswer answer) {
  Space* const space = space_of(ticket);
  if (space == nullptr) return;
  Splitting waiting = std::move(space->splitting.at(ticket));
  space->splitting.erase(ticket);
  const auto at = space->entries.find(waiting.key);
  if (at == space->entries.end() || !at->second.spec.sites) return;
  Entry& entry = at->second;
  const bool lacks_rtts =
      entry.spec.sites->choice == SiteChoice::kDemand && !answer.rtts.is_whole();
  if (answer.room && lacks_rtts) answer.why = "not all RTTs between them are known";
  if (count_sites(entry, *space).empty()) {
    answer.room.reset();
    answer.why = "they are others by now";
  }
  if (answer.room && !lacks_rtts) {
    const SiteLook look{waiting.wanted, seconds(waiting.now), waiting.demand,
                        static_cast<double>(entry.spec.metrics.front().amount)};
    std::string why = cannot_resize(waiting.key, entry, *space, waiting.now);
    SiteScalerOptions options = splits_by(waiting.key, entry, *space, answer, why, waiting.now);
    const GrowRule bounded = options.rules.up;
    waiting.keeps_size = options.keeps_size;
    std::vector<SiteCount> sites = count_sites(entry, *space);
    if (const HomeSize* const size = size_of(waiting.key, *space))
      sites.front().sizes = size->sizes;
    auto split = split_replicas(std::move(options), sites, look, entry.moved, *answer.room);
    if (split) {
      waiting.report.keeps_size =
          note_size(waiting, *split, bounded, std::move(why), entry, *space);
      return carry_out(waiting, *split, std::move(answer), entry, *space);
    }
    answer.why = std::move(split).error().what;
  }
  give_up(std::move(waiting), "nobody knows what fits on the sites: " + answer.why, entry);
}

// True: with kDemand, who moves is there before it leaves, unless that were too many.
bool Scaler::note_moves(const Splitting& waiting, const SiteSplit& split,
                        const std::vector<SiteCount>& sites, Entry& entry) const {
  std::int64_t there = 0, at_first = 0, in_the_end = 0;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    there += sites[site].replicas;
    at_first += std::max(sites[site].replicas, split.replicas[site]);
    in_the_end += split.replicas[site];
  }
  const bool comes_first = entry.spec.sites->choice == SiteChoice::kDemand && at_first > there &&
                           at_first <= entry.spec.max;
  if (!options_.writes || waiting.now < entry.yields_until) return comes_first;
  entry.moved = split.moved;
  if (entry.spec.sites->choice != SiteChoice::kDemand) return comes_first;
  // Of no more than `max` where some come first.
  const std::int64_t surplus =
      std::min<std::int64_t>(entry.surplus, std::max<std::int64_t>(in_the_end - waiting.wanted, 0));
  entry.surplus = static_cast<std::int32_t>(surplus + (comes_first ? at_first - in_the_end : 0));
  return comes_first;
}

// One change of home after the other: more come before they grow, and they shrink before some
// leave; both when those that are far have left. Those for whom others grow leave no sooner than
// in the look after: the server may refuse it, or a machine put it off.
Scaler::HomeTurn Scaler::turn_of_home(const Splitting& waiting, const SiteSplit& split,
                                      const std::vector<SiteCount>& sites,
                                      const Space& space) const {
  const HomeSize* const size = size_of(waiting.key, space);
  bool is_back = false, is_over = false;
  for (std::size_t site = 1; site < sites.size(); ++site) {
    is_back = is_back || split.replicas[site] < sites[site].replicas;
    is_over = is_over || split.replicas[site] > sites[site].replicas;
  }
  const bool evens_out = is_uneven(waiting.key, space) && split.evens_out && !waiting.keeps_size;
  const bool is_resized = size != nullptr && (split.home != size->amount || evens_out);
  const bool comes = split.replicas[0] > sites[0].replicas;
  const bool leaves = split.replicas[0] < sites[0].replicas;
  HomeTurn turn;
  turn.resizes =
      is_resized && (!comes || !options_.writes) && (!is_back || split.home > size->amount);
  turn.may_leave = !is_back && (!is_resized || !options_.writes);
  turn.far_stay = is_back && !is_over && turn.resizes && options_.writes;
  turn.has_more = (leaves && !turn.may_leave) || (is_resized && !turn.resizes);
  return turn;
}

// However much it is that is left to somebody else, it is told as one.
void Scaler::yield(ScaleReport report, bool is_due, Entry& entry) {
  if (is_due) report.outcome = ScaleReport::Outcome::kYields;
  if (!is_due) report.decision.replicas = report.decision.current;
  tell(std::move(report), entry);
}

// Those that are far leave for who grows in their stead, though the formula may be content with
// both.
void Scaler::note_growth(const Splitting& waiting, const SiteSplit& split,
                         const std::vector<SiteCount>& sites, const HomeTurn& turn, Entry& entry,
                         const Space& space) const {
  const HomeSize* const size = size_of(waiting.key, space);
  if (!options_.writes || size == nullptr) return;
  const std::int64_t left = leaving(split, sites);
  if (turn.resizes && split.home > size->amount)
    entry.surplus = static_cast<std::int32_t>(std::min<std::int64_t>(
        stood_in_for(split, *size, waiting.wanted) + (turn.far_stay ? left : 0), waiting.wanted));
  else if (left > 0)
    entry.surplus = 0;
}

void Scaler::carry_out(const Splitting& waiting, const SiteSplit& split, SiteAnswer answer,
                       Entry& entry, Space& space) {
  const std::vector<ObjectName> workloads = site_workloads(entry.spec);
  const std::vector<SiteCount> sites = count_sites(entry, space);
  const HomeTurn turn = turn_of_home(waiting, split, sites, space);
  const std::optional<UnixSeconds> moved = entry.moved;
  const bool comes_first = note_moves(waiting, split, sites, entry);
  if (turn.far_stay) entry.moved = moved;
  ScaleReport report = waiting.report;
  report.without_place = split.without_place;
  report.whole = waiting.wanted - report.decision.current;
  if (options_.writes && waiting.now < entry.yields_until)
    return yield(std::move(report), changes(split, sites) || turn.resizes, entry);
  space.has_more = space.has_more || turn.has_more;
  bool is_changed = false;
  for (const bool grows : {true, false})
    for (std::size_t site = 0; site < sites.size(); ++site) {
      const std::int32_t from = sites[site].replicas, to = split.replicas[site];
      if (from == to || (to > from) != grows || (comes_first && !grows)) continue;
      if (!grows && (site == 0 ? !turn.may_leave : turn.far_stay)) continue;
      ScaleReport one = report;
      report.keeps_size.clear();
      one.autoscaler.target = workloads[site];
      one.target_uid = space.targets.at(workload_of(workloads[site])).uid;
      one.decision.current = from;
      one.decision.replicas = to;
      const HomeSize* const size = site == 0 ? size_of(waiting.key, space) : nullptr;
      const std::int32_t before = units_of(from, size), after = units_of(to, size);
      record_change(before, after, entry.spec.behavior ? &*entry.spec.behavior : nullptr,
                    entry.history, seconds(waiting.now));
      ScaleWrite write;
      if (!grows && site < answer.costs.size()) write.costs = std::move(answer.costs[site]);
      act(waiting.key, entry, std::move(one), after - before, std::move(write), space, waiting.now);
      is_changed = true;
    }
  if (take_back(waiting, answer, report, entry, space)) is_changed = true;
  if (entry.spec.sites->choice != SiteChoice::kDemand)
    note_growth(waiting, split, sites, turn, entry, space);
  if (turn.resizes && resize_home(waiting, split, answer, report, entry, space)) return;
  if (is_changed) return;
  report.decision.replicas = report.decision.current;
  tell(std::move(report), entry);
}

}  // namespace gedge
