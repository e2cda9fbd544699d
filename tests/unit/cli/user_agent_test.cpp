#include "user_agent.hpp"

#include <doctest/doctest.h>
#include <sys/utsname.h>

#include <map>
#include <string>

#include "gedge/version.hpp"

TEST_CASE("user agent: the version, the platform as Kubernetes calls it, and the component") {
  utsname machine{};
  REQUIRE(::uname(&machine) == 0);
  std::map<std::string, std::string> known{{"x86_64", "amd64"}, {"aarch64", "arm64"}};
  const std::string name = known[machine.machine];
  REQUIRE_FALSE(name.empty());
  CHECK(gedge::cli::user_agent("schedule") ==
        "gedge/" + std::string(gedge::version()) + " (linux/" + name + ") schedule");
}
