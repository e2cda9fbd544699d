// What a Reflector makes of what other processes wrote.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <tuple>

#include "unit/control/reflector_fixture.hpp"

namespace gedge {
namespace {

using namespace reflector_test;

TEST_CASE("reflector: what others wrote is known by a list that was begun later") {
  Reflector reflector = watching();
  reflector.require(20 * kSecond, "", 20 * kSecond);
  CHECK(reflector.is_behind());
  CHECK(*reflector.next() == 20 * kSecond);
  REQUIRE(reflector.is_vain(20 * kSecond));
  reflector.resume(20 * kSecond);
  REQUIRE(reflector.advance(20 * kSecond)->is_list);
  CHECK_FALSE(reflector.is_vain(20 * kSecond));
  CHECK_FALSE(reflector.take_page({"8", "more"}, 21 * kSecond));
  CHECK(reflector.is_behind());
  REQUIRE(reflector.advance(21 * kSecond)->next == "more");
  CHECK(reflector.take_page({"8", ""}, 22 * kSecond));
  CHECK_FALSE(reflector.is_behind());
  CHECK(reflector.advance(22 * kSecond)->version == "8");
  reflector.require(20 * kSecond, "", 23 * kSecond);  // said again
  CHECK_FALSE(reflector.is_behind());
  CHECK_FALSE(reflector.is_vain(23 * kSecond));
}

TEST_CASE("reflector: a list that was begun before others stopped writing is begun again") {
  Reflector asked(1);
  REQUIRE(asked.advance(10 * kSecond));
  asked.require(20 * kSecond, "7", 20 * kSecond);
  REQUIRE(asked.is_vain(20 * kSecond));
  asked.resume(20 * kSecond);
  CHECK(asked.advance(20 * kSecond)->next.empty());
  CHECK(asked.take_page({"8", ""}, 21 * kSecond));
  CHECK_FALSE(asked.is_behind());
  Reflector between(1);
  REQUIRE(between.advance(10 * kSecond));
  CHECK_FALSE(between.take_page({"8", "more"}, 11 * kSecond));
  between.require(20 * kSecond, "7", 20 * kSecond);
  CHECK(between.advance(20 * kSecond)->next.empty());
}

TEST_CASE("reflector: a watch that has come as far as others had heard needs no list") {
  for (const auto& [heard, told, is_enough] :
       {std::tuple("7", "", true),
        {"9", "9", true},
        {"9", "10", true},
        {"10", "9", false},
        {"10", "11", true},
        {"123", "99", false},
        {"b", "b", true},
        {"a", "b", false},
        {"007", "8", false},
        {"0", "8", false},
        {"", "8", false},
        {"8", "", false},
        {"18446744073709551616", "18446744073709551617", true}}) {
    const auto& shown_heard = heard;
    CAPTURE(shown_heard);
    const auto& shown_told = told;
    CAPTURE(shown_told);
    Reflector reflector = watching();
    reflector.require(20 * kSecond, heard, 20 * kSecond);
    if (*told != 0) {
      CHECK(reflector.is_behind());
      CHECK(reflector.take_line(line(WatchType::kModified, told), 20 * kSecond));
    }
    CHECK(reflector.is_behind() != is_enough);
    CHECK(reflector.is_vain(21 * kSecond) != is_enough);
    if (is_enough || *heard == 0) continue;
    CHECK_FALSE(reflector.is_vain(21 * kSecond - Nanos{1}));
    CHECK(*reflector.next() == 21 * kSecond);
    reflector.resume(21 * kSecond);
    CHECK(reflector.advance(21 * kSecond)->is_list);
  }
}

TEST_CASE(
    "reflector: a watch that is broken goes on at once to catch up, and then a list is made") {
  Reflector reflector = watching();
  reflector.failed(0, std::nullopt, 20 * kSecond);
  reflector.require(20 * kSecond, "9", 20 * kSecond);
  REQUIRE(*reflector.next() == 20 * kSecond);
  REQUIRE_FALSE(reflector.advance(20 * kSecond)->is_list);
  CHECK_FALSE(reflector.is_vain(21 * kSecond - Nanos{1}));
  CHECK(reflector.is_vain(21 * kSecond));
  reflector.resume(21 * kSecond);
  CHECK(reflector.advance(21 * kSecond)->is_list);
}

TEST_CASE("reflector: what is required waits for nothing but what a server asked for") {
  Reflector waits = away();
  const Nanos now = *waits.next() - 20 * kSecond;
  waits.require(now, "", now);
  CHECK(*waits.next() == now);
  CHECK(waits.advance(now)->is_list);
  Reflector asked = away(100 * kSecond);
  const Nanos end = *asked.next();
  asked.require(end - 20 * kSecond, "", end - 20 * kSecond);
  CHECK(*asked.next() == end);
}

TEST_CASE("reflector: of a kind that is refused again nothing is left to know") {
  Reflector reflector(1);
  REQUIRE(reflector.advance(10 * kSecond));
  reflector.failed(404, std::nullopt, 10 * kSecond);
  REQUIRE(reflector.is_absent());
  reflector.require(10 * kSecond + Nanos{1}, "9", 10 * kSecond + Nanos{1});
  CHECK(reflector.is_behind());
  REQUIRE(reflector.advance(11 * kSecond)->is_list);
  reflector.require(12 * kSecond, "9", 12 * kSecond);  // again, while that is under way
  reflector.failed(404, std::nullopt, 12 * kSecond);
  CHECK(reflector.is_behind());
  REQUIRE(reflector.advance(20 * kSecond)->is_list);
  reflector.failed(404, std::nullopt, 20 * kSecond);
  CHECK_FALSE(reflector.is_behind());
}

// Calls for it have failed again and again, which says nothing of the next one.
TEST_CASE("reflector: of a kind that was not there a list that is needed is tried again soon") {
  Reflector reflector(1);
  Nanos now = 10 * kSecond;
  for (int i = 0; i < 10; ++i) {
    REQUIRE(reflector.advance(now));
    reflector.failed(404, std::nullopt, now);
    now = *reflector.next();
  }
  reflector.require(now, "", now);
  REQUIRE(reflector.advance(now)->is_list);
  reflector.failed(429, kSecond, now);
  CHECK(*reflector.next() < now + 2 * kSecond);
}

TEST_CASE("reflector: how far it has come is only known while it watches") {
  Reflector reflector = watching();
  CHECK(reflector.heard().empty());  // not answered yet
  reflector.opened(11 * kSecond);
  CHECK(reflector.heard() == "7");
  reflector.take_line(line(WatchType::kModified, "9"), 12 * kSecond);
  CHECK(reflector.heard() == "9");
  reflector.take_line(line(WatchType::kBookmark, "20"), 12 * kSecond);
  CHECK(reflector.heard() == "9");
  reflector.failed(0, std::nullopt, 13 * kSecond);
  CHECK(reflector.heard().empty());
}

}  // namespace
}  // namespace gedge
