// gedge/codec/memory_manager_state.hpp - the file in which a kubelet keeps who has memory of which
// NUMA nodes.
#pragma once

#include <optional>
#include <string>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/pin/memory_state.hpp"

namespace gedge {

struct MemoryManagerState {
  std::string policy;  ///< "Static", "None"
  MemoryAssignments memory;
  friend bool operator==(const MemoryManagerState&, const MemoryManagerState&) = default;
};

struct MemoryManagerStateReading {
  std::optional<MemoryManagerState> state;  ///< empty if there are errors
  Errors errors;                            ///< with line and column
};

/// Reads `memory_manager_state` of any kubelet; where there is `data`, as from 1.36 on, only what
/// it says. A checksum of 0, or none, is not checked, as the kubelet does not. Errors: syntax, a
/// checksum that does not fit, memory that pods hold as a whole (`podEntries`).
MemoryManagerStateReading read_memory_manager_state(const InputFile& file);

}  // namespace gedge
