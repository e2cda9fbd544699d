#include "gedge/codec/load_series.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/read_files.hpp"

namespace {

using namespace gedge;

LoadReading read(const std::string& text) { return read_load_series({"load.csv", text}); }

std::string error_of(const std::string& text) {
  const LoadReading reading = read(text);
  CHECK_FALSE(reading.series);
  REQUIRE_FALSE(reading.errors.empty());
  return reading.errors.front().what + " at " + std::to_string(reading.errors.front().where.line);
}

TEST_CASE("times in seconds, as people write them, and as machines do") {
  const LoadSeries expected{{60, 1'500}, {120, 2'000}};
  CHECK(read("60,1.5\n120,2\n").series == expected);
  CHECK(read("time,value\r\n60,1.5\r\n120,2.0\r\n").series == expected);
  CHECK(read("1970-01-01T00:01:00Z,1.5\n1970-01-01T00:02:00Z,2\n").series == expected);
  CHECK(read("t,v\n1970-01-01 00:01,1.5\n1970-01-01 00:02:00,2\n\n").series == expected);
}

TEST_CASE("sites of one time are added up") {
  CHECK(read("time,value,site\n1,2,a\n1,3,b\n2,1,a\n").series ==
        LoadSeries{{1, 5'000}, {2, 1'000}});
}

TEST_CASE("sites are known by name, and one without a value has none") {
  const LoadOrigins origins = read("time,value,site\n1,2,b\n1,3,a\n2,1,a\n3,4,c\n").origins;
  CHECK(origins.sites == std::vector<std::string>{"a", "b", "c"});
  CHECK(origins.milli ==
        std::vector<std::vector<std::int64_t>>{{3'000, 1'000, 0}, {2'000, 0, 0}, {0, 0, 4'000}});
  CHECK(read("1,2\n").origins.sites.empty());
  CHECK_MESSAGE(read("1,2,a\n2,3\n").origins.sites.empty(), "nobody knows where all come from");
}

TEST_CASE("what is no load is refused with its line") {
  CHECK(error_of("") == "a load without values at 0");
  CHECK(error_of("time,value\n") == "a load without values at 0");
  CHECK(error_of("1,2\n0,2\n") == "'0' lies before the time above at 2");
  CHECK(error_of("1,2\n1,3\n") == "a second value of '1' at 2");
  CHECK(error_of("1,2,a\n1,3,a\n") == "a second value of '1' at 2");
  CHECK(error_of("1,NaN\n") == "'NaN' is no demand at 1");
  CHECK(error_of("1,-2\n") == "'-2' is no demand at 1");
  CHECK(error_of("1,inf\n") == "'inf' is no demand at 1");
  CHECK(error_of("1,2\nsoon,3\n") == "'soon' is no time at 2");
  CHECK(error_of("1,2\n2\n") == "a line of 1 column at 2");
  CHECK(error_of("1,2,a,b\n") == "a line of 4 columns at 1");
}

TEST_CASE("cells may be quoted, as spreadsheets and dashboards write them") {
  CHECK(read("\"time\",\"value\"\n\"60\",\"1.5\"\n\"120\",2\n").series ==
        LoadSeries{{60, 1'500}, {120, 2'000}});
  CHECK(read("1,2,\"a\"\n").origins.sites == std::vector<std::string>{"a"});
  CHECK(error_of("1,2\n\"60,1.5\"\n") == "'\"60' is no time at 2");
}

TEST_CASE("milliseconds are not taken for seconds") {
  CHECK(error_of("time,value\n1700000000000,5\n") ==
        "'1700000000000' seconds are thousands of years at 2");
  CHECK(read("99999999999,5\n").series == LoadSeries{{99'999'999'999, 5'000}});
  CHECK_MESSAGE(read("9999-12-31T00:00:00Z,5\n").series, "a year that is written out");
}

TEST_CASE("columns whose names are in another order are not taken for time and value") {
  CHECK(error_of("value,time\n500,0\n600,10\n") == "the time is not the first column at 1");
  CHECK(error_of("site,value,Timestamp\n500,0,1\n") == "the time is not the first column at 1");
  CHECK(read("t,time\n1,2\n").errors.size() == 1);
  CHECK(read("timestamp,requests\n1,2\n").series == LoadSeries{{1, 2'000}});
  CHECK(read("when,what\n1,2\n").series == LoadSeries{{1, 2'000}});
}

TEST_CASE("the load series of the public data are read") {
  const auto data = test::public_data_dir();
  if (!data) GEDGE_SKIP("GEDGE_DATA_DIR is not set");
  std::size_t count = 0;
  for (const char* folder : {"nab", "worldcup98-early-days"})
    for (const auto& path : test::files_of(*data / "load-series" / folder)) {
      if (path.extension() != ".csv") continue;
      INFO(path.string());
      const LoadReading reading = read(test::slurp(path));
      for (const Error& error : reading.errors) MESSAGE(error.what);
      REQUIRE(reading.series);
      CHECK(reading.series->size() > 1'000);
      ++count;
    }
  CHECK(count == 12);
}

}  // namespace
