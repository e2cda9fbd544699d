// gedge/io/wall_clock.hpp - the date of this machine.
#pragma once

#include "gedge/port/wall_clock.hpp"

namespace gedge {

class SystemWallClock final : public WallClock {
 public:
  UnixSeconds date() const override;
};

}  // namespace gedge
