#include "gedge/codec/targets.hpp"

#include <doctest/doctest.h>

#include <string>

using gedge::parse_target;
using gedge::read_targets;

TEST_CASE("targets: a name alone, or a name and its address") {
  CHECK(parse_target("edge-1")->name == "edge-1");
  CHECK(parse_target("edge-1")->address.empty());
  CHECK(parse_target("edge-1=10.0.0.7")->name == "edge-1");
  CHECK(parse_target("edge-1=10.0.0.7")->address == "10.0.0.7");
  CHECK(parse_target("a=fe80::1%eth0")->address == "fe80::1%eth0");
  for (const std::string bad :
       {"", "=", "edge-1=", "=10.0.0.7", "two words", "bell\a", "\xff\xfe", "a=\xc3"})
    CHECK_FALSE(parse_target(bad));
  CHECK(parse_target(std::string(253, 'a')));
  CHECK_FALSE(parse_target(std::string(254, 'a')));
  const std::string megabyte(1 << 20, 'a');
  CHECK(parse_target(megabyte).error().what.size() < 200);  // it is shown on a terminal
}

TEST_CASE("targets: one a line, with comments, blanks, and any end of the last line") {
  for (const std::string end : {"", "\n", "\r\n\n"}) {
    const std::string text = "# site\n\n  edge-1 \t# first\r\nedge-2=::1" + end;
    const auto reading = read_targets({"t", text});
    REQUIRE(reading.errors.empty());
    REQUIRE(reading.targets.size() == 2);
    CHECK(reading.targets[0].name == "edge-1");
    CHECK(reading.targets[1].name == "edge-2");
    CHECK(reading.targets[1].address == "::1");
  }
}

TEST_CASE("targets: errors name line and column, all of them") {
  const auto reading = read_targets({"t", "a\n  b c\na=1.2.3.4\n"});
  REQUIRE(reading.errors.size() == 2);
  CHECK(reading.targets.empty());
  CHECK(reading.errors[0].where.line == 2);
  CHECK(reading.errors[0].where.column == 3);
  CHECK(reading.errors[0].where.length == 3);
  CHECK(reading.errors[1].where.line == 3);
  CHECK(reading.errors[1].what == "'a' stands on line 1 already");
}

TEST_CASE("targets: a file without any is an error, not an empty answer") {
  for (const std::string text : {"", "\n\n", "# nothing\n"})
    CHECK(read_targets({"t", text}).errors.size() == 1);
}
