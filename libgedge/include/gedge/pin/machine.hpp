// gedge/pin/machine.hpp - what one machine is made of, as far as pinning reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/pin/cpu_set.hpp"

namespace gedge {

/// One logical CPU that is online, and what it is part of. Numbers are the operating system's.
struct Cpu {
  int id = 0;
  int core = 0;    ///< the lowest CPU of its core: the kubelet's core id
  int socket = 0;  ///< package
  int numa = 0;    ///< NUMA node
  int cache = 0;   ///< its last-level cache: index into Machine::caches; -1 where none is known
  int kind = -1;   ///< hybrid machines: 0 is the most frugal kind of core; -1 where all are alike
  friend bool operator==(const Cpu&, const Cpu&) = default;
};

struct NumaNode {
  int id = 0;
  std::uint64_t memory_bytes = 0;  ///< 0: not known
  CpuSet cpus;
  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

/// A cache of data or of both, that is shared or not.
struct Cache {
  static constexpr int kUncore = 3;  ///< the level from which on the kubelet aligns CPUs to it

  int level = 0;
  std::uint64_t size_bytes = 0;  ///< 0: not known
  CpuSet cpus;
  friend bool operator==(const Cache&, const Cache&) = default;
};

enum class DeviceKind : std::uint8_t { kGpu, kNetwork, kStorage, kOther };

/// A device on the PCI bus.
struct Device {
  DeviceKind kind = DeviceKind::kOther;
  std::string name;  ///< "eth0", "nvme0n1"; of the bus address where it has no other
  std::string bus;   ///< "0000:3b:00.0"
  CpuSet near;       ///< the CPUs that are nearest to it
  /// What is between it and the CPUs, by address on the bus: the host bridge first, as "0000:3a".
  std::vector<std::string> bridges{};
  friend bool operator==(const Device&, const Device&) = default;
};

struct Machine {
  std::vector<Cpu> cpus;             ///< online ones, ascending
  std::vector<NumaNode> numa_nodes;  ///< ascending; those without CPUs too
  std::vector<Cache> caches;         ///< by level, the highest first, then by lowest CPU
  std::vector<Device> devices;       ///< by bus address
  /// [numa_nodes * numa_nodes], row-major: what firmware says that memory over there costs, 10 for
  /// one's own. Empty: not known.
  std::vector<std::uint32_t> distances;
  CpuSet offline;    ///< there, but switched off
  CpuSet isolated;   ///< isolcpus: the kernel's scheduler moves nothing there by itself
  CpuSet nohz_full;  ///< no tick while one task runs

  CpuSet cpu_set() const {
    CpuSet all;
    for (const Cpu& cpu : cpus) all.add(cpu.id);
    return all;
  }
  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace gedge
