// control/scheduler_preemption.cpp - who has to go so that somebody else finds a place.
#include <utility>

#include "control/help.hpp"
#include "gedge/control/scheduler.hpp"

namespace gedge {

// Nobody goes for a member of a group.
void Scheduler::want_search(Entry& entry, Nanos now) {
  if (!entry.group.empty() || now < entry.search_from) return;
  const Search search{key_of(entry.name), entry.attempts};
  if (std::exchange(entry.is_owed, false))
    to_search_.push_front(search);
  else
    to_search_.push_back(search);
}

// What nobody can do for one pod nobody can do for another one like it, until somebody goes. One
// that has been promised a node is no such pod.
std::optional<Scheduler::PodKind> Scheduler::kind_of(const PodName& name) const {
  const Pod* const pod = cluster_.find_pod(name);
  if (pod == nullptr || !pod->nominated_node.empty() || !pod->extra_labels.empty())
    return std::nullopt;
  return PodKind{pod->namespace_name, pod->spec, pod->priority};
}

// A search looks at every node. What is left over is first in the next turn; whom something helped
// meanwhile is tried instead, and then is the first.
Status Scheduler::search_victims(Nanos now) {
  for (; !to_search_.empty() && !is_silenced(now); to_search_.pop_front()) {
    const auto at = entries_.find(to_search_.front().pod);
    if (at == entries_.end() || at->second.attempts != to_search_.front().attempts) continue;
    Entry& entry = at->second;
    entry.is_owed = entry.state != State::kUnschedulable;
    if (entry.is_owed) continue;
    const auto kind = kind_of(entry.name);
    if (kind && vain_.contains({*kind, cluster_.rebuilds()})) continue;
    if (searches_ == options_.most_searches) break;
    ++searches_;
    GEDGE_TRY(preempt_for(entry.name));
  }
  return {};
}

// Who has to go is asked to; the pod is tried again when they have gone. A promise that is taken
// back is a place that is free.
Status Scheduler::preempt_for(const PodName& pod) {
  auto found = cluster_.preempt(pod);
  if (!found) return std::move(found).error();
  const bool is_helped = *found && !(*found)->node.empty();
  if (is_helped)
    vain_.clear();
  else if (const auto kind = kind_of(pod))
    vain_.insert({*kind, cluster_.rebuilds()});
  if (!*found) return {};
  const Entry& entry = entries_.at(key_of(pod));
  counts_.preemptions += is_helped ? 1U : 0U;
  if (is_helped) nominations_.push_back({entry.name, entry.uid, (*found)->node});
  for (const PodName& other : (*found)->freed) {
    helped_ |= kSpaceHelps;
    if (const Pod* const known = cluster_.find_pod(other))
      nominations_.push_back({other, known->uid, {}});
  }
  for (const PodName& victim : (*found)->victims) {
    const Pod* const known = cluster_.find_pod(victim);
    if (known == nullptr) continue;
    ++counts_.victims;
    const std::uint64_t ticket = ++last_ticket_;
    tickets_.emplace(ticket, key_of(pod));
    evictions_.push_back(
        {ticket, victim, known->uid, pod, (*found)->node, {}, (*found)->within_budgets});
  }
  return {};
}

// Of one that stays, its place cannot be had: others may have what else was kept there. Where the
// server does not let us ask, asking again would hold the place for nothing.
void Scheduler::answer(std::uint64_t ticket, EvictAnswer answer, Nanos now) {
  for (auto& [node, repair] : repairs_)
    if (repair.ticket == ticket && ticket != 0) return settle_repair(repair, answer, now);
  const auto at = tickets_.find(ticket);
  if (at == tickets_.end()) return;
  const auto entry = entries_.find(at->second);
  tickets_.erase(at);
  const bool waits = entry != entries_.end() && entry->second.state == State::kUnschedulable;
  if (answer == EvictAnswer::kGoing || !waits) return;
  Entry& asking = entry->second;
  if (cluster_.break_promise(asking.name)) {
    nominations_.push_back({asking.name, asking.uid, {}});
    helped_ |= kSpaceHelps;
  }
  if (answer != EvictAnswer::kRefused) return back_off(asking, now);
  asking.search_from = now + options_.refused_pause;
  leave_state(asking);
  park(asking, now);
}

}  // namespace gedge
