#include "snapshot/usage_kernels.hpp"

#include <limits>

#include "gedge/base/target_clones.hpp"

namespace gedge {

GEDGE_FOR_EACH_TARGET bool find_shares(const UsageBlock& cpu, const UsageBlock& memory,
                                       std::uint32_t rows, std::uint64_t too_large, Shares& out) {
  std::uint64_t seen = 0;
  std::int64_t least = 1;
  for (std::uint32_t i = 0; i < rows; ++i) {
    seen |=
        static_cast<std::uint64_t>(cpu.allocatable[i] | cpu.requested[i] | cpu.score[i] |
                                   memory.allocatable[i] | memory.requested[i] | memory.score[i]);
    const std::int64_t smaller =
        cpu.allocatable[i] < memory.allocatable[i] ? cpu.allocatable[i] : memory.allocatable[i];
    least = smaller < least ? smaller : least;
  }
  if (seen >= too_large || least < 1) return false;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const auto cores = static_cast<double>(cpu.allocatable[i]);
    const auto bytes = static_cast<double>(memory.allocatable[i]);
    out.free_cpu[i] = static_cast<double>(cpu.allocatable[i] - cpu.score[i]) / cores;
    out.free_memory[i] = static_cast<double>(memory.allocatable[i] - memory.score[i]) / bytes;
    const double c = static_cast<double>(cpu.requested[i]) / cores;
    const double m = static_cast<double>(memory.requested[i]) / bytes;
    out.tilt[i] = (c > 1 ? 1.0 : c) - (m > 1 ? 1.0 : m);
    out.used[i] = c > m ? c : m;
  }
  return true;
}

GEDGE_FOR_EACH_TARGET void find_free(const std::int64_t* allocatable, const std::int64_t* requested,
                                     std::uint32_t rows, std::int64_t& least, std::int64_t& most) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::int64_t free = allocatable[i] - requested[i];
    low = free < low ? free : low;
    high = free > high ? free : high;
  }
  least = low;
  most = high;
}

}  // namespace gedge
