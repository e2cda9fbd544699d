// drive/pinning_threads.hpp - pins the threads of a process while it may begin and end some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gedge/port/pin_targets.hpp"

namespace gedge {

/// The threads of a process at one moment, and where they might run.
struct Sight {
  std::optional<std::uint64_t> births;  ///< before; nothing: nobody says
  std::vector<int> listed;
  std::vector<CpuSet> masks;  ///< [listed]; empty: it has ended
};

/// Whatever the kernel's reason is.
Error refused(Error error);

/// Pins the threads of one process until all that are listed are there, and none has begun since
/// the list was made, and says how many. Each is asked once where it runs after it was pinned.
/// `sight` was made before. Errors: kDenied where one does not stay there; kNotFound where the
/// process has ended, which says whom its number was given to if that one was pinned in its place.
Result<std::size_t> pin_threads(Threads& threads, const ProcessId& process, Sight sight,
                                const CpuSet& cpus);

}  // namespace gedge
