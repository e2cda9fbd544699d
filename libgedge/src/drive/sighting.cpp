#include "drive/sighting.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace gedge {
namespace {

std::optional<SeenThread> look_at(const Threads& threads, int number, bool with_nice) {
  auto mask = threads.mask(number);
  if (!mask) return std::nullopt;
  SeenThread seen{number, *std::move(mask), 0};
  if (!with_nice) return seen;
  const auto nice = threads.nice(number);
  if (!nice) return std::nullopt;
  seen.nice = *nice;
  return seen;
}

}  // namespace

Result<Sighting> Sighting::take(const Threads& threads, bool with_nice) {
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
      if (auto thread = look_at(threads, number, with_nice))
        seen.threads.push_back(*std::move(thread));
    sight.by_pid_[pid] = sight.all_.size();
    sight.all_.push_back(std::move(seen));
  }
  return sight;
}

const Seen* Sighting::find(int pid) const {
  const auto found = by_pid_.find(pid);
  return found != by_pid_.end() ? &all_[found->second] : nullptr;
}

bool Sighting::descends(const Seen& process, const ProcessId& holder) const {
  std::set<int> passed;  // a table that is read while it changes may have circles
  for (const Seen* at = &process; at != nullptr; at = find(at->facts.parent)) {
    if (at->facts.process == holder) return true;
    if (!passed.insert(at->facts.process.pid).second) return false;
  }
  return false;
}

void Holders::add(const std::string& name, const CpuAssignments& ledger) {
  if (const auto process = holder_process(name)) return processes_.push_back(*process);
  const auto entry = ledger.pods.find(name);
  if (entry == ledger.pods.end()) return;
  const auto holder = holder_of(name, entry->second);
  if (holder && std::holds_alternative<GroupId>(*holder))
    paths_.push_back(std::get<GroupId>(*holder).path);
}

bool Holders::is_in_group(const Seen& process) const {
  if (paths_.empty()) return false;
  const auto group = groups_.of_process(process.facts.process.pid);
  return group && std::any_of(paths_.begin(), paths_.end(), [&](const std::string& outer) {
           return is_group_within(*group, outer);
         });
}

bool Holders::include(const Seen& process) const {
  return std::find(processes_.begin(), processes_.end(), process.facts.process) !=
             processes_.end() ||
         is_in_group(process);
}

bool Holders::own(const Sighting& sight, const Seen& process) const {
  return is_in_group(process) ||
         std::any_of(processes_.begin(), processes_.end(),
                     [&](const ProcessId& holder) { return sight.descends(process, holder); });
}

}  // namespace gedge
