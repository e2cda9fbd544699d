#include <utility>

#include "gedge/drive/run_pinned.hpp"

namespace gedge {

Result<CpuGrant> foresee(PinStore& store, const Processes& processes, const PinGround& ground,
                         const CpuAsk& ask) {
  auto ledger = read_ledger(store, processes);
  if (!ledger) return std::move(ledger).error();
  return grant(*ledger, ground.machine, ground.allowed, ask, ProcessId{});
}

}  // namespace gedge
