// control/scheduler_volumes.cpp - pods that have a place, while their volumes are bound.
#include <algorithm>

#include "gedge/control/scheduler.hpp"

namespace gedge {

void Scheduler::await_volumes(Entry& entry, Nanos now) {
  ++counts_.awaited;
  const Key key = key_of(entry.name);
  for (ClaimRequest& request : cluster_.take_claims(entry.name)) {
    request.ticket = ++last_ticket_;
    tickets_.emplace(request.ticket, key);
    claims_.push_back(std::move(request));
  }
  const Nanos most = cluster_.group_timeout(entry.name).value_or(options_.volumes_within);
  enter_state(entry, State::kAwaiting, now + std::min(most, options_.volumes_within));
}

// Its place is free again; what was asked of the cluster may still be done, and is seen then.
void Scheduler::give_up_volumes(Entry& entry, Nanos now) {
  release(entry.name);
  back_off(entry, now);
}

// It is not known whether what cannot be confirmed was done: the next attempt finds out.
void Scheduler::answer(std::uint64_t ticket, ClaimAnswer answer, Nanos now) {
  const auto at = tickets_.find(ticket);
  if (at == tickets_.end()) return;
  const auto entry = entries_.find(at->second);
  tickets_.erase(at);
  const bool awaits = entry != entries_.end() && entry->second.state == State::kAwaiting;
  if (awaits && answer != ClaimAnswer::kAsked) give_up_volumes(entry->second, now);
}

// Time has passed since its place was decided: it must still be one. A provisioner that has no room
// there takes the node from the claim. Who has no room among the binds under way waits for it.
Status Scheduler::bind_provided(Nanos now) {
  if (is_silenced(now) || !std::exchange(has_new_volumes_, false)) return {};
  const std::set<Key> keys = awaiting_;
  for (const Key& key : keys) {
    if (room(now) == 0) {
      has_new_volumes_ = true;
      return {};
    }
    Entry& entry = entries_.at(key);
    const bool is_there = cluster_.find_node(entry.node) != nullptr;
    const VolumesOfPod volumes = cluster_.volumes_of(entry.name);
    if (is_there && volumes == VolumesOfPod::kAwaited) continue;
    const bool may_fit = is_there && volumes == VolumesOfPod::kBound;
    const auto fits = may_fit ? cluster_.still_fits(entry.name) : Result<bool>(false);
    if (!fits) return fits.error();
    if (!*fits) {
      give_up_volumes(entry, now);
      continue;
    }
    leave_state(entry);
    ++counts_.provided;
    send_bind(entry);
  }
  return {};
}

}  // namespace gedge
