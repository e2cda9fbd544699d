// gedge/base/nanos.hpp - time as the kernel stamps packets with it.
#pragma once

#include <chrono>
#include <cstdint>

namespace gedge {

/// Spans, and moments of a clock that counts from any moment and never goes back.
using Nanos = std::chrono::duration<std::int64_t, std::nano>;

}  // namespace gedge
