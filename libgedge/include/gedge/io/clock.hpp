// gedge/io/clock.hpp - the clock of this machine.
#pragma once

#include "gedge/port/clock.hpp"

namespace gedge {

/// Runs on while the machine's date is set.
class SteadyClock final : public Clock {
 public:
  Micros now() const override;
};

}  // namespace gedge
