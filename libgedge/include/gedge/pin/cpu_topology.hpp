// gedge/pin/cpu_topology.hpp - a machine as the kubelet's CPU manager counts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gedge/pin/machine.hpp"

namespace gedge {

/// Whose rules: the vectors of 1.20 verify the first; the second is what 1.36 does.
enum class KubeletForm : std::uint8_t { k1_20, kToday };

/// What CPUs are grouped into.
enum class CpuLevel : std::uint8_t { kSocket, kNuma, kCache, kCore };
inline constexpr std::size_t kCpuLevels = 4;

/// A socket, NUMA node, last-level cache or core.
struct CpuUnit {
  int id = 0;   ///< the operating system's; of a core its lowest CPU
  CpuSet cpus;  ///< never empty
};

/// Sizes are means, rounded down, as upstream has them: on a machine with CPUs that are offline or
/// with cores of several kinds "a whole core" may mean something that no core has.
class CpuTopology {
 public:
  CpuTopology(const Machine& machine, KubeletForm form);

  KubeletForm form() const { return form_; }
  const CpuSet& cpus() const { return cpus_; }
  int cpu_count() const { return count_; }
  /// Ascending ids.
  const std::vector<CpuUnit>& units(CpuLevel level) const { return units_[index(level)]; }
  /// Number in units(level) of what `cpu` is part of; -1 for a CPU that the machine does not have.
  int unit_of(CpuLevel level, int cpu) const {
    const auto& of = unit_of_[index(level)];
    return cpu >= 0 && static_cast<std::size_t>(cpu) < of.size() ? of[static_cast<std::size_t>(cpu)]
                                                                 : -1;
  }
  int socket_count() const { return sockets_; }
  int cpus_per_socket() const { return count_ / sockets_; }
  int cpus_per_core() const { return count_ / static_cast<int>(units(CpuLevel::kCore).size()); }
  int cpus_per_cache() const { return count_ / static_cast<int>(units(CpuLevel::kCache).size()); }

 private:
  static std::size_t index(CpuLevel level) { return static_cast<std::size_t>(level); }
  void group(CpuLevel level, const std::vector<std::pair<int, int>>& id_of_cpu);

  KubeletForm form_;
  CpuSet cpus_;
  int count_ = 0, sockets_ = 1;
  std::array<std::vector<CpuUnit>, kCpuLevels> units_;
  std::array<std::vector<int>, kCpuLevels> unit_of_;  // [last CPU + 1]
};

}  // namespace gedge
