#include "gedge/io/steady_pace.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace gedge;

TEST_CASE("sleep ends at its time, and not before") {
  SteadyPace pace;
  const Micros until = pace.now() + Micros(2'000);
  pace.rest_until(until);
  CHECK(pace.now() >= until);
  pace.rest_until(Nanos{0});
}

TEST_CASE("wake ends the sleep that is under way, or the next one") {
  constexpr Nanos kHour{3'600'000'000'000};
  SteadyPace pace;
  pace.wake();
  pace.rest_until(kHour);
  std::thread waker([&] { pace.wake(); });
  pace.rest_until(kHour);
  waker.join();
  CHECK(pace.now() < Micros(3'000'000'000));
}
