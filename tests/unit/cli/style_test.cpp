#include "term/style.hpp"

#include <doctest/doctest.h>

using namespace gedge::cli;

namespace {
const ColorEnvironment kPlainTerminal{"", "", "xterm"};
}

TEST_CASE("style: the flag wins over everything") {
  CHECK(wants_color(ColorChoice::kAlways, {"1", "", "dumb"}, false));
  CHECK_FALSE(wants_color(ColorChoice::kNever, {"", "1", "xterm"}, true));
}

TEST_CASE("style: NO_COLOR comes before CLICOLOR_FORCE and counts unless it is empty") {
  CHECK_FALSE(wants_color(ColorChoice::kAuto, {"0", "1", "xterm"}, true));
  CHECK(wants_color(ColorChoice::kAuto, {"", "1", "xterm"}, false));
}

TEST_CASE("style: CLICOLOR_FORCE of zero is not forced") {
  CHECK_FALSE(wants_color(ColorChoice::kAuto, {"", "0", "xterm"}, false));
  CHECK(wants_color(ColorChoice::kAuto, {"", "0", "xterm"}, true));
}

TEST_CASE("style: else only a terminal that is not dumb") {
  CHECK(wants_color(ColorChoice::kAuto, kPlainTerminal, true));
  CHECK_FALSE(wants_color(ColorChoice::kAuto, kPlainTerminal, false));
  CHECK_FALSE(wants_color(ColorChoice::kAuto, {"", "", "dumb"}, true));
  CHECK_FALSE(wants_color(ColorChoice::kAuto, {"", "", ""}, true));
}

TEST_CASE("style: paint puts codes around text and resets") {
  const Style on(true), off(false);
  CHECK(on.paint(Ink::kBad, "x") == "\x1b[31mx\x1b[0m");
  CHECK(on.paint(Ink::kGood, "x") == "\x1b[32mx\x1b[0m");
  CHECK(on.paint(Ink::kWarn, "x") == "\x1b[33mx\x1b[0m");
  CHECK(on.paint(Ink::kStrong, "x") == "\x1b[1mx\x1b[0m");
  CHECK(on.paint(Ink::kDim, "x") == "\x1b[2mx\x1b[0m");
  CHECK(on.paint(Ink::kPlain, "x") == "x");
  CHECK(on.paint(Ink::kBad, "") == "");
  CHECK(off.paint(Ink::kBad, "x") == "x");
}
