#include "watchdog.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>

using gedge::Micros;
using gedge::Nanos;
using gedge::cli::Watchdog;

namespace {

class HandClock final : public gedge::Clock {
 public:
  Micros now() const override { return Micros{micros_}; }
  void set(Nanos time) { micros_ = std::chrono::duration_cast<Micros>(time).count(); }

 private:
  std::atomic<std::int64_t> micros_{0};
};

constexpr Nanos kSecond{1'000'000'000};

}  // namespace

TEST_CASE("watchdog: it is too late once the moment has come that was set last") {
  HandClock clock;
  std::promise<void> late;
  Watchdog watchdog(clock, [&] { late.set_value(); });
  watchdog.set(kSecond);
  watchdog.set(2 * kSecond);
  clock.set(2 * kSecond);
  CHECK(late.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
}

TEST_CASE("watchdog: nothing is too late where nothing is set, or not any more") {
  HandClock clock;
  std::atomic<bool> was_late = false;
  {
    Watchdog watchdog(clock, [&] { was_late = true; });
    watchdog.set(kSecond);
    watchdog.set(std::nullopt);
    clock.set(2 * kSecond);
  }
  CHECK_FALSE(was_late);
}
