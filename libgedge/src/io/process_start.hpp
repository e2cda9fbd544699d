// io/process_start.hpp - what /proc/PID/stat says of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace gedge {

struct ProcessStat {
  std::string name;
  pid_t parent = 0;
  bool has_ended = false;   ///< all its threads, and nobody has waited for it yet
  bool is_kernel = false;   ///< a thread of the kernel itself
  std::uint64_t start = 0;  ///< clock ticks since boot
};

/// Nothing, and errno, where /proc does not say.
std::optional<ProcessStat> process_stat(pid_t pid);

/// In clock ticks since boot. Nothing, and errno, where /proc does not say; 0 where it has ended
/// and nobody has waited for it.
std::optional<std::uint64_t> process_start(pid_t pid);

}  // namespace gedge
