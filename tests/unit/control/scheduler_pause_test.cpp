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
constexpr std::size_t kFirst = 2, kMost = 100;

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
  CHECK(away >= kFirst + 100 / 4);  // those that were under way, and one every four seconds
  CHECK(away <= kFirst + 100 / 4 + 5);
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
  CHECK(run(scheduler, BindAnswer::kUnknown, now, now + 100 * kSecond) <= kFirst + 100 / 4 + 5);
}

TEST_CASE("pause: few binds are under way at first, and one more with each answer up to the most") {
  Scheduler scheduler = with_backlog();
  const auto sent = [&](Nanos now) {
    REQUIRE(scheduler.advance(now));
    return scheduler.take_binds();
  };
  std::vector<BindRequest> binds = sent(kSecond);
  CHECK(binds.size() == kFirst);
  scheduler.answer(binds.back().ticket, BindAnswer::kBound, kSecond);
  binds.pop_back();
  const std::vector<BindRequest> more = sent(kSecond);
  CHECK(more.size() == 1 + 1);
  binds.insert(binds.end(), more.begin(), more.end());
  while (binds.size() < kMost) {
    const std::size_t before = binds.size();
    for (const BindRequest& bind : binds)
      scheduler.answer(bind.ticket, BindAnswer::kBound, kSecond);
    binds = sent(kSecond);
    CHECK(binds.size() == std::min(2 * before, kMost));
  }
  for (const BindRequest& bind : binds) {
    scheduler.rest(2 * kSecond);
    scheduler.answer(bind.ticket, BindAnswer::kRefused, kSecond);
  }
  CHECK(sent(kSecond).empty());
  CHECK(sent(2 * kSecond).size() == kFirst + 1);
}

TEST_CASE(
    "pause: what became of a pod is not asked before the server's time is over, and then is") {
  Scheduler scheduler = with_backlog();
  REQUIRE(scheduler.advance(kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  for (const BindRequest& bind : binds)
    scheduler.answer(bind.ticket, BindAnswer::kUnknown, kSecond);
  const std::vector<ReadRequest> reads = scheduler.take_reads();
  REQUIRE(reads.size() == binds.size());
  scheduler.rest(20 * kSecond);
  for (const ReadRequest& read : reads)
    scheduler.answer(read.ticket, {PodReading::Kind::kUnreadable, {}, {}}, kSecond);
  REQUIRE(scheduler.advance(20 * kSecond - Nanos{1}));
  CHECK(scheduler.take_reads().empty());
  CHECK(scheduler.next() == 20 * kSecond);
  REQUIRE(scheduler.advance(20 * kSecond));
  CHECK(scheduler.take_reads().size() == binds.size());
}

TEST_CASE("pause: a server that was away is asked for few binds at first") {
  Scheduler scheduler = with_backlog();
  Nanos now = kSecond;
  run(scheduler, BindAnswer::kBound, now, now + kSecond);
  Facts more;
  add_pods(more, "ReplicaSet", "late", kBacklog);
  scheduler.put(std::move(more));
  run(scheduler, BindAnswer::kNotSent, now, now + 10 * kSecond);
  REQUIRE(scheduler.is_paused());
  now += 10 * kSecond;
  REQUIRE(scheduler.advance(now));
  const std::vector<BindRequest> one = scheduler.take_binds();
  REQUIRE(one.size() == 1);
  scheduler.answer(one.front().ticket, BindAnswer::kBound, now);
  REQUIRE(scheduler.advance(now));
  CHECK(scheduler.take_binds().size() == kFirst + 1);
}

TEST_CASE("pause: what is refused, and what gets lost now and then, is no reason for one") {
  Scheduler scheduler = with_backlog();
  std::size_t allowed = kFirst;
  for (Nanos now = kSecond; now < 4 * kSecond; now += kSecond) {
    REQUIRE(scheduler.advance(now));
    const std::vector<BindRequest> binds = scheduler.take_binds();
    for (std::size_t i = 0; i < binds.size(); ++i) {
      const BindAnswer answer = i % 3 == 0 ? BindAnswer::kRefused : BindAnswer::kNotSent;
      scheduler.answer(binds[i].ticket, answer, now);
    }
    CHECK(binds.size() == allowed);
    allowed += (binds.size() + 2) / 3;  // those that were answered
    CHECK_FALSE(scheduler.is_paused());
  }
}
