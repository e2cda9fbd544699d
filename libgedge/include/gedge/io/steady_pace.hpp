// gedge/io/steady_pace.hpp - waiting with the clock of this machine.
#pragma once

#include <condition_variable>
#include <mutex>

#include "gedge/port/pace.hpp"

namespace gedge {

/// Counts from the moment it was made.
class SteadyPace final : public Pace {
 public:
  SteadyPace();
  Micros now() const override;
  void rest_until(Nanos until) override;
  void wake() override;

 private:
  Nanos begin_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

}  // namespace gedge
