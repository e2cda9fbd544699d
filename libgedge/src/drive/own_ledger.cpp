// The ledger as this program writes it: reading it back needs the writer's parser alone, and loads
// no other.
#include <string>
#include <utility>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/drive/pin_desk.hpp"

namespace gedge {

Result<CpuAssignments> recognise_ledger(PinStore& store, const Processes& processes) {
  const auto bytes = store.read(PinFile::kLedger);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return CpuAssignments{};
  auto state = recognise_cpu_manager_state(*bytes);
  if (!state)
    return invalid_input(store.name(PinFile::kLedger) + " is not as this gedge writes it");
  reclaim(state->cpus, [&](const PinHolder& holder) { return processes.lives(holder); });
  return std::move(state->cpus);
}

Status write_ledger(PinStore& store, CpuAssignments ledger) {
  constexpr const char* kPolicy = "static";
  return store.replace(PinFile::kLedger, write_cpu_manager_state({kPolicy, std::move(ledger)}));
}

Result<bool> is_anybody_set_back(PinStore& store) {
  auto record = store.read(PinFile::kRecord);
  if (!record) return record.error();
  record->erase(record->find_last_not_of(" \n") + 1);  // of somebody's editor
  if (!record->empty() && !(record->starts_with("{\"pins\":[") && record->ends_with("}")))
    return invalid_input(store.name(PinFile::kRecord) + " is not as this gedge writes it");
  const auto has = [&](const char* key) { return record->find(key) != std::string::npos; };
  return has("\"aside\"") || has("\"niced\"");
}

}  // namespace gedge
