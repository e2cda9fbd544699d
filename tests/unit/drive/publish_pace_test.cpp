// When rounds of measuring are published: at once, and after failures with pauses that grow.
#include "gedge/drive/publish_pace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

using namespace gedge;

namespace {

constexpr Micros kFirst{800'000}, kMost{30'000'000};

}  // namespace

TEST_CASE("publishing: each round is due until one fails") {
  PublishPace pace(1);
  CHECK(pace.is_due(Micros{0}));
  pace.succeed();
  CHECK(pace.is_due(Micros{0}));
  const Micros now{5'000'000};
  const Micros pause = pace.fail(now);
  CHECK_FALSE(pace.is_due(now));
  CHECK_FALSE(pace.is_due(now + pause - Micros{1}));
  CHECK(pace.is_due(now + pause));
}

TEST_CASE("publishing: pauses double up to 30 s and begin anew after a success") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    PublishPace pace(seed);
    Micros now{0}, least = kFirst;
    for (int i = 0; i < 40; ++i) {
      const Micros pause = pace.fail(now);
      CHECK(pause >= least);
      CHECK(pause <= 2 * least);
      now += pause;
      least = std::min(2 * least, kMost);
    }
    CHECK(least == kMost);
    pace.succeed();
    CHECK(pace.fail(now) <= 2 * kFirst);
  }
}

TEST_CASE("publishing: two who failed at once do not come back at once") {
  PublishPace a(1), b(2);
  CHECK(a.fail(Micros{0}) != b.fail(Micros{0}));
}
