// io/probe_clock.hpp - the steady clock in nanoseconds, and stamps of the kernel told by it.
#pragma once

#include <ctime>

#include "gedge/base/nanos.hpp"

namespace gedge {

inline Nanos to_nanos(const timespec& time) {
  return std::chrono::seconds{time.tv_sec} + Nanos{time.tv_nsec};
}

/// The kernel stamps packets with the date, which may be set at any moment. The distance between
/// date and steady clock is looked at anew with each batch of stamps, and taken over only if it has
/// really moved: differences of stamps stay exact otherwise.
class ProbeClock {
 public:
  Nanos now() const;
  /// Before stamps are read.
  void look_at_date();
  /// A moment of the date by the steady clock.
  Nanos steady(const timespec& stamp) const { return to_nanos(stamp) - ahead_; }

 private:
  bool known_ = false;
  Nanos ahead_{0};  // of the date
};

}  // namespace gedge
