#include "gedge/codec/pin_record.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace gedge {

TEST_CASE("the record of pins: what is written is read again") {
  std::vector<PinRecord> records(2);
  records[0].holder = "4711-99";
  records[0].processes.push_back(
      {{4711, 99}, {2, 3}, CpuSet::range(0, 7), {{{4712, 100}, CpuSet{0}}}});
  records[1].holder = "group-8";
  records[1].groups.push_back({{"/a \"b\"", 8}, {2}, {}, {}, {}});
  records[1].groups.push_back({{"/a/c", 9, 4'026'532'281}, {2}, {2, 3}, CpuSet{0}, CpuSet{0, 1}});
  records[0].shared = {2, 3};
  const std::string text = write_pin_records(records);
  const auto reading = read_pin_records({"pin_record", text});
  REQUIRE(reading.records);
  CHECK(*reading.records == records);
  CHECK(read_pin_records({"pin_record", write_pin_records({})}).records->empty());
}

TEST_CASE("the record of pins: who was moved aside is read again") {
  Aside aside{CpuSet::range(0, 7), 77, {{"4711-99", {2, 3}}, {"group-8", {5}}}, {}};
  aside.moved.push_back({{1, 0}, {}, CpuSet::range(0, 7), {{{12, 5}, CpuSet{2}}}});
  const auto reading = read_pin_records({"pin_record", write_pin_records({}, aside)});
  REQUIRE(reading.records);
  CHECK(reading.aside == aside);
  CHECK(write_pin_records({}, {}).find("aside") == std::string::npos);
}

TEST_CASE("the record of pins: whose nice value was raised is read again") {
  Niced niced{77, {{"4711-99", {{2, 3}, 10}}, {"group-8", {{5}, 19}}}, {}};
  niced.raised.push_back({{1, 0}, -20, {{{12, 5}, 3}, {{13, 6}, 19}}});
  const auto reading = read_pin_records({"pin_record", write_pin_records({}, {}, niced)});
  REQUIRE(reading.records);
  CHECK(reading.niced == niced);
  CHECK(reading.aside == Aside{});
  CHECK(write_pin_records({}, {}, {77, {}, niced.raised}).find("niced") == std::string::npos);
}

TEST_CASE("the record of pins: what is none is said with its place") {
  const auto error = [](const std::string& text) {
    const auto reading = read_pin_records({"pin_record", text});
    CHECK_FALSE(reading.records);
    REQUIRE_FALSE(reading.errors.empty());
    CHECK(reading.errors.front().where.origin == "pin_record");
    return reading.errors.front().what;
  };
  CHECK(error("{").find("pin") == std::string::npos);
  CHECK(error(R"({"pins": [{"processes": [{"process": "0-1"}]}]})") == "'0-1' is no process");
  CHECK(error(R"({"pins": [{"groups": [{"path": "/../etc"}]}]})") ==
        "'/../etc' is no path of a control group");
  CHECK(error(R"({"pins": [{"groups": [{"path": "/a", "mems": "0"}]}]})") ==
        "'mems' and 'pinnedMems' come together");
  CHECK(error(R"({"pins": [{"processes": [{"process": "1-1", "usual": "x"}]}]})").find('x') !=
        std::string::npos);
  CHECK_FALSE(error(R"({"pins": 7})").empty());
  CHECK(error(R"({"aside": {"all": "0-1", "isolated": {"1-1": "2"}}})") ==
        "'isolated' has CPUs that 'all' has not");
  CHECK(error(R"({"aside": {"moved": [{"process": "a"}]}})") == "'a' is no process");
  CHECK(error(R"({"niced": {"raised": [{"process": "1-1", "usual": 20}]}})").find("20") !=
        std::string::npos);
  for (const char* const nobody :
       {R"({"pins": [{"processes": [{"usual": "1"}]}]})", R"({"aside": {"moved": [{}]}})",
        R"({"pins": [{"processes": [{"process": "1-1", "others": [{"cpus": "1"}]}]}]})",
        R"({"niced": {"raised": [{"process": "1-1", "others": [{"nice": 1}]}]}})"})
    CHECK(error(nobody).find("of which process") != std::string::npos);
  CHECK_FALSE(error(R"({"niced": {"levels": {"1-1": {"cpus": "1", "nice": "x"}}}})").empty());
}

}  // namespace gedge
