// drive/isolate.hpp - moves whatever runs off the CPUs of a holder, and back again.
#pragma once

#include <set>
#include <string>

#include "gedge/drive/apply_pin.hpp"
#include "gedge/drive/pin_desk.hpp"

namespace gedge {

/// Under the lock, for a holder that stands in the ledger: gives every thread of others an affinity
/// without `cpus`, but for what the holder has started. Where a thread may run before is written
/// down before it is moved. Looks again until two looks find nobody to move, as threads begin
/// meanwhile; what begins later has the affinity of what it was begun by. Errors: kDenied where
/// somebody may not be moved, or no CPU would be left for others. `move_back` undoes what was done
/// until then.
Result<ShiftedThreads> move_aside(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                                  const PinHolder& holder, const CpuSet& cpus);

/// Under the lock: whoever has come to CPUs of those who are isolated is moved aside.
Status keep_aside(const PinPorts& ports, PinBooks& books, const CpuSet& online);

/// Where the threads of a process would run, were nobody isolated.
Status trace_back(const PinPorts& ports, const PinBooks& books, const CpuSet& online,
                  ProcessBefore& before);

/// Under the lock: `leaving` are isolated no more. Whoever is still where he was moved, and
/// whatever these have begun since, may run where the others who are isolated leave room. The books
/// change where all is done; writing them is left to the caller. Errors: the first one.
Status move_back(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                 const std::set<std::string>& leaving);

}  // namespace gedge
