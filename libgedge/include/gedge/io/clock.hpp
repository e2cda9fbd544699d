// gedge/io/clock.hpp - the clock of this machine.
#pragma once

#include "gedge/port/clock.hpp"

namespace gedge {

/// Runs on while the machine sleeps, and while its date is set: a lease that ran out meanwhile is
/// seen to have.
class SteadyClock final : public Clock {
 public:
  Micros now() const override;
};

/// One that lives as long as the process.
const Clock& steady_clock();

}  // namespace gedge
