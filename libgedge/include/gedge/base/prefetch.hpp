// gedge/base/prefetch.hpp - memory that is needed soon is asked for now.
#pragma once

#include <cstddef>

namespace gedge {

/// Always inline: GCC takes a function that does nothing but this for one without effect, and
/// leaves calls of it out. So a function around it needs an effect or a result.
[[gnu::always_inline]] inline void prefetch(const void* first, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const char* const at = static_cast<const char*>(first);
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + i);
}

}  // namespace gedge
