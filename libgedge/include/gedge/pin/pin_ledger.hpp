// gedge/pin/pin_ledger.hpp - which processes hold which CPUs of one machine for themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/admission.hpp"

namespace gedge {

/// A process: numbers are given again, a number and a start are not.
struct ProcessId {
  int pid = 0;
  std::uint64_t started = 0;  ///< clock ticks since boot
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

/// "4711-123456": how a process stands in the ledger, in the place of a pod's uid.
std::string holder_name(const ProcessId& process);
/// Nothing where this names no process: an entry of somebody else.
std::optional<ProcessId> holder_process(std::string_view name);

/// What one process asks for.
struct CpuAsk {
  int cpus = 1;
  StaticOptions options;
  TopologyPolicy topology = TopologyPolicy::kNone;
};

/// What it gets.
struct CpuGrant {
  CpuSet cpus;
  std::vector<int> nodes;  ///< the NUMA nodes that these are part of, ascending
};

/// The machine as somebody sees it who may use these CPUs only.
Machine machine_within(const Machine& machine, const CpuSet& allowed);

/// Takes out what dead processes held; entries that name no process stay. `lives` is asked once for
/// each process.
void reclaim(CpuAssignments& ledger, const std::function<bool(const ProcessId&)>& lives);

/// Chooses CPUs out of `allowed` that nobody holds, as a kubelet would, and writes them down for
/// `holder`. Errors: kDenied where there are not so many, or the policy refuses; kInvalidInput for
/// policies that contradict each other. Nothing is written down then.
Result<CpuGrant> grant(CpuAssignments& ledger, const Machine& machine, const CpuSet& allowed,
                       const CpuAsk& ask, const ProcessId& holder);

/// `holder` holds nothing any more.
void give_back(CpuAssignments& ledger, const ProcessId& holder);

/// `shared` becomes what nobody holds.
void settle_shared(CpuAssignments& ledger, const CpuSet& all);

}  // namespace gedge
