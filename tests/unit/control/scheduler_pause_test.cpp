// What is asked of a server that answers nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr int kBacklog = 300;

Scheduler with_backlog() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts = three_nodes();
  for (Node& node : facts.nodes) {
    node.allocatable.set("cpu", 1'000'000);
    node.allocatable.set("pods", kBacklog);
  }
  add_pods(facts, "ReplicaSet", "web", kBacklog);
  scheduler.put(std::move(facts));
  return scheduler;
}

// Runs it up to `end`, and answers each bind so at once. Returns how many there were.
std::size_t run(Scheduler& scheduler, BindAnswer answer, Nanos& now, Nanos end) {
  std::size_t sent = 0;
  for (int turns = 0; now < end && turns < 100'000; ++turns) {
    REQUIRE(scheduler.advance(now));
    const std::vector<BindRequest> binds = scheduler.take_binds();
    sent += binds.size();
    for (const BindRequest& bind : binds) scheduler.answer(bind.ticket, answer, now);
    for (const ReadRequest& read : scheduler.take_reads())
      scheduler.answer(read.ticket, PodReading{}, now);
    const auto next = scheduler.next();
    now = next ? std::min(std::max(now, *next), end) : end;
  }
  REQUIRE(now == end);
  return sent;
}

}  // namespace

TEST_CASE("pause: a server that is away is asked now and then, and all goes on when it is back") {
  Scheduler scheduler = with_backlog();
  Nanos now = kSecond;
  const std::size_t away = run(scheduler, BindAnswer::kNotSent, now, now + 100 * kSecond);
  CHECK(away >= 100 + 100 / 4);  // those that were under way, and one every four seconds
  CHECK(away <= 100 + 100 / 4 + 5);
  CHECK(scheduler.is_paused());
  const std::size_t back = run(scheduler, BindAnswer::kBound, now, now + 15 * kSecond);
  CHECK(back == kBacklog);
  CHECK_FALSE(scheduler.is_paused());
  CHECK(scheduler.counts().unsent == away);
  CHECK(scheduler.counts().bound == kBacklog);
}

TEST_CASE("pause: a server that answers nothing is not asked more, though it may have done it") {
  Scheduler scheduler = with_backlog();
  Nanos now = kSecond;
  CHECK(run(scheduler, BindAnswer::kUnknown, now, now + 100 * kSecond) <= 100 + 100 / 4 + 5);
}

TEST_CASE("pause: what is refused, and what gets lost now and then, is no reason for one") {
  Scheduler scheduler = with_backlog();
  for (Nanos now = kSecond; now < 4 * kSecond; now += kSecond) {
    REQUIRE(scheduler.advance(now));
    const std::vector<BindRequest> binds = scheduler.take_binds();
    for (std::size_t i = 0; i < binds.size(); ++i) {
      const BindAnswer answer = i % 3 == 0 ? BindAnswer::kRefused : BindAnswer::kNotSent;
      scheduler.answer(binds[i].ticket, answer, now);
    }
    CHECK(binds.size() == 100);
    CHECK_FALSE(scheduler.is_paused());
  }
}
