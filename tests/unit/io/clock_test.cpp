#include "gedge/io/clock.hpp"

#include <doctest/doctest.h>

TEST_CASE("clock: it runs and never goes back") {
  const gedge::SteadyClock clock;
  gedge::Micros last = clock.now();
  const gedge::Micros first = last;
  while (last == first) {  // until it has moved by a microsecond
    const gedge::Micros next = clock.now();
    REQUIRE(next >= last);
    last = next;
  }
  CHECK(last > first);
}
