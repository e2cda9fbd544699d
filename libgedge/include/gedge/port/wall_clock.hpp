// gedge/port/wall_clock.hpp - the date, as an interface.
#pragma once

#include "gedge/base/units.hpp"

namespace gedge {

/// What the machine takes for the date; may be set, so differences mean nothing. From any thread.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual UnixSeconds date() const = 0;
};

}  // namespace gedge
