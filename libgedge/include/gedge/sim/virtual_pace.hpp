// gedge/sim/virtual_pace.hpp - a clock that jumps to whatever is waited for.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "gedge/port/pace.hpp"

namespace gedge {

class VirtualPace final : public Pace {
 public:
  Micros now() const override { return std::chrono::floor<Micros>(now_); }
  void rest_until(Nanos until) override {
    if (!woken_.exchange(false)) now_ = std::max(now_, Nanos(std::chrono::ceil<Micros>(until)));
  }
  void wake() override { woken_ = true; }

 private:
  Nanos now_{0};
  std::atomic<bool> woken_{false};
};

}  // namespace gedge
