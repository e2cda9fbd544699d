#include "lease_choice.hpp"

#include <doctest/doctest.h>

#include <string>

using gedge::Errc;
using gedge::cli::LeaseChoice;

TEST_CASE("lease choice: a namespace and a name, and nothing else") {
  LeaseChoice choice{.usual = "edge/scheduler"};
  CHECK(choice.name == "edge/scheduler");
  CHECK(choice.check(false));
  for (const char* name : {"", "/", "edge", "edge/", "/scheduler", "edge/a/b", "//"}) {
    CAPTURE(name);
    choice.name = name;
    const auto checked = choice.check(false);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == Errc::kInvalidInput);
    CHECK(checked.error().hint == "write for example `edge/scheduler`");
  }
}

TEST_CASE("lease choice: who writes nothing holds no lease") {
  LeaseChoice choice{.usual = "edge/scheduler"};
  CHECK(choice.check(true));
  choice.elects = true;
  CHECK(choice.check(false));
  const auto checked = choice.check(true);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().what == "flag '--leader-elect' does not go with '--dry-run'");
}

TEST_CASE("lease choice: nobody is elected unless asked for, and each process is itself") {
  LeaseChoice choice{.usual = "edge/scheduler"};
  CHECK_FALSE(choice.options("n1", 7));
  choice.elects = true;
  const auto options = choice.options("n1", 7);
  REQUIRE(options);
  CHECK(options->namespace_name == "edge");
  CHECK(options->name == "scheduler");
  CHECK(options->identity == "n1_7");
}
