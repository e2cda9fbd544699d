// What a Reflector makes of watches between which the store may have been put back.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "unit/control/reflector_fixture.hpp"

namespace gedge {
namespace {

using namespace reflector_test;

/// Has watched from version 7, and watches again, after the first one ended so at second 20.
Reflector watching_again(unsigned status) {
  Reflector reflector = watching();
  reflector.opened(10 * kSecond);
  reflector.failed(status, std::nullopt, 20 * kSecond);
  REQUIRE(reflector.advance(30 * kSecond)->version == "7");
  CHECK(reflector.take_doubt() == (status == 0 || status >= 500));
  CHECK_FALSE(reflector.take_doubt());
  reflector.opened(30 * kSecond);
  return reflector;
}

TEST_CASE("reflector: a watch that did not end in its time leaves a doubt") {
  for (const unsigned status : {0U, 200U, 429U, 503U}) {
    CAPTURE(status);
    Reflector reflector = watching_again(status);
    CHECK(reflector.take_doubt());
    CHECK_FALSE(reflector.take_doubt());
    CHECK_FALSE(reflector.is_vain(31 * kSecond));
  }
}

TEST_CASE("reflector: one that was cut by ourselves leaves a doubt, too") {
  Reflector reflector = watching();
  reflector.opened(10 * kSecond);
  reflector.resume(20 * kSecond);
  REQUIRE(reflector.advance(20 * kSecond)->version == "7");
  CHECK(reflector.is_opening());
  CHECK_FALSE(reflector.take_doubt());
  reflector.opened(20 * kSecond);
  CHECK_FALSE(reflector.is_opening());
  CHECK(reflector.take_doubt());
}

TEST_CASE("reflector: a call that is not answered leaves one, but of what was never listed") {
  Reflector unlisted(1);
  REQUIRE(unlisted.advance(Nanos{0})->is_list);
  unlisted.failed(0, std::nullopt, kSecond);
  CHECK_FALSE(unlisted.take_doubt());

  Reflector reflector = watching();
  reflector.opened(10 * kSecond);
  for (const Nanos now : {20 * kSecond, 40 * kSecond, 60 * kSecond}) {
    reflector.failed(503, std::nullopt, now);
    CHECK(reflector.take_doubt());
    REQUIRE(reflector.advance(now + 10 * kSecond));
  }
  CHECK(reflector.is_listing());  // the second time it failed with that version
  for (const unsigned status : {404U, 429U}) {
    reflector.failed(status, std::nullopt, 70 * kSecond);
    CHECK_FALSE(reflector.take_doubt());
    REQUIRE(reflector.advance(200 * kSecond));
  }
  reflector.require(200 * kSecond + Nanos{1}, "", 200 * kSecond + Nanos{1});
  reflector.failed(503, std::nullopt, 201 * kSecond);
  CHECK_FALSE(reflector.take_doubt());  // nobody decides before its list
}

TEST_CASE("reflector: a watch that ends in its time leaves none") {
  Reflector reflector = watching();
  reflector.opened(10 * kSecond);
  reflector.failed(200, std::nullopt, 610 * kSecond);
  REQUIRE(reflector.advance(610 * kSecond)->version == "7");
  reflector.opened(610 * kSecond);
  CHECK_FALSE(reflector.take_doubt());
}

TEST_CASE("reflector: what is listed leaves none") {
  Reflector reflector = watching_again(503);
  reflector.require(31 * kSecond, "", 31 * kSecond);
  reflector.resume(31 * kSecond);
  REQUIRE(reflector.advance(31 * kSecond)->is_list);
  REQUIRE(reflector.take_page({"6", ""}, 32 * kSecond));
  REQUIRE(reflector.advance(32 * kSecond)->version == "6");
  reflector.opened(32 * kSecond);
  CHECK_FALSE(reflector.take_doubt());
}

TEST_CASE("reflector: a list that fails, and is no longer wanted, leaves the doubt of its watch") {
  Reflector reflector = watching();
  reflector.opened(10 * kSecond);
  const Nanos hour = 3700 * kSecond;
  reflector.failed(200, std::nullopt, hour);
  REQUIRE(reflector.advance(hour)->is_list);
  reflector.failed(503, std::nullopt, hour);
  REQUIRE(reflector.advance(hour + 10 * kSecond)->version == "7");
  reflector.opened(hour + 10 * kSecond);
  CHECK(reflector.take_doubt());
}

TEST_CASE("reflector: the newest version is of all that was told since the last list") {
  Reflector reflector = watching();
  CHECK(reflector.newest() == "7");
  for (const auto& [type, told, newest] : {std::tuple(WatchType::kBookmark, "99", "99"),
                                           {WatchType::kModified, "100", "100"},
                                           {WatchType::kAdded, "8", "100"},
                                           {WatchType::kBookmark, "", "100"},
                                           {WatchType::kDeleted, "a", "a"}}) {
    REQUIRE(reflector.take_line(line(type, told), 11 * kSecond));
    CHECK(reflector.newest() == newest);
  }
  reflector.require(12 * kSecond, "", 12 * kSecond);
  reflector.resume(12 * kSecond);
  REQUIRE(reflector.advance(12 * kSecond)->is_list);
  CHECK_FALSE(reflector.take_page({"5", "more"}, 12 * kSecond));
  CHECK(reflector.newest() == "a");
  REQUIRE(reflector.advance(12 * kSecond)->next == "more");
  CHECK_FALSE(reflector.has_gone_back());
  REQUIRE(reflector.take_page({"5", ""}, 12 * kSecond));
  CHECK(reflector.newest() == "5");
}

TEST_CASE("reflector: a list that is older than what was told is one of a store that went back") {
  for (const auto& [version, has_gone_back] :
       {std::pair("6", true), {"7", false}, {"8", false}, {"x", false}}) {
    const auto& shown_version = version;
    CAPTURE(shown_version);
    Reflector reflector = watching();
    reflector.require(12 * kSecond, "", 12 * kSecond);
    reflector.resume(12 * kSecond);
    REQUIRE(reflector.advance(12 * kSecond)->is_list);
    REQUIRE(reflector.take_page({version, ""}, 12 * kSecond));
    CHECK(reflector.has_gone_back() == has_gone_back);
    reflector.start_over(13 * kSecond);
    CHECK(reflector.newest().empty());
    CHECK_FALSE(reflector.has_gone_back());
    CHECK(reflector.is_behind() != has_gone_back);  // that list was of the store as it is
  }
}

TEST_CASE("reflector: a handover does not stand for the list that a store needs") {
  Reflector reflector = watching();
  reflector.start_over(12 * kSecond);
  reflector.require(13 * kSecond, "7", 13 * kSecond);
  CHECK(reflector.is_behind());
  CHECK(reflector.is_vain(13 * kSecond));
}

TEST_CASE("reflector: what a lost watch had heard is nothing that was caught up with") {
  Reflector reflector = watching();
  reflector.opened(10 * kSecond);
  reflector.failed(503, std::nullopt, 20 * kSecond);
  reflector.require(21 * kSecond, "6", 21 * kSecond);
  CHECK(reflector.is_behind());
}

TEST_CASE("reflector: of a kind that is gone there is no version") {
  Reflector reflector(1);
  REQUIRE(reflector.advance(Nanos{0})->is_list);
  REQUIRE(reflector.take_page({"7", ""}, Nanos{0}));
  REQUIRE_FALSE(reflector.advance(Nanos{0})->is_list);
  for (const Nanos now : {kSecond, 2 * kSecond, 63 * kSecond}) {
    CHECK(reflector.newest() == "7");
    reflector.failed(404, std::nullopt, now);
    REQUIRE(reflector.advance(*reflector.next())->is_list);
  }
  CHECK(reflector.is_absent());
  CHECK(reflector.newest().empty());
}

}  // namespace
}  // namespace gedge
