// control/scheduler.cpp - states of pods, and what moves them on.
#include "gedge/control/scheduler.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "control/doubled.hpp"
#include "control/help.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kMostHeld = 8;  // attempts of a pod that keeps its place meanwhile

std::set<std::string> names_of(const std::vector<Profile>& profiles) {
  std::set<std::string> names;
  for (const Profile& profile : profiles) names.insert(profile.scheduler_name);
  return names;
}

}  // namespace

Scheduler::Scheduler(LiveCluster cluster, std::vector<std::string> scheduler_names,
                     SchedulerOptions options)
    : cluster_(std::move(cluster)),
      names_(std::move(scheduler_names)),
      options_(options),
      allowed_binds_(options.first_binds) {}

void Scheduler::put(RttMatrix rtt) {
  cluster_.put(std::move(rtt));
  helped_ |= kRttHelps;
}

Status Scheduler::use(std::vector<Profile> profiles) {
  if (names_of(profiles) != names_of(cluster_.profiles()))
    return invalid_input("the profiles serve other schedulerNames than those before", {},
                         "start again to serve others");
  GEDGE_TRY(cluster_.use(std::move(profiles)));
  helped_ |= kAllHelps;
  return {};
}

// Its answer says nothing new.
void Scheduler::settle_flight(const Key& key) {
  const auto flight = flights_.find(key);
  if (flight == flights_.end()) return;
  tickets_.erase(flight->second.ticket);
  flights_.erase(flight);
}

// Once, however often it is asked about.
void Scheduler::count_bound(Entry& entry) {
  if (!std::exchange(entry.is_counted, true)) ++counts_.bound;
  if (std::exchange(entry.is_shaken, false))
    next_ones_.push_back({entry.name, entry.uid, entry.node});
}

// Nothing of its name has the place.
void Scheduler::settle_gone(Entry& entry) {
  const PodName pod = entry.name;
  helped_ |= help_of_leaving(cluster_.find_spec(pod));
  drop(key_of(pod));
  cluster_.remove(FactKind::kPod, pod.namespace_name, pod.name);
}

// A place that was held is free for others.
void Scheduler::release(const PodName& pod) {
  cluster_.forget(pod);
  helped_ |= help_of_leaving(cluster_.find_spec(pod));
}

void Scheduler::drop(const Key& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  leave_state(at->second);
  join(at->second, {});
  entries_.erase(at);
}

void Scheduler::join(Entry& entry, const Key& group) {
  if (entry.group == group) return;
  const Key key = key_of(entry.name);
  if (const auto left = groups_.find(entry.group); left != groups_.end()) {
    left->second.erase(key);
    if (left->second.empty()) groups_.erase(left);
  }
  if (!group.empty()) groups_[group].insert(key);
  entry.group = group;
}

void Scheduler::enter_state(Entry& entry, State state, Nanos until) {
  entry.state = state;
  entry.until = until;
  const Key key = key_of(entry.name);
  if (until != Nanos{0}) timers_.emplace(until, key);
  switch (state) {
    case State::kActive:
      active_.insert(entry.rank);
      break;
    case State::kUnschedulable:
      parked_[entry.helps].insert(key);
      break;
    case State::kAwaiting:
      awaiting_.insert(key);
      break;
    default:
      break;
  }
  ++sizes_[static_cast<std::size_t>(state)];
}

void Scheduler::leave_state(Entry& entry) {
  const Key key = key_of(entry.name);
  if (entry.until != Nanos{0}) timers_.erase({entry.until, key});
  if (entry.state == State::kActive) active_.erase(entry.rank);
  if (entry.state == State::kUnschedulable) parked_[entry.helps].erase(key);
  if (entry.state == State::kAwaiting) awaiting_.erase(key);
  entry.holds = false;
  if (entry.reading != 0) tickets_.erase(std::exchange(entry.reading, 0));
  --sizes_[static_cast<std::size_t>(entry.state)];
}

Nanos Scheduler::backoff_of(const Entry& entry) const {
  const std::uint32_t times = entry.attempts == 0 ? 0 : entry.attempts - 1;
  return doubled(options_.initial_backoff, times, options_.max_backoff);
}

void Scheduler::back_off(Entry& entry, Nanos now) {
  leave_state(entry);
  enter_state(entry, State::kBackoff, now + backoff_of(entry));
}

// Those whom nothing that happened can help stay where they are.
void Scheduler::wake(Nanos now) {
  const std::uint8_t helped = std::exchange(helped_, 0);
  if (helped == 0) return;
  std::vector<Key> woken;
  for (const auto& [helps, keys] : parked_)
    if ((helps & helped) != 0) woken.insert(woken.end(), keys.begin(), keys.end());
  for (const Key& key : woken) {
    Entry& entry = entries_.at(key);
    const Nanos until = entry.tried + backoff_of(entry);
    leave_state(entry);
    if (until <= now)
      enter_state(entry, State::kActive);
    else
      enter_state(entry, State::kBackoff, until);
  }
}

// Asks what has become of the pod.
void Scheduler::ask(Entry& entry) {
  leave_state(entry);
  entry.reading = ++last_ticket_;
  tickets_.emplace(entry.reading, key_of(entry.name));
  reads_.push_back({entry.reading, entry.name});
  enter_state(entry, State::kUnclear);
}

void Scheduler::settle(Entry& entry, BindAnswer answer, Nanos now) {
  // It was sent for another UID, or for a pod that went: it may have met the next one.
  if (entry.state == State::kUnclear || entry.is_going || entry.is_gone) return ask(entry);
  switch (answer) {
    case BindAnswer::kBound:
      count_bound(entry);
      leave_state(entry);
      return enter_state(entry, State::kBound);
    case BindAnswer::kGone:
      ++counts_.gone;
      release(entry.name);
      return drop(key_of(entry.name));
    case BindAnswer::kRefused:
    case BindAnswer::kNotSent:
      ++(answer == BindAnswer::kRefused ? counts_.refused : counts_.unsent);
      return try_later(entry, now);
    case BindAnswer::kConflict:
    case BindAnswer::kUnknown:
      ++counts_.unclear;
      entry.is_shaken = true;  // until it is settled nobody looks
      return ask(entry);
  }
}

void Scheduler::answer(std::uint64_t ticket, BindAnswer answer, Nanos now) {
  const auto at = tickets_.find(ticket);
  if (at == tickets_.end()) return;
  const Key key = at->second;
  tickets_.erase(at);
  flights_.erase(key);
  heed(answer, now);
  const auto entry = entries_.find(key);
  if (entry != entries_.end()) settle(entry->second, answer, now);
}

void Scheduler::read_again(Nanos now) {
  std::vector<Key> due;
  for (auto at = timers_.begin(); at != timers_.end() && at->first <= now; ++at)
    if (entries_.at(at->second).state == State::kUnclear) due.push_back(at->second);
  for (const Key& key : due) ask(entries_.at(key));
}

void Scheduler::answer(std::uint64_t ticket, const PodReading& reading, Nanos now) {
  const auto at = tickets_.find(ticket);
  if (at == tickets_.end()) return;
  const Key key = at->second;
  tickets_.erase(at);
  Entry& entry = entries_.at(key);
  entry.reading = 0;
  if (reading.kind == PodReading::Kind::kUnreadable) {
    const Nanos wait = doubled(options_.first_reread, entry.rereads++, options_.max_reread);
    leave_state(entry);
    return enter_state(entry, State::kUnclear, std::max(now + wait, rest_until_));
  }
  entry.rereads = 0;
  const bool is_found = reading.kind == PodReading::Kind::kFound;
  const bool is_there = is_found && !reading.is_finished;
  if (is_found && reading.node == entry.node) {
    count_bound(entry);
    const bool was_read_before = entry.is_gone && reading.uid == entry.uid;
    if (!is_there || was_read_before) return settle_gone(entry);
    leave_state(entry);
    return enter_state(entry, State::kBound);
  }
  const bool is_going = entry.is_going && is_there && reading.uid == entry.uid;
  if (entry.is_gone || (entry.is_going && !is_going)) return settle_gone(entry);
  if (!is_going && is_there && reading.node.empty()) return try_later(entry, now);
  release(entry.name);
  counts_.gone += is_there ? 0U : 1U;
  drop(key);  // it went, or somebody else bound it: the watch says so, too
}

// Without its place, a group of which some are bound could stay as it is for ever.
void Scheduler::try_later(Entry& entry, Nanos now) {
  const bool is_late =
      now - entry.tried >= cluster_.group_timeout(entry.name).value_or(Nanos::max());
  const bool holds = !entry.group.empty() && entry.attempts < kMostHeld && !is_late;
  if (!holds) release(entry.name);
  back_off(entry, now);
  entry.holds = holds;
}

Status Scheduler::try_again(Entry& entry) {
  const auto fits = cluster_.still_fits(entry.name);
  if (!fits) return fits.error();
  leave_state(entry);
  if (*fits) {
    ++entry.attempts;
    ++counts_.retried;
    send_bind(entry);
    return {};
  }
  release(entry.name);
  enter_state(entry, State::kActive);
  return {};
}

Status Scheduler::run_timers(Nanos now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Entry& entry = entries_.at(timers_.begin()->second);
    if (entry.state == State::kUnclear) {
      ask(entry);
      continue;
    }
    if (entry.state == State::kAwaiting) {
      give_up_volumes(entry, now);
      continue;
    }
    if (entry.holds && room(now) == 0) {
      leave_state(entry);
      enter_state(entry, State::kBackoff, now + options_.first_pause);
      entry.holds = true;
      continue;
    }
    if (entry.holds) {
      GEDGE_TRY(try_again(entry));
      continue;
    }
    const bool is_flushed =
        entry.state == State::kUnschedulable && entry.until != entry.search_from;
    counts_.flushed += is_flushed ? 1U : 0U;
    leave_state(entry);
    enter_state(entry, State::kActive);
  }
  return {};
}

// What was told of why it waits may not have been written, and is not so any more: if it comes to
// wait again, it is told again.
void Scheduler::send_bind(Entry& entry) {
  entry.message = {};
  entry.is_next = false;
  const Key key = key_of(entry.name);
  const std::uint64_t ticket = ++last_ticket_;
  tickets_.emplace(ticket, key);
  flights_[key] = {ticket, entry.node};
  binds_.push_back({ticket, entry.name, entry.uid, entry.node});
  entry.is_shaken = false;
  enter_state(entry, State::kBinding);
}

void Scheduler::take(const Decision& decision, Nanos now) {
  const Key key = key_of({decision.namespace_name, decision.pod});
  Entry& entry = entries_.at(key);
  const bool may_tell = entry.message.empty() || now - entry.told >= backoff_of(entry);
  ++counts_.attempts;
  ++entry.attempts;
  entry.tried = now;
  leave_state(entry);
  if (decision.chosen) {
    entry.node = decision.chosen->node;
    helped_ |= kPlaceHelps;
    const Pod* const known = cluster_.find_pod(entry.name);
    if (known != nullptr && !known->nominated_node.empty() && known->nominated_node != entry.node)
      helped_ |= kSpaceHelps;  // what it was promised it does not need
    if (!options_.is_dry_run && cluster_.volumes_of(entry.name) != VolumesOfPod::kBound)
      return await_volumes(entry, now);
    return send_bind(entry);
  }
  ++counts_.unschedulable;
  entry.helps = entry.group.empty() ? helps_of(decision.rejected_by) : kAllHelps;
  if (std::any_of(cluster_.profiles().begin(), cluster_.profiles().end(),
                  [](const Profile& profile) { return profile.keeps_budgets; }))
    entry.helps |= kBudgetHelps;
  if (may_tell && entry.message != decision.message) {
    const Pod* const known = cluster_.find_pod(entry.name);
    const bool is_again = !entry.message.empty() || (known != nullptr && !known->told.empty());
    entry.message = decision.message;
    entry.told = now;
    unschedulable_.push_back({entry.name, entry.uid, entry.message, is_again});
  }
  park(entry, now);
}

void Scheduler::park(Entry& entry, Nanos now) {
  const Nanos flush = now + options_.flush_after;
  enter_state(entry, State::kUnschedulable,
              entry.search_from > now ? std::min(entry.search_from, flush) : flush);
}

// The first that are active, as many as may be sent, with all of their groups and all that their
// delay budgets tie them to: also those that would wait longer by themselves.
Result<std::vector<PodName>> Scheduler::next_to_try(std::size_t most) {
  std::vector<PodName> pods;
  std::set<Key> groups;
  const auto add = [&](const Entry& entry) {
    if (entry.group.empty())
      pods.push_back(entry.name);
    else if (groups.insert(entry.group).second)
      for (const Key& key : groups_.at(entry.group))
        if (const Entry& member = entries_.at(key); waits(member.state))
          pods.push_back(member.name);
  };
  for (auto at = active_.begin(); at != active_.end() && pods.size() < most; ++at)
    add(entries_.at(std::get<Key>(*at)));
  const auto companions = cluster_.companions(pods);
  if (!companions) return companions.error();
  for (const PodName& pod : *companions)
    if (const auto at = entries_.find(key_of(pod)); at != entries_.end() && waits(at->second.state))
      add(at->second);
  return pods;
}

Status Scheduler::advance(Nanos now) {
  GEDGE_TRY(run_timers(now));
  GEDGE_TRY(bind_provided(now));
  GEDGE_TRY(look_for_overcommits());
  GEDGE_TRY(look_for_misplaced());
  GEDGE_TRY(repair_overcommits(now));
  wake(now);
  searches_ = 0;
  vain_.clear();
  GEDGE_TRY(search_victims(now));
  // Whoever waits for the next turn waits no longer than the lease and the watches may.
  for (std::size_t tried = 0; to_search_.empty() && tried < options_.most_tried;) {
    if (active_.empty() || room(now) == 0) return {};
    const auto pods = next_to_try(std::min(room(now), options_.most_tried - tried));
    if (!pods) return pods.error();
    if (pods->empty()) return {};  // the queue and the cluster would disagree: a turn has to end
    tried += pods->size();
    GEDGE_TRY(try_to_place(*pods, now));
    GEDGE_TRY(search_victims(now));
  }
  return {};
}

Status Scheduler::try_to_place(const std::vector<PodName>& pods, Nanos now) {
  auto decisions = cluster_.place(pods);
  if (!decisions) return std::move(decisions).error();
  for (const Decision& decision : *decisions) take(decision, now);
  if (options_.preempts)
    for (const Decision& decision : *decisions)
      if (!decision.chosen)
        want_search(entries_.at(key_of({decision.namespace_name, decision.pod})), now);
  // Whoever has no decision is no pod that waits: the queue and the cluster would disagree.
  for (const PodName& pod : pods)
    if (const auto at = entries_.find(key_of(pod));
        at != entries_.end() && at->second.state == State::kActive)
      drop(at->first);
  return {};
}

std::optional<Nanos> Scheduler::next() const {
  if (helped_ != 0 && parked() > 0) return Nanos{0};
  if (!came_to_.empty() || !next_ones_.empty()) return Nanos{0};
  std::optional<Nanos> next;
  if (!timers_.empty()) next = timers_.begin()->first;
  if (repair_at_) next = next ? std::min(*next, *repair_at_) : *repair_at_;
  if (is_held_back_) return next;
  if (!to_search_.empty() && !is_paused()) return next ? std::min(*next, rest_until_) : rest_until_;
  const bool wants_to_bind =
      !active_.empty() || !to_search_.empty() || (has_new_volumes_ && !awaiting_.empty());
  if (!wants_to_bind || flights_.size() >= (is_paused() ? 1 : most_binds())) return next;
  const Nanos soonest = std::max(is_paused() ? paused_until_ : Nanos{0}, rest_until_);
  return next ? std::min(*next, soonest) : soonest;
}

}  // namespace gedge
