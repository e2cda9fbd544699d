#include "gedge/latency/deadline_wheel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "support/dice.hpp"

using gedge::DeadlineWheel;
using gedge::Nanos;

namespace {

std::set<std::uint32_t> pop_all(DeadlineWheel& wheel, Nanos now) {
  std::set<std::uint32_t> popped;
  while (const auto thing = wheel.pop(now)) popped.insert(*thing);
  return popped;
}

}  // namespace

TEST_CASE("deadline wheel: the deadline itself is due, a nanosecond before is not") {
  DeadlineWheel wheel(1, Nanos{1'000});
  wheel.schedule(0, Nanos{5'000});
  CHECK(wheel.next() == Nanos{5'000});
  CHECK_FALSE(wheel.pop(Nanos{4'999}));
  CHECK(wheel.pop(Nanos{5'000}) == 0U);
  CHECK_FALSE(wheel.pop(Nanos{5'000}));
  CHECK_FALSE(wheel.next());
}

TEST_CASE("deadline wheel: what is due at once takes turns") {
  DeadlineWheel wheel(3, Nanos{0});
  for (const std::uint32_t thing : {2U, 0U, 1U}) wheel.schedule(thing, Nanos{10});
  std::vector<std::uint32_t> order;
  for (int round = 0; round < 6; ++round) {
    order.push_back(*wheel.pop(Nanos{10}));
    wheel.schedule(order.back(), Nanos{10});
  }
  CHECK(order == std::vector<std::uint32_t>{2, 0, 1, 2, 0, 1});
}

TEST_CASE("deadline wheel: a deadline of the past is due at once, at whatever time it is set") {
  DeadlineWheel wheel(2, Nanos{1'000'000'000});
  wheel.schedule(0, Nanos{5});
  CHECK(wheel.pop(Nanos{1'000'000'000}) == 0U);
  CHECK_FALSE(wheel.pop(Nanos{9'000'000'000}));
  wheel.schedule(1, Nanos{1'500'000'000});
  CHECK(*wheel.next() <= Nanos{9'000'000'000});
  CHECK(wheel.pop(Nanos{9'000'000'000}) == 1U);
}

TEST_CASE("deadline wheel: deadlines many turns away wait for their turn") {
  DeadlineWheel wheel(2, Nanos{0});
  const Nanos far{3'600'000'000'000};  // an hour is 13,000 turns
  wheel.schedule(0, far);
  wheel.schedule(1, far + Nanos{1});
  CHECK(wheel.next() == far);
  for (Nanos now{0}; now < far; now += Nanos{700'000'000}) REQUIRE_FALSE(wheel.pop(now));
  CHECK(pop_all(wheel, far) == std::set<std::uint32_t>{0});
  CHECK(wheel.next() == far + Nanos{1});
  CHECK(pop_all(wheel, far + Nanos{1}) == std::set<std::uint32_t>{1});
}

TEST_CASE("deadline wheel: at every moment exactly what a sorted list has is due") {
  gedge::test::Dice dice(3);
  for (int game = 0; game < 30; ++game) {
    constexpr std::uint32_t kThings = 200;
    Nanos now{static_cast<std::int64_t>(dice.below(1'000'000'000))};
    DeadlineWheel wheel(kThings, now);
    std::vector<Nanos> deadline_of(kThings);
    const auto set_deadline = [&](std::uint32_t thing) {
      const std::uint64_t spread = std::uint64_t{1} << dice.below(32);
      deadline_of[thing] = now + Nanos{static_cast<std::int64_t>(dice.below(spread))};
      wheel.schedule(thing, deadline_of[thing]);
    };
    for (std::uint32_t thing = 0; thing < kThings; ++thing) set_deadline(thing);
    for (int step = 0; step < 200; ++step) {
      const Nanos next = *std::min_element(deadline_of.begin(), deadline_of.end());
      REQUIRE(wheel.next() == next);
      now = dice.below(2) == 0 ? next
                               : next + Nanos{static_cast<std::int64_t>(
                                            dice.below(std::uint64_t{1} << dice.below(31)))};
      std::set<std::uint32_t> expected;
      for (std::uint32_t thing = 0; thing < kThings; ++thing)
        if (deadline_of[thing] <= now) expected.insert(thing);
      REQUIRE(pop_all(wheel, now) == expected);
      for (const std::uint32_t thing : expected) set_deadline(thing);
    }
  }
}
