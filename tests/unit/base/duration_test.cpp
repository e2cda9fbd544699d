#include "gedge/base/duration.hpp"

#include <doctest/doctest.h>

using namespace gedge;

TEST_CASE("duration: RTTs round up and limits round down to whole microseconds") {
  CHECK(parse_duration("1.2345ms", Rounding::kUp) == 1235);
  CHECK(parse_duration("1.2345ms", Rounding::kDown) == 1234);
  CHECK(parse_duration("1.2340ms", Rounding::kUp) == 1234);
  CHECK(parse_duration("0.0000000001s", Rounding::kUp) == 1);
  CHECK(parse_duration("2s", Rounding::kUp) == 2'000'000);
  CHECK(parse_duration(".5ms", Rounding::kUp) == 500);
  CHECK(parse_duration("5.ms", Rounding::kUp) == 5000);
}

TEST_CASE("duration: what is no duration is refused") {
  for (const char* text :
       {"", "ms", "5", "-1ms", "+1ms", "1e3ms", "1 ms", "nanms", ".ms", "infs", "1m", "1..2s"})
    CHECK_MESSAGE(!parse_duration(text, Rounding::kUp), text);
}

TEST_CASE("duration: the largest value fits and the next one does not") {
  CHECK(parse_micros("9223372036854775807", TimeUnit::kMicro, Rounding::kUp) == INT64_MAX);
  CHECK(!parse_micros("9223372036854775808", TimeUnit::kMicro, Rounding::kUp));
  CHECK(!parse_micros("9223372036854775807.1", TimeUnit::kMicro, Rounding::kUp));
  CHECK(!parse_micros("9223372036855", TimeUnit::kSecond, Rounding::kUp));
}

TEST_CASE("duration: the printed form reads back exactly") {
  for (const std::int64_t us :
       {0L, 1L, 999L, 1000L, 1001L, 1500L, 25'000L, 999'999L, 1'000'000L, 1'000'001L, 2'500'000L})
    CHECK(parse_duration(format_duration(us), Rounding::kUp) == us);
  CHECK(format_duration(1500) == "1.5ms");
  CHECK(format_duration(2'500'000) == "2500ms");
}
