#include "gedge/io/steady_pace.hpp"

#include <chrono>

namespace gedge {
namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

SteadyPace::SteadyPace() : begin_(Steady::now().time_since_epoch()) {}

Micros SteadyPace::now() const {
  return std::chrono::floor<Micros>(Nanos(Steady::now().time_since_epoch()) - begin_);
}

void SteadyPace::rest_until(Nanos until) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, Steady::time_point(begin_ + until), [this] { return is_woken_; });
  is_woken_ = false;
}

void SteadyPace::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  woken_.notify_all();
}

}  // namespace gedge
