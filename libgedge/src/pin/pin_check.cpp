#include "gedge/pin/pin_check.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gedge {
namespace {

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

class Look {
 public:
  explicit Look(const SeenMachine& seen) : seen_(seen) {
    for (const SeenProcess& process : seen.processes) by_pid_[process.process.pid] = &process;
  }

  HeldPin at(const std::string& entry, const CpuAssignments::OfPod& parts) const {
    HeldPin pin;
    pin.holder = entry;
    pin.is_isolated = seen_.isolated.contains(entry);
    for (const auto& [part, cpus] : parts) pin.cpus |= cpus;
    const auto holder = holder_of(entry, parts);
    if (!holder) return pin;
    if (const CpuSet off = pin.cpus - seen_.online; !off.empty())
      pin.faults.push_back({PinFaultKind::kOffline, "CPUs " + to_string(off) + " are offline"});
    if (seen_.unseen.contains(entry)) return say_unseen(std::get<GroupId>(*holder), pin), pin;
    if (const auto* const process = std::get_if<ProcessId>(&*holder))
      look_at(*process, pin);
    else
      look_at(std::get<GroupId>(*holder), pin);
    find_strangers(*holder, pin);
    return pin;
  }

 private:
  static void say_unseen(const GroupId& id, HeldPin& pin) {
    pin.holder = "control group " + id.path;
    pin.faults.push_back(
        {PinFaultKind::kUnseen,
         "in here it cannot be seen: where it was pinned, `gedge pin apply --undo --cgroup " +
             id.path + "` frees its CPUs, and outside of containers any gedge once it is gone"});
  }

  void look_at(const ProcessId& id, HeldPin& pin) const {
    pin.holder = "process " + std::to_string(id.pid);
    const auto found = by_pid_.find(id.pid);
    if (found == by_pid_.end() || found->second->process != id) return;
    const SeenProcess& process = *found->second;
    pin.name = process.name;
    pin.threads = process.masks.size();
    CpuSet elsewhere;
    std::size_t moved = 0;
    for (const CpuSet& mask : process.masks) {
      if (mask.is_subset_of(pin.cpus)) continue;
      ++moved;
      elsewhere |= mask;
    }
    if (moved != 0)
      pin.faults.push_back({PinFaultKind::kMoved, std::to_string(moved) + " of " +
                                                      counted(pin.threads, "thread") +
                                                      " may run on " + to_string(elsewhere)});
  }

  void look_at(const GroupId& id, HeldPin& pin) const {
    pin.holder = "control group " + id.path;
    for (const SeenProcess& process : seen_.processes)
      if (is_group_within(process.group, id.path)) pin.threads += process.masks.size();
    const auto usable = seen_.groups.find(id.path);
    if (usable != seen_.groups.end() && !usable->second.is_subset_of(pin.cpus))
      pin.faults.push_back(
          {PinFaultKind::kMoved, "the group may run on " + to_string(usable->second)});
  }

  bool belongs_to(const SeenProcess& process, const PinHolder& holder) const {
    if (const auto* const group = std::get_if<GroupId>(&holder))
      return is_group_within(process.group, group->path);
    const int wanted = std::get<ProcessId>(holder).pid;
    std::set<int> passed;  // a table that is read while it changes may have circles
    int pid = process.process.pid;
    while (pid != wanted && passed.insert(pid).second) {
      const auto found = by_pid_.find(pid);
      if (found == by_pid_.end()) return false;
      pid = found->second->parent;
    }
    return pid == wanted;
  }

  void find_strangers(const PinHolder& holder, HeldPin& pin) const {
    std::size_t threads = 0;
    std::string who;
    for (const SeenProcess& process : seen_.processes) {
      if (process.is_kernel) continue;
      const auto count = static_cast<std::size_t>(
          std::count_if(process.masks.begin(), process.masks.end(), [&](const CpuSet& mask) {
            return mask.meets(pin.cpus) && (pin.is_isolated || mask.is_subset_of(pin.cpus));
          }));
      if (count == 0 || belongs_to(process, holder)) continue;
      if (threads == 0) who = process.name + " (" + std::to_string(process.process.pid) + ')';
      threads += count;
    }
    if (threads != 0)
      pin.faults.push_back({PinFaultKind::kStrangers,
                            counted(threads, "thread") + " of others, of " + who + " first"});
  }

  const SeenMachine& seen_;
  std::map<int, const SeenProcess*> by_pid_;
};

}  // namespace

std::string_view word_of(PinFaultKind kind) {
  switch (kind) {
    case PinFaultKind::kOffline:
      return "offline";
    case PinFaultKind::kStrangers:
      return "strangers";
    case PinFaultKind::kUnseen:
      return "unseen";
    case PinFaultKind::kMoved:
      break;
  }
  return "moved";
}

bool PinCheck::all_true() const {
  return left.empty() && std::all_of(pins.begin(), pins.end(),
                                     [](const HeldPin& pin) { return pin.faults.empty(); });
}

PinCheck check_pins(const CpuAssignments& ledger, const SeenMachine& seen) {
  const Look look(seen);
  PinCheck check;
  for (const auto& [entry, parts] : ledger.pods) check.pins.push_back(look.at(entry, parts));
  return check;
}

}  // namespace gedge
