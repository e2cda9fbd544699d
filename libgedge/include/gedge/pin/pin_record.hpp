// gedge/pin/pin_record.hpp - what pinning has changed on a machine, so that it can be undone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gedge/pin/control_group.hpp"
#include "gedge/pin/cpu_set.hpp"
#include "gedge/pin/pin_ledger.hpp"

namespace gedge {

/// What a thread had before: CPUs where it might run, or its nice value.
template <typename Value>
struct ThreadBefore {
  ProcessId thread;
  Value value{};
  friend bool operator==(const ThreadBefore&, const ThreadBefore&) = default;
};

/// A process and its threads; most of them might run where the first one might.
struct ProcessBefore {
  ProcessId process;
  CpuSet pinned;  ///< where they may run now; of those moved aside see aside_of
  CpuSet usual;   ///< where the first thread might; CPUs too that may come
  std::vector<ThreadBefore<CpuSet>> others;  ///< those that differ
  friend bool operator==(const ProcessBefore&, const ProcessBefore&) = default;
};

/// What a control group had; empty sets of version 2 mean what the group above has.
struct GroupBefore {
  GroupId group;
  CpuSet pinned, cpus;
  std::optional<CpuSet> pinned_mems, mems;  ///< nothing: memory is not touched
  friend bool operator==(const GroupBefore&, const GroupBefore&) = default;
};

/// What one pin has changed.
struct PinRecord {
  std::string holder;  ///< as in the ledger
  std::vector<ProcessBefore> processes;
  std::vector<GroupBefore> groups;  ///< outer ones before inner ones
  CpuSet shared{};  ///< CPUs that it does not hold; empty: it stands in the ledger with its own
  friend bool operator==(const PinRecord&, const PinRecord&) = default;
};

/// What was pinned; nothing for a record of nothing.
std::optional<PinHolder> holder_of(const PinRecord& record);

/// Who was moved aside, so that holders have their CPUs for themselves.
struct Aside {
  CpuSet all;               ///< the CPUs that were online
  std::uint64_t since = 0;  ///< whatever started before was looked at when the first was isolated
  std::map<std::string, CpuSet> isolated;  ///< CPUs of holders, by their names in the ledger
  std::vector<ProcessBefore> moved;

  CpuSet cpus() const;  ///< of all that are isolated
  friend bool operator==(const Aside&, const Aside&) = default;
};

/// CPUs 0 to 1,023, whether the machine has them, and they are on, or not. Few machines have more.
CpuSet lower_cpus();

/// Where those may run who might run at `before`, while others have `isolated` for themselves: on
/// the rest of it; where nothing is left, on the rest of `all`.
CpuSet aside_of(const CpuSet& before, const CpuSet& isolated, const CpuSet& all);
/// Is `now` what is left of `before` where some or all of `isolated` was taken away?
bool is_aside(const CpuSet& now, const CpuSet& before, const CpuSet& isolated, const CpuSet& all);

inline constexpr int kLeastNice = -20;
inline constexpr int kMostNice = 19;

/// The nice values of a process's threads; most of them had that of the first one.
struct NiceBefore {
  ProcessId process;
  int usual = 0;                          ///< of the first thread
  std::vector<ThreadBefore<int>> others;  ///< those that differ
  friend bool operator==(const NiceBefore&, const NiceBefore&) = default;
};

/// The nice value that others have on CPUs of a holder, unless theirs is higher.
struct NiceLevel {
  CpuSet cpus;
  int nice = 0;
  friend bool operator==(const NiceLevel&, const NiceLevel&) = default;
};

/// Whose nice values were raised, so that holders come first on their CPUs.
struct Niced {
  std::uint64_t since = 0;  ///< whatever started before was looked at when the first was raised
  std::map<std::string, NiceLevel> levels;  ///< of holders, by their names in the ledger
  std::vector<NiceBefore> raised;
  friend bool operator==(const Niced&, const Niced&) = default;
};

/// The nice value of a thread that had `before` and may run on `cpus`: never a lower one.
int nice_beside(int before, const CpuSet& cpus, const std::map<std::string, NiceLevel>& levels);
/// Is `now` what was made of `before` on one of these levels?
bool is_raised(int now, int before, const std::map<std::string, NiceLevel>& levels);

/// What `thread` of this process had before.
template <typename Before>
const auto& value_before(const Before& before, const ProcessId& thread) {
  for (const auto& other : before.others)
    if (other.thread == thread) return other.value;
  return before.usual;
}

}  // namespace gedge
