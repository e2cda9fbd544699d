#include "drive/sighting.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gedge {

Result<Sighting> Sighting::take(const Threads& threads) {
  Sighting sight;
  sight.births_ = threads.births();
  const auto pids = threads.processes();
  if (!pids) return pids.error();
  for (const int pid : *pids) {
    auto facts = threads.about(pid);
    const auto numbers = threads.of_process(pid);
    if (!facts || !numbers) continue;
    Seen seen{*std::move(facts), {}};
    for (const int number : *numbers)
      if (auto mask = threads.mask(number)) seen.threads.push_back({number, *std::move(mask)});
    sight.by_pid_[pid] = sight.all_.size();
    sight.all_.push_back(std::move(seen));
  }
  return sight;
}

const Seen* Sighting::find(int pid) const {
  const auto found = by_pid_.find(pid);
  return found != by_pid_.end() ? &all_[found->second] : nullptr;
}

bool Sighting::descends(const Seen& process, int pid) const {
  std::set<int> passed;  // a table that is read while it changes may have circles
  for (const Seen* at = &process; at != nullptr; at = find(at->facts.parent)) {
    if (at->facts.process.pid == pid) return true;
    if (!passed.insert(at->facts.process.pid).second) return false;
  }
  return false;
}

Origins::Origins(const Threads& threads, const Aside& aside, const CpuSet& online)
    : threads_(threads),
      aside_(aside),
      online_(online),
      isolated_(aside.cpus()),
      all_(aside.all & online) {
  learn();
}

void Origins::learn() {
  for (; learnt_ < aside_.moved.size(); ++learnt_)
    by_pid_[aside_.moved[learnt_].process.pid] = learnt_;
}

const ProcessBefore* Origins::find(const ProcessId& process) const {
  const auto found = by_pid_.find(process.pid);
  if (found == by_pid_.end()) return nullptr;
  const ProcessBefore& before = aside_.moved[found->second];
  return before.process == process ? &before : nullptr;
}

bool Origins::is_of(const CpuSet& now, const CpuSet& before) const {
  const CpuSet usable = before & online_;
  return now == usable || is_aside(now, usable, isolated_, all_);
}

// The mask that this one may have been made of.
const CpuSet* Origins::among(const CpuSet& now, const ProcessBefore& before) const {
  if (is_of(now, before.usual)) return &before.usual;
  for (const ThreadBefore& other : before.others)
    if (is_of(now, other.cpus)) return &other.cpus;
  return nullptr;
}

// Of a process that was written down: a thread that was there has its own mask or the usual one;
// one that has begun since that of any other.
CpuSet Origins::of_known(const ProcessBefore& known, const SeenThread& thread) const {
  const CpuSet& now = thread.mask;
  if (known.others.empty()) return is_of(now, known.usual) ? known.usual : now;
  const auto is = threads_.identify(thread.number);
  if (!is) return now;
  for (const ThreadBefore& other : known.others)
    if (*is == other.thread) return is_of(now, other.cpus) ? other.cpus : now;
  if (is->started < aside_.since) return is_of(now, known.usual) ? known.usual : now;
  const CpuSet* const before = among(now, known);
  return before != nullptr ? *before : now;
}

// What nobody has written down has the affinity of what it was begun by; where that has ended, its
// parent does not say so, and whatever fits counts.
CpuSet Origins::of(const Sighting& sight, const Seen& process, const SeenThread& thread) const {
  const CpuSet& now = thread.mask;
  if (const ProcessBefore* const known = find(process.facts.process))
    return of_known(*known, thread);
  if (process.facts.process.started < aside_.since) return now;
  std::set<int> passed;
  for (const Seen* at = &process; at != nullptr; at = sight.find(at->facts.parent)) {
    if (!passed.insert(at->facts.process.pid).second) break;
    const ProcessBefore* const known = find(at->facts.process);
    if (known != nullptr)
      if (const CpuSet* const before = among(now, *known)) return *before;
    if (known != nullptr) break;
    if (at->facts.process.started < aside_.since) return now;
  }
  for (const ProcessBefore& known : aside_.moved)
    if (const CpuSet* const before = among(now, known)) return *before;
  return now;
}

}  // namespace gedge
