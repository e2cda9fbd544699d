#include "lease_choice.hpp"

#include <doctest/doctest.h>

#include <string>

using gedge::Errc;
using gedge::cli::LeaseChoice;

TEST_CASE("lease choice: a namespace and a name, and nothing else") {
  LeaseChoice choice{.usual = "edge/scheduler"};
  CHECK(choice.name == "edge/scheduler");
  CHECK(choice.check());
  for (const char* name : {"", "/", "edge", "edge/", "/scheduler", "edge/a/b", "//"}) {
    CAPTURE(name);
    choice.name = name;
    const auto checked = choice.check();
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == Errc::kInvalidInput);
    CHECK(checked.error().hint == "write for example `edge/scheduler`");
  }
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
