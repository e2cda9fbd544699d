#include "render/numbers.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace gedge::cli;

TEST_CASE("numbers: the largest duration of a column chooses the unit of all") {
  CHECK(DurationColumn({900, 120}).text(900) == "900 us");
  CHECK(DurationColumn({38'400, 900}).text(900) == "0.9 ms");
  CHECK(DurationColumn({38'400, 900}).text(38'400) == "38.4 ms");
  CHECK(DurationColumn({9'999'999}).text(9'999'999) == "10000.0 ms");
  CHECK(DurationColumn({12'000'000, 500'000}).text(500'000) == "0.5 s");
  CHECK(DurationColumn({}).text(0) == "0 us");
}

TEST_CASE("numbers: one decimal place rounded and slack keeps its sign") {
  const DurationColumn column({25'000});
  CHECK(column.text(1'849) == "1.8 ms");
  CHECK(column.text(1'850) == "1.9 ms");
  CHECK(column.text(-3'200) == "-3.2 ms");
  CHECK(column.text(-20) == "0.0 ms");
  CHECK(column.text(0) == "0.0 ms");
}

TEST_CASE("numbers: both sides of a violated limit never look equal") {
  CHECK(over_limit(38'400, 10'000) == "38.4 > 10.0 ms");
  CHECK(over_limit(10'001, 10'000) == "10.001 > 10.000 ms");
  CHECK(over_limit(10'010, 10'000) == "10.01 > 10.00 ms");
  CHECK(over_limit(800, 500) == "800 > 500 us");
  CHECK(over_limit(30'000'001, 30'000'000) == "30000.001 > 30000.000 ms");
}

TEST_CASE("numbers: bytes of a column share a unit") {
  const std::int64_t gib = std::int64_t{1} << 30;
  const BytesColumn column({gib * 3 / 2, gib / 2});
  CHECK(column.text(gib * 3 / 2) == "1.5 GiB");
  CHECK(column.text(gib / 2) == "0.5 GiB");
  CHECK(column.text(0) == "0.0 GiB");
  CHECK(column.text(gib - 1) == "1.0 GiB");
  CHECK(BytesColumn({1023}).text(1023) == "1023 B");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(BytesColumn({most}).text(most) == "8.0 EiB");
}

TEST_CASE("numbers: a share is rounded down so that all means all") {
  CHECK(percent(999, 1000) == "99 %");
  CHECK(percent(1000, 1000) == "100 %");
  CHECK(percent(3, 2) == "150 %");
  CHECK(percent(1, 0) == "-");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(percent(most, most) == "100 %");
}

TEST_CASE("numbers: one thing is not many things") {
  CHECK(counted(1, "pod") == "1 pod");
  CHECK(counted(0, "pod") == "0 pods");
}
