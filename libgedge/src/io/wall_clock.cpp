#include "gedge/io/wall_clock.hpp"

#include <chrono>

namespace gedge {

UnixSeconds SystemWallClock::date() const {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

}  // namespace gedge
