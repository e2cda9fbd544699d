// control/scaler_sites.cpp - autoscalers whose replicas are on several sites, each with a workload
// of its own: seen as one by the formula, then split by what fits where.
#include <algorithm>
#include <utility>

#include "gedge/control/scaler.hpp"

namespace gedge {
namespace {

// On facts of a look alone: what all pods of an autoscaler have in common.
constexpr const char* kSitesLabel = "sites.gedge.io/autoscaler";

std::string workload_of(const ObjectName& target) { return target.kind + "/" + target.name; }

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

void Scaler::join_sites(Space& space) const {
  space.joined.clear();
  for (const auto& [key, entry] : space.entries) {
    if (!entry.spec.sites) continue;
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
    for (const ScaleTarget* const target : targets) {
      joined.spec_replicas += target->spec_replicas;
      joined.status_replicas += target->status_replicas;
      joined.uid += target->uid + " ";
    }
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
    for (const auto& [name, pod] : space.pods)
      if (pod.ready == ReadyState::kTrue && !pod.deleting && pod.phase == PodPhase::kRunning &&
          target->selector.matches(pod.labels))
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
  const std::vector<SiteCount> sites = count_sites(entry, space);
  const bool is_known = has_answer(report.decision) && !sites.empty();
  std::int32_t far = 0;
  for (std::size_t site = 1; site < sites.size(); ++site) far += sites[site].replicas;
  // Nobody knows when they went there: they stay as if it had been now.
  if (is_known && far > 0 && !entry.moved) entry.moved = seconds(now);
  if (!is_known ||
      !needs_split(*entry.spec.sites, sites, report.decision.replicas, entry.moved, seconds(now)))
    return tell(std::move(report), entry);
  SiteQuestion question;
  question.ticket = ++last_ticket_;
  question.autoscaler = entry.spec;
  for (const ScaleTarget* const target : targets_of(entry.spec, space.targets))
    question.targets.push_back(*target);
  tickets_.emplace(question.ticket, entry.spec.namespace_name.str());
  space.splitting.emplace(question.ticket, Splitting{key, std::move(report), now});
  site_questions_.push_back(std::move(question));
}

void Scaler::answer(std::uint64_t ticket, SiteAnswer answer) {
  Space* const space = space_of(ticket);
  if (space == nullptr) return;
  Splitting waiting = std::move(space->splitting.at(ticket));
  space->splitting.erase(ticket);
  const auto at = space->entries.find(waiting.key);
  if (at == space->entries.end() || !at->second.spec.sites) return;
  Entry& entry = at->second;
  if (answer.room) {
    auto split = split_replicas({*entry.spec.sites, answer.rtts, entry.spec.max, 0},
                                count_sites(entry, *space), waiting.report.decision.replicas,
                                entry.moved, seconds(waiting.now), *answer.room);
    if (split) return carry_out(waiting, *split, std::move(answer), entry, *space);
    answer.why = std::move(split).error().what;
  }
  ScaleReport& report = waiting.report;
  report.why = "nobody knows what fits on the sites: " + answer.why;
  if (report.decision.rescales()) {
    report.outcome = ScaleReport::Outcome::kNotRescaled;
    report.answer = ScaleAnswer::kNotSent;
    ++counts_.not_rescaled;
  }
  tell(std::move(report), entry);
}

void Scaler::carry_out(const Splitting& waiting, const SiteSplit& split, SiteAnswer answer,
                       Entry& entry, Space& space) {
  const std::vector<ObjectName> workloads = site_workloads(entry.spec);
  const std::vector<SiteCount> sites = count_sites(entry, space);
  const ScalingBehavior* const behavior = entry.spec.behavior ? &*entry.spec.behavior : nullptr;
  if (options_.writes && waiting.now >= entry.yields_until) entry.moved = split.moved;
  ScaleReport report = waiting.report;
  report.without_place = split.without_place;
  const auto shrinks = [&](std::size_t site) {
    return split.replicas[site] < sites[site].replicas;
  };
  bool is_changed = false, is_back = false;
  for (std::size_t site = 1; site < sites.size(); ++site) is_back = is_back || shrinks(site);
  // Those at home leave when those that are far have left.
  space.is_wanted_again = space.is_wanted_again || (is_back && shrinks(0));
  for (const bool grows : {true, false})
    for (std::size_t site = 0; site < sites.size(); ++site) {
      const std::int32_t from = sites[site].replicas, to = split.replicas[site];
      if (from == to || (to > from) != grows || (is_back && site == 0 && !grows)) continue;
      ScaleReport one = report;
      one.autoscaler.target = workloads[site];
      one.target_uid = space.targets.at(workload_of(workloads[site])).uid;
      one.decision.current = from;
      one.decision.replicas = to;
      ScaleHistory before = entry.history;
      record_change(from, to, behavior, entry.history, seconds(waiting.now));
      std::vector<PodCost> costs;
      if (!grows && site < answer.costs.size()) costs = std::move(answer.costs[site]);
      act(waiting.key, entry, std::move(one), std::move(before), std::move(costs), space,
          waiting.now);
      is_changed = true;
    }
  if (is_changed) return;
  report.decision.replicas = report.decision.current;
  tell(std::move(report), entry);
}

}  // namespace gedge
