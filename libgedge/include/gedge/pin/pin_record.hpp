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

/// Where a thread might run before.
struct ThreadBefore {
  ProcessId thread;
  CpuSet cpus;
  friend bool operator==(const ThreadBefore&, const ThreadBefore&) = default;
};

/// A process and its threads; most of them might run where the first one might.
struct ProcessBefore {
  ProcessId process;
  CpuSet pinned;                     ///< where they may run now; of those moved aside see aside_of
  CpuSet usual;                      ///< where the first thread might
  std::vector<ThreadBefore> others;  ///< those that differ
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
  friend bool operator==(const PinRecord&, const PinRecord&) = default;
};

/// Who was moved aside, so that holders have their CPUs for themselves.
struct Aside {
  CpuSet all;               ///< the CPUs that were online
  std::uint64_t since = 0;  ///< whatever started before was looked at when the first was isolated
  std::map<std::string, CpuSet> isolated;  ///< CPUs of holders, by their names in the ledger
  std::vector<ProcessBefore> moved;

  CpuSet cpus() const;  ///< of all that are isolated
  friend bool operator==(const Aside&, const Aside&) = default;
};

/// Where those may run who might run at `before`, while others have `isolated` for themselves: on
/// the rest of it; where nothing is left, on the rest of `all`.
CpuSet aside_of(const CpuSet& before, const CpuSet& isolated, const CpuSet& all);
/// Is `now` what is left of `before` where some or all of `isolated` was taken away?
bool is_aside(const CpuSet& now, const CpuSet& before, const CpuSet& isolated, const CpuSet& all);

/// Where `thread` of this process might run before.
const CpuSet& mask_before(const ProcessBefore& before, const ProcessId& thread);

}  // namespace gedge
