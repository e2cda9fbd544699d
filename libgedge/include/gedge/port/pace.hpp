// gedge/port/pace.hpp - a clock that can be waited with: this machine's, or one that jumps.
#pragma once

#include "gedge/base/nanos.hpp"
#include "gedge/port/clock.hpp"

namespace gedge {

class Pace : public Clock {
 public:
  /// Returns at `until`, or as soon as wake() was called since the last return; `until` counts as
  /// now() does.
  virtual void rest_until(Nanos until) = 0;
  /// From any thread.
  virtual void wake() = 0;
};

}  // namespace gedge
