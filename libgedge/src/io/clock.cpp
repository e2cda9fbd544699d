#include "gedge/io/clock.hpp"

#include <chrono>

namespace gedge {

Micros SteadyClock::now() const {
  return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace gedge
