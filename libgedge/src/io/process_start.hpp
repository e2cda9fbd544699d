// io/process_start.hpp - when a process began.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace gedge {

/// In clock ticks since boot. Nothing, and errno, where /proc does not say; 0 where it has ended
/// and nobody has waited for it.
std::optional<std::uint64_t> process_start(pid_t pid);

}  // namespace gedge
