// gedge/pin/memory_state.hpp - what `memory_manager_state` holds: memory that a kubelet has
// promised to containers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gedge {

/// Of one kind of memory on one NUMA node, in bytes.
struct MemoryTable {
  std::uint64_t total = 0, system_reserved = 0, allocatable = 0, reserved = 0, free = 0;
  friend bool operator==(const MemoryTable&, const MemoryTable&) = default;
};

struct MemoryNodeState {
  int assignments = 0;                        ///< blocks that it gives to
  std::map<std::string, MemoryTable> tables;  ///< "memory", "hugepages-2Mi"
  std::vector<int> cells;                     ///< the NUMA nodes that it gives together with
  friend bool operator==(const MemoryNodeState&, const MemoryNodeState&) = default;
};

/// A promise.
struct MemoryBlock {
  std::vector<int> nodes;
  std::string type;
  std::uint64_t bytes = 0;
  friend bool operator==(const MemoryBlock&, const MemoryBlock&) = default;
};

struct MemoryAssignments {
  std::map<int, MemoryNodeState> nodes;
  std::map<std::string, std::map<std::string, std::vector<MemoryBlock>>> pods;  ///< by container
  friend bool operator==(const MemoryAssignments&, const MemoryAssignments&) = default;
};

}  // namespace gedge
