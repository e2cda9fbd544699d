#include "io/trial.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>

namespace gedge {
namespace {

// Until the limit of processor time takes effect.
void burn() {
  rusage used{};
  do {
    ::getrusage(RUSAGE_SELF, &used);
  } while (used.ru_utime.tv_sec + used.ru_stime.tv_sec < 60);
}

}  // namespace

TEST_CASE("trial: what comes to its end, what dies, and what takes too long are told apart") {
  int seen = 0;
  CHECK(try_apart([&] { seen = 1; }) == TrialEnd::kDone);
  CHECK(seen == 0);
  CHECK(try_apart([] { ::raise(SIGKILL); }) == TrialEnd::kDied);
  CHECK(try_apart(burn, 1) == TrialEnd::kSlow);
}

TEST_CASE("trial: a parent that takes no notice of the limit does not hide it") {
  const auto before = ::signal(SIGXCPU, SIG_IGN);
  CHECK(try_apart(burn, 1) == TrialEnd::kSlow);
  ::signal(SIGXCPU, before);
}

}  // namespace gedge
