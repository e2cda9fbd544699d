#include "gedge/codec/timestamp.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/dice.hpp"

namespace gedge::codec {
namespace {

TEST_CASE("timestamp: RFC 3339 with fractions and offsets, seconds since 1970") {
  CHECK(parse_timestamp("1970-01-01T00:00:00Z") == 0);
  CHECK(parse_timestamp("2026-01-02T03:04:05Z") == 1767323045);
  CHECK(parse_timestamp("2026-01-02t03:04:05.999999999z") == 1767323045);
  CHECK(parse_timestamp("2026-01-02T05:04:05+02:00") == 1767323045);
  CHECK(parse_timestamp("2026-01-01T21:34:05-05:30") == 1767323045);
  CHECK(parse_timestamp("2018-11-10 12:19:15") == 1541852355);
  CHECK(parse_timestamp("1969-12-31T23:59:59Z") == -1);
  CHECK(parse_timestamp("2024-02-29T00:00:00Z") == 1709164800);
  CHECK(parse_timestamp("2016-12-31T23:59:60Z") == parse_timestamp("2016-12-31T23:59:59Z"));
}

TEST_CASE("timestamp: the API server's form is read as every other form of the same time is") {
  test::Dice dice(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "2024-02-28T12:30:30Z";
    for (std::size_t change = dice.below(4); change < 4; ++change)
      text[dice.below(text.size() - 1)] = "0123456789-:TZ/"[dice.below(15)];
    const std::string other = text.substr(0, text.size() - 1) + "+00:00";
    CAPTURE(text);
    REQUIRE(parse_timestamp(text) == parse_timestamp(other));
  }
}

TEST_CASE("timestamp: what is no time") {
  for (const char* text : {"", "2026", "2026-01-02", "2026-01-02T03:04Z", "2026-13-02T03:04:05Z",
                           "2025-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z",
                           "2026-01-02T03:04:61Z", "2026-01-02T03:04:05.Z",
                           "2026-01-02T03:04:05+0200", "2026-01-02T03:04:05+24:00",
                           "2026-01-02T03:04:05Zx", "+026-01-02T03:04:05Z", "yesterday"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_timestamp(text));
  }
}

}  // namespace
}  // namespace gedge::codec
