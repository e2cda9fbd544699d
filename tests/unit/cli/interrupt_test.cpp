#include "term/interrupt.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The status with which a process of its own ends.
template <typename Body>
int status_of(Body body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    gedge::cli::handle_signals();
    ::_exit(body());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("interrupt: the first SIGINT asks whoever may be stopped, the second one ends") {
  const auto first = [] {
    const gedge::cli::StoppableScope scope;
    if (scope.asked()) return 1;
    ::raise(SIGINT);
    return scope.asked() ? 0 : 2;
  };
  CHECK(status_of(first) == 0);
  const auto second = [] {
    const gedge::cli::StoppableScope scope;
    ::raise(SIGINT);
    ::raise(SIGINT);
    return 0;
  };
  CHECK(status_of(second) == 130);
  const auto behind = [] {
    { const gedge::cli::StoppableScope scope; }
    ::raise(SIGINT);
    return 0;
  };
  CHECK(status_of(behind) == 130);
}
