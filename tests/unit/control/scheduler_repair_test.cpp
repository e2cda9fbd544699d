// Pods that leave a node that somebody else overfilled.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

// "n0" with room for two pods.
Scheduler small_site(bool repairs = true, std::size_t repairs_per_hour = 60) {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  options.profiles[0].evicts_overcommit = repairs;
  SchedulerOptions queue;
  queue.repairs_per_hour = repairs_per_hour;
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, queue);
  Facts facts;
  facts.nodes = {sim_node("n0")};
  facts.nodes[0].allocatable.set("cpu", 1'000);
  scheduler.put(std::move(facts));
  return scheduler;
}

struct There {
  std::string scheduler = "gedge";
  std::int32_t priority = 0;
  UnixSeconds started = 100;
  std::string kind = "Pod";
  bool terminating = false;
};

void put(Scheduler& scheduler, const std::string& name, const There& there = {}) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  facts.specs[0].scheduler_name = there.scheduler;
  Pod& pod = facts.pods[0];
  pod.uid = "uid-" + name;
  pod.bound_node = "n0";
  pod.priority = there.priority;
  pod.started = there.started;
  pod.workload_kind = there.kind;
  pod.terminating = there.terminating;
  scheduler.put(std::move(facts));
}

/// Who is asked to go at that moment.
std::vector<EvictRequest> asked(Scheduler& scheduler, Nanos now) {
  REQUIRE(scheduler.advance(now));
  return scheduler.take_evictions();
}

std::string names(const std::vector<EvictRequest>& evictions) {
  std::string text;
  for (const EvictRequest& eviction : evictions) text += eviction.pod.name + ' ';
  return text;
}

}  // namespace

TEST_CASE("repair: the least important of our own goes, and of these the one that started last") {
  Scheduler scheduler = small_site();
  put(scheduler, "other", {.scheduler = "other", .priority = -5});
  put(scheduler, "vip", {.priority = 7});
  put(scheduler, "old", {.started = 50});
  put(scheduler, "new", {.started = 60});
  const auto evictions = asked(scheduler, kSecond);
  REQUIRE(names(evictions) == "new ");
  CHECK(evictions[0].uid == "uid-new");
  CHECK(evictions[0].node == "n0");
  CHECK(evictions[0].too_much == "2 of 1 cpu");
  CHECK(evictions[0].is_repair());
  CHECK(scheduler.counts().repairs == 1);
}

TEST_CASE("repair: nobody goes where the profile does not say so, or has none of our own") {
  Scheduler silent = small_site(false);
  for (const char* name : {"a", "b", "c"}) put(silent, name);
  CHECK(asked(silent, kSecond).empty());
  CHECK(silent.overcommitted() == 1);
  Scheduler scheduler = small_site();
  for (const char* name : {"a", "b"}) put(scheduler, name, {.scheduler = "other"});
  put(scheduler, "daemon", {.kind = "DaemonSet"});
  put(scheduler, "static", {.kind = "Node"});
  put(scheduler, "critical", {.priority = 2'000'000'000});
  CHECK(asked(scheduler, kSecond).empty());
}

TEST_CASE("repair: one at a time, and no more than it takes") {
  Scheduler scheduler = small_site();
  for (const char* name : {"a", "b", "c", "d"}) put(scheduler, name);
  const auto first = asked(scheduler, kSecond);
  REQUIRE(names(first) == "a ");
  CHECK(asked(scheduler, 2 * kSecond).empty());
  scheduler.answer(first[0].ticket, EvictAnswer::kGoing, 2 * kSecond);
  put(scheduler, "a", {.terminating = true});
  CHECK(asked(scheduler, 3 * kSecond).empty());
  REQUIRE(scheduler.next());
  CHECK(*scheduler.next() == 32 * kSecond);
  scheduler.remove(FactKind::kPod, "default", "a");
  const auto second = asked(scheduler, 4 * kSecond);
  REQUIRE(names(second) == "b ");
  scheduler.answer(second[0].ticket, EvictAnswer::kGoing, 4 * kSecond);
  scheduler.remove(FactKind::kPod, "default", "b");
  CHECK(asked(scheduler, 5 * kSecond).empty());
  CHECK(scheduler.overcommitted() == 0);
  CHECK(scheduler.counts().repairs == 2);
}

TEST_CASE("repair: those who are going already are enough") {
  Scheduler scheduler = small_site();
  put(scheduler, "a", {.terminating = true});
  for (const char* name : {"b", "c"}) put(scheduler, name);
  CHECK(asked(scheduler, kSecond).empty());
  CHECK(scheduler.overcommitted() == 1);
}

TEST_CASE("repair: who is not let go is passed over, each later than the one before") {
  Scheduler scheduler = small_site();
  for (const char* name : {"a", "b", "c"}) put(scheduler, name);
  std::string order;
  std::vector<Nanos> waits;
  Nanos now = kSecond;
  for (int i = 0; i < 9; ++i) {
    const auto evictions = asked(scheduler, now);
    REQUIRE(evictions.size() == 1);
    order += evictions[0].pod.name;
    scheduler.answer(evictions[0].ticket, EvictAnswer::kFailed, now);
    REQUIRE(asked(scheduler, now).empty());
    REQUIRE(scheduler.next());
    waits.push_back(*scheduler.next() - now);
    now = *scheduler.next();
  }
  CHECK(order == "abcabcabc");
  CHECK(waits[0] == 5 * kSecond);
  CHECK(waits[1] == 10 * kSecond);
  CHECK(waits[8] == 300 * kSecond);
  CHECK(scheduler.counts().repairs_refused == 9);
}

TEST_CASE("repair: a server that rests is asked as soon as that is over") {
  Scheduler scheduler = small_site();
  for (const char* name : {"a", "b", "c"}) put(scheduler, name);
  scheduler.rest(30 * kSecond);
  CHECK(asked(scheduler, kSecond).empty());
  REQUIRE(scheduler.next());
  CHECK(*scheduler.next() == 30 * kSecond);
  CHECK(asked(scheduler, 30 * kSecond).size() == 1);
}

TEST_CASE("repair: an hour has so many and no more") {
  Scheduler scheduler = small_site(true, 2);
  for (const char* name : {"a", "b", "c", "d", "e"}) put(scheduler, name);
  Nanos now = kSecond;
  for (const char* name : {"a", "b"}) {
    const auto evictions = asked(scheduler, now);
    REQUIRE(names(evictions) == std::string(name) + ' ');
    scheduler.answer(evictions[0].ticket, EvictAnswer::kGoing, now);
    scheduler.remove(FactKind::kPod, "default", name);
    now += kSecond;
  }
  CHECK(asked(scheduler, now).empty());
  REQUIRE(scheduler.next());
  CHECK(*scheduler.next() == kSecond + 3'600 * kSecond);
  CHECK(names(asked(scheduler, *scheduler.next())) == "c ");
}

TEST_CASE("repair: a place that is only assumed is waited for") {
  Scheduler scheduler = small_site();
  Facts facts;
  add_pods(facts, "Pod", "ours", 1);
  facts.pods[0].uid = "uid-ours";
  scheduler.put(std::move(facts));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.take_binds().size() == 1);
  for (const char* name : {"x", "y"}) put(scheduler, name, {.scheduler = "other"});
  CHECK(asked(scheduler, kSecond).empty());
  CHECK(scheduler.overcommitted() == 1);
  put(scheduler, "ours");
  CHECK(names(asked(scheduler, 2 * kSecond)) == "ours ");
}
