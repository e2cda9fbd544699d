#include "drive/condition_queue.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace gedge {
namespace {

constexpr Nanos kSecond{1'000'000'000};

Unschedulable told(const std::string& name, const std::string& message, bool is_again = false) {
  return {{"shop", name}, "u-" + name, message, is_again};
}

// "a: no room", with a "+" behind it where it is told again; empty: nothing is to be sent.
std::string next(ConditionQueue& queue, Nanos now) {
  const auto pod = queue.take(now);
  if (!pod) return {};
  return pod->pod.name + ": " + pod->message.str() + (pod->is_again ? "+" : "");
}

TEST_CASE("condition queue: of each pod the newest, in the order in which they came") {
  ConditionQueue queue;
  CHECK_FALSE(queue.next());
  queue.put(told("a", "no room"));
  queue.put(told("b", "no disk"));
  queue.put(told("a", "no port", true));
  CHECK(queue.ready(kSecond) == 2);
  CHECK(next(queue, kSecond) == "a: no port");  // nobody was told since when
  CHECK(next(queue, kSecond) == "b: no disk");
  CHECK(next(queue, kSecond).empty());
  CHECK_FALSE(queue.next());
}

TEST_CASE("condition queue: of one pod at most one is under way") {
  ConditionQueue queue;
  queue.put(told("a", "no room"));
  REQUIRE(next(queue, kSecond) == "a: no room");
  queue.put(told("a", "no port", true));
  CHECK(next(queue, kSecond).empty());
  queue.answered(told("a", "no room"), 200, {}, kSecond);
  CHECK(next(queue, kSecond) == "a: no port+");
}

TEST_CASE("condition queue: what may pass is sent again after a rest that grows") {
  ConditionQueue queue;
  queue.put(told("a", "no room"));
  queue.put(told("b", "no room"));
  Nanos now = kSecond;
  for (const int rest : {1, 2, 4, 8, 16, 30, 30}) {
    REQUIRE(next(queue, now) == "a: no room");
    REQUIRE(next(queue, now) == "b: no room");
    queue.answered(told("a", "no room"), 503, {}, now);
    queue.answered(told("b", "no room"), rest < 8 ? 0 : 403, {}, now);
    CHECK(queue.next() == now + rest * kSecond);
    CHECK(queue.ready(now) == 0);
    now += rest * kSecond;
    CHECK(next(queue, now - Nanos{1}).empty());
  }
  REQUIRE(next(queue, now) == "a: no room");
  queue.answered(told("a", "no room"), 200, {}, now);
  REQUIRE(next(queue, now) == "b: no room");
  queue.answered(told("b", "no room"), 401, {}, now);
  CHECK(queue.next() == now + kSecond);  // it was well in between
}

TEST_CASE("condition queue: a server is left in peace as long as it asks for, within reason") {
  ConditionQueue queue;
  queue.put(told("a", "no room"));
  REQUIRE(queue.take(kSecond));
  queue.answered(told("a", "no room"), 429, 7 * kSecond, kSecond);
  CHECK(queue.next() == 8 * kSecond);
  REQUIRE(queue.take(8 * kSecond));
  queue.answered(told("a", "no room"), 429, 7'000 * kSecond, 8 * kSecond);
  CHECK(queue.next() == 308 * kSecond);
}

TEST_CASE("condition queue: what can never be written is not tried again") {
  for (const unsigned status : {400U, 404U, 409U, 422U}) {
    ConditionQueue queue;
    queue.put(told("a", "no room"));
    REQUIRE(queue.take(kSecond));
    queue.answered(told("a", "no room"), status, {}, kSecond);
    CHECK_FALSE(queue.next());
  }
}

TEST_CASE("condition queue: pods that are gone are told nothing, whatever waits for them") {
  ConditionQueue queue;
  for (const char* name : {"a", "b", "c"}) queue.put(told(name, "no room"));
  REQUIRE(next(queue, kSecond) == "a: no room");
  queue.keep_only({{"shop", "c"}, {"shop", "d"}, {"other", "b"}});
  CHECK(queue.ready(kSecond) == 1);
  queue.answered(told("a", "no room"), 503, {}, kSecond);
  CHECK(next(queue, 60 * kSecond) == "c: no room");
  CHECK_FALSE(queue.next());
  queue.put(told("b", "no disk"));
  CHECK(next(queue, 60 * kSecond) == "b: no disk");
}

TEST_CASE("condition queue: a pod that has a place is told nothing more") {
  ConditionQueue queue;
  queue.put(told("a", "no room"));
  queue.put(told("b", "no room"));
  REQUIRE(next(queue, kSecond) == "a: no room");
  queue.put(told("a", "no port", true));
  queue.forget({"shop", "a"});
  queue.forget({"shop", "b"});
  CHECK(next(queue, kSecond).empty());
  queue.answered(told("a", "no room"), 503, {}, kSecond);
  CHECK_FALSE(queue.next());
  // What failed was the first that was to be written: the next one says since when.
  queue.put(told("a", "no room"));
  REQUIRE(next(queue, 3 * kSecond) == "a: no room");
  queue.put(told("a", "no port", true));
  queue.answered(told("a", "no room"), 503, {}, 3 * kSecond);
  CHECK(next(queue, 60 * kSecond) == "a: no port");
}

}  // namespace
}  // namespace gedge
