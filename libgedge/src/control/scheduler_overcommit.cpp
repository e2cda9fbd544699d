// control/scheduler_overcommit.cpp - nodes that got more than they have, by other hands than ours,
// and who goes from them.
#include <algorithm>
#include <utility>

#include "control/doubled.hpp"
#include "gedge/control/scheduler.hpp"

namespace gedge {
namespace {

constexpr Nanos kHour{3'600'000'000'000};
constexpr std::int32_t kCritical = 2'000'000'000;  // system-cluster-critical

}  // namespace

// A bind looks at the pod alone, whoever sends it: of two schedulers that see the same free place
// both may fill it. Looked at are nodes to which a pod came that was not assumed there, and those
// that had too much before.
Status Scheduler::look_for_overcommits() {
  std::set<SharedText> nodes = std::exchange(came_to_, {});
  if (helped_ != 0)
    for (const auto& [node, known] : overcommitted_) nodes.insert(node);
  if (nodes.empty()) return {};
  auto found = cluster_.overcommits({nodes.begin(), nodes.end()});
  if (!found) return std::move(found).error();
  const auto before = std::exchange(overcommitted_, {});
  for (Overcommit& overcommit : *found) {
    overcommitted_.emplace(overcommit.node, overcommit);
    if (before.contains(overcommit.node)) continue;
    ++counts_.overcommits;
    overcommits_.push_back(std::move(overcommit));
  }
  return {};
}

// Whatever a filter has against it. It is told, and nobody goes for that.
Status Scheduler::look_for_misplaced() {
  for (Misplaced& pod : std::exchange(next_ones_, {})) {
    const Pod* const known = cluster_.find_pod(pod.pod);
    if (known == nullptr || known->uid != pod.uid || known->is_finished()) continue;
    const auto fits = cluster_.still_fits(pod.pod);
    if (!fits) return fits.error();
    if (*fits) continue;
    ++counts_.misplaced;
    misplaced_.push_back(std::move(pod));
  }
  return {};
}

// Who keeps a node alive, or comes back to it whatever happens, stays.
bool Scheduler::may_leave(const Pod& pod, const PodSpec& spec, const Repair& repair) const {
  const auto& profiles = cluster_.profiles();
  const auto own = std::find_if(profiles.begin(), profiles.end(), [&](const Profile& profile) {
    return profiles.size() == 1 || profile.scheduler_name == spec.scheduler_name;
  });
  const bool is_ours =
      std::find(names_.begin(), names_.end(), spec.scheduler_name.str()) != names_.end();
  const bool is_of_its_node = pod.workload_kind == "DaemonSet" || pod.workload_kind == "Node";
  return is_ours && own != profiles.end() && own->evicts_overcommit && !is_of_its_node &&
         pod.priority < kCritical && !repair.passed.contains(pod.uid);
}

// One at a time: whoever is going is waited for before the next one is asked.
Status Scheduler::repair_overcommits(Nanos now) {
  repair_at_.reset();
  std::erase_if(repairs_, [&](const auto& known) {
    return known.second.ticket == 0 && !overcommitted_.contains(known.first);
  });
  const auto& profiles = cluster_.profiles();
  if (std::none_of(profiles.begin(), profiles.end(),
                   [](const Profile& profile) { return profile.evicts_overcommit; }))
    return {};
  if (is_silenced(now)) {
    if (!overcommitted_.empty() && rest_until_ > now) repair_at_ = rest_until_;
    return {};
  }
  while (!repaired_at_.empty() && repaired_at_.front() + kHour <= now) repaired_at_.pop_front();
  for (const auto& [name, node] : overcommitted_) {
    Repair& known = repairs_[name];
    if (known.ticket != 0) continue;
    const Pod* const last = cluster_.find_pod(known.victim);
    if (last == nullptr || last->uid != known.uid) known.until = Nanos{0};
    if (known.until <= now) GEDGE_TRY(repair(node, known, now));
    if (known.ticket == 0 && known.until > now)
      repair_at_ = repair_at_ ? std::min(*repair_at_, known.until) : known.until;
  }
  return {};
}

Status Scheduler::repair(const Overcommit& node, Repair& repair, Nanos now) {
  const auto may_go = [&](const Pod& pod, const PodSpec& spec) {
    return may_leave(pod, spec, repair);
  };
  auto found = cluster_.relief(node.node, may_go);
  if (found && !*found && !repair.passed.empty()) {
    repair.passed.clear();  // each was asked: from the first one again
    found = cluster_.relief(node.node, may_go);
  }
  if (!found) return std::move(found).error();
  if (!*found) return {};
  repair.victim = **found;
  repair.uid = cluster_.find_pod(repair.victim)->uid;
  if (repaired_at_.size() >= options_.repairs_per_hour) {
    repair.until = repaired_at_.front() + kHour;
    return {};
  }
  repaired_at_.push_back(now);
  ++counts_.repairs;
  repair.ticket = ++last_ticket_;
  evictions_.push_back(
      {repair.ticket, repair.victim, repair.uid, {}, node.node, to_string(node.amounts), true});
  return {};
}

void Scheduler::settle_repair(Repair& repair, EvictAnswer answer, Nanos now) {
  repair.ticket = 0;
  if (answer == EvictAnswer::kGoing) {
    repair.refusals = 0;
    repair.until = now + options_.repair_within;
    return;
  }
  ++counts_.repairs_refused;
  repair.passed.insert(repair.uid);
  repair.until = now + doubled(options_.first_repair, repair.refusals++, options_.max_repair);
}

}  // namespace gedge
