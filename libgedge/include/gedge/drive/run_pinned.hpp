// gedge/drive/run_pinned.hpp - runs a command on CPUs of its own, and keeps the ledger of who holds
// which.
#pragma once

#include <functional>
#include <optional>

#include "gedge/drive/pin_desk.hpp"

namespace gedge {

/// Where and for whom CPUs are chosen.
struct PinGround {
  Machine machine;  ///< all CPUs that are online
  CpuSet allowed;   ///< those that this process may use
};

/// What would be given now. Takes no lock and writes nothing: somebody else may be faster.
/// Errors: of read_ledger and of grant.
Result<CpuGrant> foresee(PinStore& store, const Processes& processes, const PinGround& ground,
                         const CpuAsk& ask);

/// `read_ledger` or `recognise_ledger`.
using ReadLedger = Result<CpuAssignments> (*)(PinStore&, const Processes&);

/// One transaction under the lock: reads the ledger, takes out the dead, chooses, writes. Errors
/// change nothing: kTimeout for the lock; of `read` and of grant; kDenied where it cannot be
/// written.
Result<CpuGrant> hold_cpus(PinStore& store, const Processes& processes, const PinGround& ground,
                           const CpuAsk& ask, const ProcessId& holder,
                           ReadLedger read = read_ledger);
/// The same for giving back. Errors: kTimeout, kDenied, of `read`; then the dead holder's CPUs are
/// taken by whoever comes next.
Status release_cpus(PinStore& store, const Processes& processes, const CpuSet& all,
                    const ProcessId& holder, ReadLedger read = read_ledger);

/// Gives one process its CPUs, and takes them back.
struct CpuKeeper {
  /// Errors: of what it was made by; then nothing is held.
  std::function<Result<CpuGrant>(const ProcessId&)> hold;
  /// Errors: the same; the process holds nothing all the same once it has ended.
  std::function<Status(const ProcessId&)> release;
};

/// `hold_cpus` and `release_cpus`. What it is made from outlives it.
CpuKeeper keep_ledger(PinStore& store, const Processes& processes, const PinGround& ground,
                      const CpuAsk& ask, ReadLedger read = read_ledger);

struct PinnedRun {
  int status = 0;  ///< as shells report it
  CpuGrant grant;
  std::optional<NotBegun> not_begun;
  Status released;  ///< what is not given back is taken from the dead by the next run
};

/// Starts, holds, pins, begins, waits, gives back. Whenever this process ends, the ledger stays
/// valid: the command holds its CPUs until it has ended itself, whether or not anybody waits for
/// it. Errors: those of starting and of holding; then nothing has begun, and nothing is held.
Result<PinnedRun> run_pinned(PinnedLaunch& launch, const CpuKeeper& keeper, MemoryMode memory);

}  // namespace gedge
