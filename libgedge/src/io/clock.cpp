#include "gedge/io/clock.hpp"

#include <time.h>

#include <chrono>

namespace gedge {

Micros SteadyClock::now() const {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::duration_cast<Micros>(std::chrono::seconds(time.tv_sec) +
                                            std::chrono::nanoseconds(time.tv_nsec));
}

const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace gedge
