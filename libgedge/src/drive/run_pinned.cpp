#include "gedge/drive/run_pinned.hpp"

#include <utility>

namespace gedge {

Result<CpuGrant> hold_cpus(PinStore& store, const Processes& processes, const PinGround& ground,
                           const CpuAsk& ask, const ProcessId& holder, ReadLedger read) {
  const auto lock = store.lock();
  if (!lock) return lock.error();
  auto ledger = read(store, processes);
  if (!ledger) return std::move(ledger).error();
  auto granted = grant(*ledger, ground.machine, ground.allowed, ask, holder);
  if (!granted) return granted;
  GEDGE_TRY(write_ledger(store, *std::move(ledger)));
  return granted;
}

Status release_cpus(PinStore& store, const Processes& processes, const CpuSet& all,
                    const ProcessId& holder, ReadLedger read) {
  const auto lock = store.lock();
  if (!lock) return lock.error();
  auto ledger = read(store, processes);
  if (!ledger) return std::move(ledger).error();
  give_back(*ledger, holder);
  settle_shared(*ledger, all);
  return write_ledger(store, *std::move(ledger));
}

CpuKeeper keep_ledger(PinStore& store, const Processes& processes, const PinGround& ground,
                      const CpuAsk& ask, ReadLedger read) {
  return {[&store, &processes, &ground, &ask, read](const ProcessId& holder) {
            return hold_cpus(store, processes, ground, ask, holder, read);
          },
          [&store, &processes, &ground, read](const ProcessId& holder) {
            return release_cpus(store, processes, ground.machine.cpu_set(), holder, read);
          }};
}

Result<PinnedRun> run_pinned(PinnedLaunch& launch, const CpuKeeper& keeper, MemoryMode memory) {
  const auto process = launch.start();
  if (!process) return process.error();
  auto granted = keeper.hold(*process);
  if (!granted) {
    launch.cancel();
    return std::move(granted).error();
  }
  PinnedRun run;
  run.grant = *std::move(granted);
  run.not_begun = launch.begin(run.grant, memory);
  run.status = run.not_begun ? run.not_begun->status : launch.wait();
  run.released = keeper.release(*process);
  return run;
}

}  // namespace gedge
