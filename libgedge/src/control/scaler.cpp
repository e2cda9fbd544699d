#include "gedge/control/scaler.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "control/workload_key.hpp"
#include "gedge/scale/status_text.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostTimes = 16;
constexpr std::int64_t kNanosInSecond = 1'000'000'000;

std::string key_of(const Autoscaler& autoscaler) {
  const bool is_short = autoscaler.api_version == kShortAutoscaler;
  return (is_short ? "short/" : "object/") + autoscaler.name.str();
}

bool is_same_spec(const Autoscaler& a, const Autoscaler& b) {
  const auto spec = [](const Autoscaler& one) {
    return std::tie(one.target, one.min, one.max, one.metrics, one.behavior, one.sites);
  };
  return spec(a) == spec(b);
}

// What changed since: conditions that are not said any more stay.
void remember_conditions(const ScaleDecision& decision, UnixSeconds at,
                         std::vector<DatedCondition>& known) {
  for (const ScaleCondition& condition : decision.conditions) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const DatedCondition& one) {
      return one.first.type == condition.type;
    });
    if (same == known.end()) {
      known.emplace_back(condition, at);
      continue;
    }
    if (same->first.is_true != condition.is_true) same->second = at;
    same->first = condition;
  }
}

// As if its metric had failed.
void hold(const Autoscaler& autoscaler, ScaleDecision& decision) {
  decision.step = ScaleStep::kFrozen;
  decision.replicas = decision.current;
  const ScaleReason reason = failure_reason(autoscaler.metrics[decision.deciding.value_or(0)].kind);
  std::erase_if(decision.conditions, [](const ScaleCondition& condition) {
    return condition.type == ScaleConditionType::kScalingLimited;
  });
  set_condition(decision.conditions,
                {ScaleConditionType::kAbleToScale, true, ScaleReason::kSucceededGetScale});
  set_condition(decision.conditions, {ScaleConditionType::kScalingActive, false, reason});
}

bool is_same_metric(const MetricAnswer& a, const MetricAnswer& b) {
  const auto shown = [](const MetricAnswer& one) {
    return std::tie(one.failure, one.utilization, one.average_milli, one.value_milli);
  };
  return shown(a) == shown(b);
}

bool is_same_report(const ScaleReport& a, const ScaleReport& b) {
  const auto said = [](const ScaleReport& one) {
    return std::tie(one.outcome, one.autoscaler.generation, one.decision.step, one.decision.current,
                    one.decision.replicas, one.conditions, one.why, one.answer, one.rescaled_at,
                    one.without_place, one.size);
  };
  const std::vector<MetricAnswer>&x = a.decision.metrics, &y = b.decision.metrics;
  return said(a) == said(b) && std::equal(x.begin(), x.end(), y.begin(), y.end(), is_same_metric);
}

}  // namespace

// What changes one site need not be what changes the whole.
std::string change_reason(const ScaleReport& report) {
  const ScaleDecision& decision = report.decision;
  if (report.size && !report.size->undoes.empty()) return report.size->undoes;
  const bool is_more =
      report.size ? report.size->to > report.size->from : decision.replicas > decision.current;
  if (report.whole && (is_more ? *report.whole <= 0 : *report.whole >= 0))
    return "As many replicas as before, on other sites or of another size";
  return rescale_reason(report.autoscaler, decision, is_more);
}

void Scaler::put(Autoscaler autoscaler) {
  Space& space = spaces_[autoscaler.namespace_name.str()];
  const std::string key = key_of(autoscaler);
  const bool is_object = autoscaler.api_version != kShortAutoscaler;
  if (is_object) space.taken[autoscaler.name.str()] = workload_of(autoscaler.target);
  if (!is_ours(autoscaler)) return;
  const auto [at, is_new] = space.entries.try_emplace(key);
  Entry& entry = at->second;
  const bool is_same = !is_new && entry.spec.uid == autoscaler.uid;
  const auto is_own_time = [&](UnixSeconds time) {
    return time == entry.spec.last_scaled ||
           std::find(entry.own_times.begin(), entry.own_times.end(), time) != entry.own_times.end();
  };
  if (options_.writes && is_object && is_same && autoscaler.last_scaled != kNever &&
      !is_own_time(autoscaler.last_scaled))
    stopped_ = Error{Errc::kDenied,
                     "somebody else scales by the HorizontalPodAutoscaler " +
                         autoscaler.namespace_name.str() + "/" + autoscaler.name.str(),
                     {},
                     "run kube-controller-manager with "
                     "`--controllers=*,-horizontalpodautoscaling`, or leave out `--own-hpa`"};
  if (!is_new && !is_same) entry = Entry{};
  if (!is_same || !is_same_spec(entry.spec, autoscaler)) space.due = Nanos{0};
  entry.spec = std::move(autoscaler);
}

void Scaler::remove_object(const std::string& namespace_name, const std::string& name) {
  const auto at = spaces_.find(namespace_name);
  if (at == spaces_.end()) return;
  at->second.taken.erase(name);
  at->second.entries.erase("object/" + name);
}

void Scaler::keep_objects(const std::vector<PodName>& names) {
  std::set<std::pair<std::string, std::string>> kept;
  for (const PodName& name : names) kept.emplace(name.namespace_name.str(), name.name.str());
  for (auto& [space_name, space] : spaces_) {
    std::vector<std::string> gone;
    for (const auto& [name, workload] : space.taken)
      if (!kept.contains({space_name, name})) gone.push_back(name);
    for (const std::string& name : gone) remove_object(space_name, name);
  }
}

void Scaler::put(ScaledPod pod) {
  Space& space = spaces_[pod.namespace_name.str()];
  space.pods.insert_or_assign(pod.name.str(), std::move(pod));
}

void Scaler::remove_pod(const std::string& namespace_name, const std::string& name) {
  const auto at = spaces_.find(namespace_name);
  if (at != spaces_.end()) at->second.pods.erase(name);
}

void Scaler::keep_pods(const std::vector<PodName>& names) {
  std::map<std::string, std::set<std::string>> kept;
  for (const PodName& name : names) kept[name.namespace_name.str()].insert(name.name.str());
  for (auto& [space_name, space] : spaces_) {
    const std::set<std::string>& of_space = kept[space_name];
    std::erase_if(space.pods, [&](const auto& pod) { return !of_space.contains(pod.first); });
  }
}

UnixSeconds Scaler::seconds(Nanos now) const {
  return epoch_->second + (now - epoch_->first).count() / kNanosInSecond;
}

bool Scaler::is_taken(const Space& space, const Entry& entry) const {
  if (entry.spec.api_version != kShortAutoscaler) return false;
  const std::vector<ObjectName> own = site_workloads(entry.spec);
  return std::any_of(own.begin(), own.end(), [&](const ObjectName& one) {
    const std::string workload = workload_of(one);
    return std::any_of(space.taken.begin(), space.taken.end(),
                       [&](const auto& object) { return object.second == workload; });
  });
}

Status Scaler::advance(Nanos now, UnixSeconds date) {
  if (stopped_) return *stopped_;
  if (!epoch_) epoch_.emplace(now, date);
  for (auto& [name, space] : spaces_) {
    if (space.entries.empty() && space.state == State::kResting) continue;
    if (space.state == State::kResting && now >= space.due) begin(name, space, now);
    if (space.state == State::kScales && space.scale_reads.empty()) read_metrics(name, space);
    if (space.state == State::kMetrics && space.metric_reads.empty())
      decide(name, space, now, date);
    if (space.state == State::kWrites && space.pending.empty() && space.splitting.empty()) {
      space.state = State::kResting;
      space.was_looked_at = true;
      if (std::exchange(space.is_wanted_again, false)) space.due = now + options_.retry;
    }
    if (space.state == State::kResting) poll(name, space, now);
  }
  return {};
}

std::optional<Nanos> Scaler::next() const {
  std::optional<Nanos> next;
  const auto meet = [&next](Nanos at) { next = next ? std::min(*next, at) : at; };
  for (const auto& [name, space] : spaces_) {
    // All is answered, and nobody has noticed yet.
    if (space.state == State::kWrites && space.pending.empty() && space.splitting.empty())
      meet(Nanos{0});
    if (space.state != State::kResting || space.entries.empty()) continue;
    meet(space.due);
    if (options_.react > Nanos{0} && space.polls.empty())
      for (const auto& [key, asked] : space.asked)
        if (asked.read.source == MetricSource::kQuery) meet(space.polls_at);
  }
  return next;
}

void Scaler::begin(const std::string& name, Space& space, Nanos now) {
  space.state = State::kScales;
  space.due = std::max(space.due + options_.period, now);
  if (space.due - now < options_.period / 2) space.due = now + options_.period;
  space.targets.clear();
  space.asked.clear();
  space.failures.clear();
  space.has_more = false;
  std::set<std::string> asked;
  for (const auto& [key, entry] : space.entries) {
    if (is_taken(space, entry)) continue;
    for (const ObjectName& target : site_workloads(entry.spec)) {
      if (!asked.insert(workload_of(target)).second) continue;
      const std::uint64_t ticket = ++last_ticket_;
      tickets_.emplace(ticket, name);
      space.scale_reads.emplace(ticket, workload_of(target));
      const bool is_home = target == entry.spec.target;
      const bool grows = entry.spec.sites && !entry.spec.sites->up.resource.empty();
      scale_reads_.push_back({ticket, name, target, is_home && grows});
    }
  }
}

Scaler::Space* Scaler::space_of(std::uint64_t ticket) {
  const auto at = tickets_.find(ticket);
  if (at == tickets_.end()) return nullptr;
  Space& space = spaces_[at->second];
  tickets_.erase(at);
  return &space;
}

void Scaler::answer(std::uint64_t ticket, ScaleReading reading) {
  Space* const space = space_of(ticket);
  if (space == nullptr) return;
  const auto at = space->scale_reads.find(ticket);
  if (reading.kind == ScaleReading::Kind::kFound)
    space->targets.insert_or_assign(at->second, std::move(reading.scale));
  else
    space->failures.emplace(at->second, std::move(reading.why));
  space->scale_reads.erase(at);
}

void Scaler::decide(const std::string& name, Space& space, Nanos now, UnixSeconds date) {
  space.state = State::kWrites;
  gather(name, space, seconds(now), date);
  const WorkloadIndex index(*space.facts);
  std::size_t next = 0;  // of the facts, which leave out what is taken
  for (auto& [key, entry] : space.entries) {
    if (is_taken(space, entry)) {
      ScaleReport report;
      report.outcome = ScaleReport::Outcome::kTaken;
      report.autoscaler = entry.spec;
      report.at = date;
      tell(std::move(report), entry);
      continue;
    }
    const ScaleTarget* const target = target_of(key, entry, space);
    if (target != nullptr && target->uid != entry.target_uid) {
      entry.history = {};  // another one of that name
      entry.expected.clear();
      entry.moved.reset();
      entry.surplus = 0;
      entry.growth = {};
      entry.target_uid = target->uid;
    }
    ScaleHistory before = entry.history;
    ScaleDecision decision =
        ask_formula(space.facts->autoscalers[next++], index, before, entry, now);
    std::string reason =
        target != nullptr ? unknown_pods(entry, *target, index, decision) : std::string();
    if (!reason.empty()) {
      hold(entry.spec, decision);
      entry.history = before;
    } else {
      reason = why(key, space, entry, decision);
    }
    decide(key, entry, std::move(decision), std::move(before), std::move(reason), space, now, date);
  }
}

// The formula looks at no metric while there are fewer than the least. Those that lack may have no
// place anywhere: what is wanted beyond them is asked all the same of those that grow.
ScaleDecision Scaler::ask_formula(const Autoscaler& autoscaler, const WorkloadIndex& index,
                                  const ScaleHistory& before, Entry& entry, Nanos now) const {
  ScaleDecision decision =
      reconcile(autoscaler, index, entry.history, seconds(now), options_.settings);
  const bool grows = autoscaler.sites && !autoscaler.sites->up.resource.empty();
  if (!grows || decision.step != ScaleStep::kBelowMin) return decision;
  Autoscaler free = autoscaler;
  free.min = decision.current;
  ScaleHistory history = before;
  ScaleDecision more = reconcile(free, index, history, seconds(now), options_.settings);
  if (more.step != ScaleStep::kComputed || more.replicas <= decision.replicas) return decision;
  entry.history = std::move(history);
  return more;
}

void Scaler::decide(const std::string& key, Entry& entry, ScaleDecision decision,
                    ScaleHistory before, std::string why, Space& space, Nanos now,
                    UnixSeconds date) {
  ++counts_.looks;
  ScaleReport report;
  report.autoscaler = entry.spec;
  report.target_uid = entry.target_uid;
  report.at = date;
  report.why = std::move(why);
  report.was_frozen = entry.is_frozen;
  entry.is_frozen = report.is_frozen =
      decision.step == ScaleStep::kFrozen || decision.step == ScaleStep::kMetricsFailed;
  if (decision.step != ScaleStep::kNoTarget && is_changed_by_others(entry, space) &&
      entry.spec.api_version == kShortAutoscaler) {
    entry.yields_until = now + options_.yield;
    entry.surplus = 0;
  }
  report.decision = std::move(decision);
  if (entry.spec.sites) return split(key, entry, std::move(report), std::move(before), space, now);
  const std::int32_t change = report.decision.replicas - report.decision.current;
  act(key, entry, std::move(report), change, ScaleWrite(), space, now);
}

// What it finds is what is expected from now on.
bool Scaler::is_changed_by_others(Entry& entry, const Space& space) const {
  bool is_changed = false;
  for (const ObjectName& one : site_workloads(entry.spec)) {
    const std::string workload = workload_of(one);
    const auto target = space.targets.find(workload);
    if (target == space.targets.end()) continue;
    const std::int32_t found = target->second.spec_replicas;
    const auto [at, is_new] = entry.expected.try_emplace(workload, found);
    is_changed = is_changed || at->second != found;
    at->second = found;
  }
  return is_changed;
}

// `write`: what is more to it than replicas. `change`: what is remembered of it already.
void Scaler::act(const std::string& key, Entry& entry, ScaleReport report, std::int32_t change,
                 ScaleWrite write, Space& space, Nanos now) {
  using Outcome = ScaleReport::Outcome;
  const bool changes = report.decision.rescales() || report.size;
  if (changes && options_.writes && now >= entry.yields_until) {
    write.target = report.autoscaler.target;
    const ScaleTarget& target = space.targets.at(workload_of(write.target));
    write.ticket = ++last_ticket_;
    tickets_.emplace(write.ticket, entry.spec.namespace_name.str());
    write.namespace_name = entry.spec.namespace_name.str();
    write.replicas = report.decision.replicas;
    write.uid = target.uid;
    write.version = target.version;
    Pending pending{key, std::move(report), change, now, {}, {}};
    if (write.resize) pending.uid = write.resize->uid;
    if (write.resize) pending.version = write.resize->version;
    space.pending.emplace(write.ticket, std::move(pending));
    writes_.push_back(std::move(write));
    return;
  }
  if (changes) {
    report.outcome = options_.writes ? Outcome::kYields : Outcome::kWouldRescale;
    forget_change(change, entry.history, seconds(now));
  }
  tell(std::move(report), entry);
}

void Scaler::answer(std::uint64_t ticket, ScaleAnswer answer, std::string why) {
  Space* const space = space_of(ticket);
  if (space == nullptr) return;
  Pending pending = std::move(space->pending.at(ticket));
  space->pending.erase(ticket);
  pending.report.answer = answer;
  if (answer != ScaleAnswer::kDone) pending.report.why = std::move(why);
  if (answer == ScaleAnswer::kDone && space->has_more) space->is_wanted_again = true;
  const auto entry = space->entries.find(pending.key);
  if (entry == space->entries.end()) return;
  if (is_met_again(pending, entry->second)) {
    pending.report.answer = ScaleAnswer::kConflict;
    space->is_wanted_again = true;
  }
  settle(std::move(pending), entry->second);
}

// It was changed meanwhile, or the pod is one of the past. Where all are, time and again, it may be
// the server that has nothing to resize them by.
bool Scaler::is_met_again(const Pending& pending, Entry& entry) {
  constexpr std::int32_t kMostLooks = 3;
  const ScaleReport& report = pending.report;
  if (report.answer == ScaleAnswer::kDone) entry.growth.gone_looks = 0;
  const bool is_pod = report.size && !report.size->pod.empty();
  if (report.answer != ScaleAnswer::kGone || !is_pod)
    return report.answer == ScaleAnswer::kConflict;
  entry.growth.gone_looks +=
      pending.now != std::exchange(entry.growth.gone_at, pending.now) ? 1 : 0;
  return entry.growth.gone_looks < kMostLooks;
}

// Of what nobody knows whether it was written, nothing is taken for somebody else's.
void Scaler::note_resized(const Pending& pending, Entry& entry) const {
  const ScaleReport& report = pending.report;
  const ScaleReport::Size& size = *report.size;
  Growth& growth = entry.growth;
  const bool is_done = report.answer == ScaleAnswer::kDone;
  if (is_done || report.answer == ScaleAnswer::kUnknown) {
    if (size.pod.empty()) {
      growth.stale_note.clear();
      growth.written.reset();
      if (is_done && size.to > size.base) growth.written = {size.to, size.base};
    } else {
      growth.given.erase(pending.uid);
      if (is_done) growth.given[pending.uid] = {size.to, pending.version};
    }
  }
  if (is_done && !size.undoes.empty()) note_setback(size.undoes, entry, pending.now);
  if (is_done || report.answer == ScaleAnswer::kConflict) return;
  if (size.to > size.from) {
    growth.resize_fails = report.why;
  } else {
    growth.shrink_fails = report.why;
    growth.shrinks_again_at = pending.now + options_.yield;
  }
}

// A change that nobody knows of is remembered as if it had been made: that only slows the next one.
// Others of the same look stay as they are.
void Scaler::settle(Pending pending, Entry& entry) {
  ScaleReport& report = pending.report;
  if (report.size) note_resized(pending, entry);
  if (report.answer == ScaleAnswer::kDone) {
    report.outcome = ScaleReport::Outcome::kRescaled;
    const bool is_up = report.size ? report.size->to > report.size->from
                                   : report.decision.replicas > report.decision.current;
    ++(is_up ? counts_.ups : counts_.downs);
    if (!report.size)
      entry.expected[workload_of(report.autoscaler.target)] = report.decision.replicas;
    entry.rescaled_at = report.at;
    entry.own_times.push_back(report.at);
    if (entry.own_times.size() > kMostTimes) entry.own_times.erase(entry.own_times.begin());
    return tell(std::move(report), entry);
  }
  entry.surplus = 0;  // what was to come may not be there
  report.outcome = ScaleReport::Outcome::kNotRescaled;
  ++(report.answer == ScaleAnswer::kConflict ? counts_.conflicts : counts_.not_rescaled);
  set_condition(report.decision.conditions,
                {ScaleConditionType::kAbleToScale, false, ScaleReason::kFailedUpdateScale});
  if (report.answer == ScaleAnswer::kUnknown) {
    if (!report.size) entry.expected.erase(workload_of(report.autoscaler.target));
  } else {
    forget_change(pending.change, entry.history, seconds(pending.now));
  }
  tell(std::move(report), entry);
}

void Scaler::tell(ScaleReport report, Entry& entry) {
  remember_conditions(report.decision, report.at, entry.conditions);
  report.conditions = entry.conditions;
  report.rescaled_at = entry.rescaled_at;
  report.is_news = !entry.told || !is_same_report(report, *entry.told);
  entry.told = report;
  reports_.push_back(std::move(report));
}

std::size_t Scaler::autoscalers() const {
  std::size_t count = 0;
  for (const auto& [name, space] : spaces_) count += space.entries.size();
  return count;
}

std::size_t Scaler::frozen() const {
  std::size_t count = 0;
  for (const auto& [name, space] : spaces_)
    for (const auto& [key, entry] : space.entries) count += entry.is_frozen ? 1U : 0U;
  return count;
}

std::size_t Scaler::writing() const {
  std::size_t count = 0;
  for (const auto& [name, space] : spaces_) count += space.pending.size();
  return count;
}

bool Scaler::is_settled() const {
  return std::all_of(spaces_.begin(), spaces_.end(), [](const auto& one) {
    const Space& space = one.second;
    return space.entries.empty() || (space.was_looked_at && space.state == State::kResting);
  });
}

const ScaleFacts* Scaler::facts(const std::string& namespace_name) const {
  const auto at = spaces_.find(namespace_name);
  return at == spaces_.end() || !at->second.facts ? nullptr : &*at->second.facts;
}

}  // namespace gedge
