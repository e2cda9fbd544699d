// control/scheduler_news.cpp - what the cluster says, and what that is to the pods that wait.
#include <algorithm>
#include <utility>

#include "control/help.hpp"
#include "gedge/control/scheduler.hpp"
#include "gedge/model/fact_name.hpp"

namespace gedge {
namespace {

bool takes_place(const Pod& pod) { return !pod.bound_node.empty() && !pod.is_finished(); }

// The node that is kept for a pod that waits; empty: none.
SharedText promise_of(const Pod* pod) {
  const bool waits = pod != nullptr && pod->bound_node.empty() &&
                     pod->phase == PodPhase::kPending && !pod->terminating;
  return waits ? pod->nominated_node : SharedText();
}

// What others are placed by. Of a pod that cannot be read all of, what was known before is kept.
bool differ_to_others(const PodSpec& x, const PodSpec& y) {
  if (!y.unread.empty()) return false;
  return x.labels != y.labels || x.containers != y.containers ||
         x.init_containers != y.init_containers || x.pod_requests != y.pod_requests;
}

}  // namespace

Scheduler::Told Scheduler::told(const Pod& pod, const PodSpec& spec) const {
  Told told;
  told.name = {pod.namespace_name, pod.name};
  told.uid = pod.uid;
  told.node = pod.bound_node;
  told.message = pod.told;
  told.priority = pod.priority;
  told.created = pod.created;
  told.is_ours = std::find(names_.begin(), names_.end(), spec.scheduler_name.str()) != names_.end();
  told.waits = awaits_node(pod, spec);
  if (const std::string* group = pod_group_name(pod, spec))
    told.group = key_of({pod.namespace_name, *group});
  const Pod* const before = cluster_.find_pod(told.name);
  if (before != nullptr && before->uid == pod.uid) told.spec = before->spec;
  return told;
}

void Scheduler::note_help(const Pod& now, const PodSpec& spec) {
  const PodName name{now.namespace_name, now.name};
  const Pod* const before = cluster_.find_pod(name);
  const bool is_same = before != nullptr && before->uid == now.uid;
  const bool was_there = before != nullptr && takes_place(*before);
  const bool is_there = takes_place(now);
  const bool is_assumed = entries_.contains(key_of(name));
  const bool has_moved = was_there && is_there && before->bound_node != now.bound_node;
  if (was_there && (!is_same || now.is_finished() || (!is_there && !is_assumed)))
    helped_ |= help_of_leaving(cluster_.find_spec(name));
  if (has_moved)  // from where it was only assumed
    helped_ |= help_of_leaving(cluster_.find_spec(name));
  if (is_there && (!was_there || !is_same || has_moved)) {
    helped_ |= kPlaceHelps;
    came_to_.insert(now.bound_node);
  }
  if (!is_same || !(is_there || (was_there && is_assumed))) return;
  if (before->extra_labels != now.extra_labels || differ_to_others(*cluster_.find_spec(name), spec))
    helped_ |= kSpaceHelps | kPlaceHelps;
  if (before->terminating != now.terminating) helped_ |= kPlaceHelps;  // it counts no more
}

void Scheduler::note_help(const Facts& objects) {
  for (const Node& node : objects.nodes) {
    const Node* const before = cluster_.find_node(node.name);
    if (before != nullptr && differing_parts(*before, node) == 0) continue;
    helped_ |= kNodeHelps;
    shake(node.name);
  }
  for (const Pod& pod : objects.pods) note_help(pod, objects.spec_of(pod));
  if (!objects.namespaces.empty() || !objects.spread_owners.empty()) helped_ |= kPlaceHelps;
  if (!objects.storage_classes.empty() || !objects.volumes.empty() || !objects.claims.empty()) {
    helped_ |= kVolumeHelps;
    has_new_volumes_ = true;
  }
  if (!objects.pod_groups.empty()) helped_ |= kAllHelps;
  for (const PodDisruptionBudget& budget : objects.disruption_budgets) {
    const PodDisruptionBudget* const before = cluster_.find_budget(fact_name(budget));
    if (before == nullptr) continue;  // it only keeps
    const bool is_wider = budget.disruptions_allowed > before->disruptions_allowed;
    if (is_wider || budget.selector != before->selector ||
        budget.disrupted_pods != before->disrupted_pods)
      helped_ |= kBudgetHelps;
  }
}

// A server takes a bind to whatever its node has become.
void Scheduler::shake(std::string_view node) {
  for (const auto& [key, flight] : flights_)
    if (flight.node == node)
      if (const auto entry = entries_.find(key); entry != entries_.end())
        entry->second.is_shaken = true;
}

// A pod never loses its node, comes back from its end or from its deletion: who says so has an old
// view, as a server that has just been restarted may.
bool Scheduler::is_old(const Pod& pod) const {
  const PodName name{pod.namespace_name, pod.name};
  const Pod* const known = cluster_.find_pod(name);
  if (known == nullptr || known->uid != pod.uid) return false;
  const bool is_held = entries_.contains(key_of(name));  // its node is only assumed
  return (!is_held && !known->bound_node.empty() && pod.bound_node.empty()) ||
         (known->is_finished() && !pod.is_finished()) || (known->terminating && !pod.terminating);
}

void Scheduler::put(Facts objects) {
  std::erase_if(objects.pods, [&](const Pod& pod) { return is_old(pod); });
  take_in(std::move(objects), false);
}

void Scheduler::put_listed(Facts objects) { take_in(std::move(objects), true); }

void Scheduler::take_in(Facts objects, bool is_listed) {
  note_help(objects);
  std::vector<std::pair<Told, SharedText>> pods;  // and what was kept for them
  pods.reserve(objects.pods.size());
  for (const Pod& pod : objects.pods) {
    Told news = told(pod, objects.spec_of(pod));
    SharedText promise = promise_of(cluster_.find_pod(news.name));
    pods.emplace_back(std::move(news), std::move(promise));
  }
  cluster_.put(std::move(objects));
  for (const auto& [pod, promise] : pods) {
    if (!promise.empty() && pod.node != promise &&
        promise_of(cluster_.find_pod(pod.name)) != promise)
      helped_ |= kSpaceHelps;
    meet(pod);
    if (is_listed) doubt(pod);
    const Pod* const now = cluster_.find_pod(pod.name);
    if (pod.spec && now != nullptr && now->spec != *pod.spec) try_edited(pod.name);
  }
  cluster_.tidy();
}

void Scheduler::keep_only(FactKind kind, std::vector<PodName> names) {
  std::sort(names.begin(), names.end());
  for (const PodName& known : cluster_.names(kind))
    if (!std::binary_search(names.begin(), names.end(), known))
      remove(kind, known.namespace_name, known.name);
}

void Scheduler::remove(FactKind kind, std::string_view namespace_name, std::string_view name,
                       std::string_view uid) {
  if (kind == FactKind::kPod) {
    const PodName pod{namespace_name, name};
    const Pod* const known = cluster_.find_pod(pod);
    if (known != nullptr && !uid.empty() && known->uid != uid) return;  // told late, or again
    if (known != nullptr && (takes_place(*known) || !promise_of(known).empty()))
      helped_ |= help_of_leaving(cluster_.find_spec(pod));
    return leave(pod);
  } else if (kind == FactKind::kNode) {
    helped_ |= kAllHelps;
    has_new_volumes_ = true;
    shake(name);
    came_to_.erase(SharedText(name));
  } else if (kind == FactKind::kDisruptionBudget) {
    helped_ |= kBudgetHelps;
  } else if (kind != FactKind::kPriorityClass) {
    helped_ |= kAllHelps;
    has_new_volumes_ = true;
  }
  cluster_.remove(kind, namespace_name, name);
}

void Scheduler::meet(const Told& pod) {
  const Key key = key_of(pod.name);
  const auto at = entries_.find(key);
  if (!pod.is_ours || !pod.waits) {
    // Bound, by whomever, or not to be bound any more.
    if (at == entries_.end()) return;
    const State state = at->second.state;
    note_next(pod, at->second);
    if (pod.node.empty() && may_have_place(state)) {
      at->second.uid = pod.uid;
      at->second.is_going = true;
      return await_end(at->second);
    }
    if (pod.node.empty()) release(pod.name);
    if (pod.node == at->second.node && (state == State::kBinding || state == State::kUnclear)) {
      count_bound(at->second);  // seen before it was answered
      settle_flight(key);
    }
    return drop(key);
  }
  const Rank rank{-pod.priority, pod.created, key};
  if (at == entries_.end()) {
    Entry& entry = entries_[key];
    entry.name = pod.name;
    entry.uid = pod.uid;
    entry.rank = rank;
    entry.message = pod.message;
    join(entry, pod.group);
    const auto flight = flights_.find(key);
    if (flight == flights_.end()) return enter_state(entry, State::kActive);
    entry.node = flight->second.node;
    cluster_.assume(pod.name, entry.node);
    return enter_state(entry, State::kUnclear);
  }
  Entry& entry = at->second;
  if (entry.uid != pod.uid) return meet_next(pod, entry);
  entry.is_going = entry.is_gone = false;
  join(entry, pod.group);
  if (active_.erase(entry.rank) > 0) active_.insert(rank);
  entry.rank = rank;
}

// Nobody has decided that this pod fits where a bind of the one before it was sent.
void Scheduler::note_next(const Told& pod, const Entry& entry) {
  const bool is_unmet = entry.uid != pod.uid && may_have_place(entry.state);
  counts_.replaced += is_unmet ? 1U : 0U;
  if ((is_unmet || entry.is_next) && pod.node == entry.node && pod.is_ours)
    next_ones_.push_back({pod.name, pod.uid, pod.node});
}

// A list has a pod without the node that the server has said to have bound it to: the list may be
// older than the bind, or the storage was restored.
void Scheduler::doubt(const Told& listed) {
  const auto at = entries_.find(key_of(listed.name));
  if (options_.is_dry_run || at == entries_.end()) return;
  if (at->second.state == State::kBound && !at->second.is_gone) ask(at->second);
}

// What a pod asks for has changed: it may fit where it did not.
void Scheduler::try_edited(const PodName& pod) {
  const auto at = entries_.find(key_of(pod));
  if (at == entries_.end() || at->second.state != State::kUnschedulable) return;
  Entry& entry = at->second;
  leave_state(entry);
  enter_state(entry, State::kBackoff, entry.tried + backoff_of(entry));
}

// The server does not look at the UID of a bind: one that was sent for the pod before may bind this
// one, or has. So this one has its place until that is known.
void Scheduler::meet_next(const Told& pod, Entry& entry) {
  const bool keeps_place = may_have_place(entry.state);
  const bool is_bound = entry.state == State::kBound;
  if (entry.state == State::kAwaiting || entry.holds) release(entry.name);
  leave_state(entry);
  entry.uid = pod.uid;
  entry.rank = {-pod.priority, pod.created, key_of(pod.name)};
  entry.is_going = entry.is_gone = false;
  join(entry, pod.group);
  entry.attempts = 0;
  entry.message = pod.message;
  entry.is_counted = false;
  if (!keeps_place) return enter_state(entry, State::kActive);
  ++counts_.replaced;
  entry.is_next = true;
  enter_state(entry, State::kUnclear);
  if (is_bound || !flights_.contains(key_of(pod.name))) ask(entry);
}

// A pod went. Its place is free, unless a bind for it is not settled: that may meet the next one.
void Scheduler::leave(const PodName& pod) {
  const Key key = key_of(pod);
  const auto at = entries_.find(key);
  if (at != entries_.end() && may_have_place(at->second.state)) {
    at->second.is_gone = true;
    return await_end(at->second);
  }
  drop(key);
  cluster_.remove(FactKind::kPod, pod.namespace_name, pod.name);
}

// Also of one that is known to be gone: its bind may have met the next of its name, of which
// nothing was told before that was gone, too.
void Scheduler::await_end(Entry& entry) {
  if (entry.state == State::kBound) ask(entry);
}

}  // namespace gedge
