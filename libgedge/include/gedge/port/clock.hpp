// gedge/port/clock.hpp - the time that passes, as an interface.
#pragma once

#include "gedge/base/units.hpp"

namespace gedge {

/// Counts from any moment and never goes back: only differences mean anything.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Micros now() const = 0;
};

}  // namespace gedge
