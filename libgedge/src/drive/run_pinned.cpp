#include "gedge/drive/run_pinned.hpp"

#include <utility>

#include "gedge/drive/pin_desk.hpp"

namespace gedge {

Result<CpuGrant> foresee(PinStore& store, const Processes& processes, const PinGround& ground,
                         const CpuAsk& ask) {
  auto ledger = read_ledger(store, processes);
  if (!ledger) return std::move(ledger).error();
  return grant(*ledger, ground.machine, ground.allowed, ask, ProcessId{});
}

Result<CpuGrant> hold_cpus(PinStore& store, const Processes& processes, const PinGround& ground,
                           const CpuAsk& ask, const ProcessId& holder) {
  const auto lock = store.lock();
  if (!lock) return lock.error();
  auto ledger = read_ledger(store, processes);
  if (!ledger) return std::move(ledger).error();
  auto granted = grant(*ledger, ground.machine, ground.allowed, ask, holder);
  if (!granted) return granted;
  GEDGE_TRY(write_ledger(store, *std::move(ledger)));
  return granted;
}

Status release_cpus(PinStore& store, const Processes& processes, const CpuSet& all,
                    const ProcessId& holder) {
  const auto lock = store.lock();
  if (!lock) return lock.error();
  auto ledger = read_ledger(store, processes);
  if (!ledger) return std::move(ledger).error();
  give_back(*ledger, holder);
  settle_shared(*ledger, all);
  return write_ledger(store, *std::move(ledger));
}

Result<PinnedRun> run_pinned(PinStore& store, const Processes& processes, PinnedLaunch& launch,
                             const PinGround& ground, const CpuAsk& ask, MemoryMode memory) {
  const auto process = launch.start();
  if (!process) return process.error();
  auto granted = hold_cpus(store, processes, ground, ask, *process);
  if (!granted) {
    launch.cancel();
    return std::move(granted).error();
  }
  PinnedRun run;
  run.grant = *std::move(granted);
  run.not_begun = launch.begin(run.grant, memory);
  run.status = run.not_begun ? run.not_begun->status : launch.wait();
  run.released = release_cpus(store, processes, ground.machine.cpu_set(), *process);
  return run;
}

}  // namespace gedge
