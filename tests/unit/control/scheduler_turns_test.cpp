// How much is done in one turn, and that the rest is not forgotten.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Scheduler make_scheduler(Facts facts, SchedulerOptions options) {
  options.first_binds = 8;  // nobody waits for the answers of others
  LiveOptions live;
  live.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(live)), {"gedge"}, options);
  scheduler.put(std::move(facts));
  return scheduler;
}

/// Three nodes without a place, and important pods that ask for `cpu` thousandths.
Facts full_nodes(int pods, std::int64_t cpu) {
  Facts facts = three_nodes();
  for (const char* node : {"n0", "n1", "n2"}) {
    add_pods(facts, "ReplicaSet", std::string("low-") + node, 8);
    for (std::size_t i = facts.pods.size() - 8; i < facts.pods.size(); ++i)
      facts.pods[i].bound_node = node;
  }
  add_pods(facts, "ReplicaSet", "high", pods);
  for (auto at = facts.pods.end() - pods; at != facts.pods.end(); ++at) at->priority = 100;
  Container container;
  container.name = "c";
  container.requests.set("cpu", cpu);
  facts.specs.back().containers = std::vector<Container>{container};
  return facts;
}

}  // namespace

TEST_CASE("turns: no more pods are tried in one than may be, and the next comes at once") {
  Facts facts = three_nodes();
  add_pods(facts, "ReplicaSet", "web", 25);
  for (Node& node : facts.nodes) node.unschedulable = true;
  SchedulerOptions options;
  options.most_tried = 10;
  Scheduler scheduler = make_scheduler(std::move(facts), options);
  for (const std::size_t tried : {10U, 20U, 25U}) {
    REQUIRE(scheduler.next() == Nanos{0});
    REQUIRE(scheduler.advance(kSecond));
    CHECK(scheduler.counts().attempts == tried);
  }
  CHECK(scheduler.parked() == 25);
  CHECK(scheduler.next() > kSecond);
}

TEST_CASE("turns: what the cluster says already is not told again") {
  Facts facts = three_nodes();
  add_pods(facts, "ReplicaSet", "web", 2);
  for (Node& node : facts.nodes) node.unschedulable = true;
  facts.pods[0].told = "0/3 nodes are available: 3 node(s) were unschedulable.";
  facts.pods[1].told = "0/2 nodes are available: 2 node(s) were unschedulable.";
  Scheduler scheduler = make_scheduler(std::move(facts), {});
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.parked() == 2);
  const std::vector<Unschedulable> told = scheduler.take_unschedulable();
  REQUIRE(told.size() == 1);
  CHECK(told[0].pod.name == "web-1");
  CHECK(told[0].is_again);  // it waits since then
  Facts next = three_nodes();
  next.nodes.resize(1);
  scheduler.put(std::move(next));
  REQUIRE(scheduler.advance(2 * kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 2);
  Facts full = three_nodes();
  for (Node& node : full.nodes) node.unschedulable = true;
  scheduler.put(std::move(full));
  for (const BindRequest& bind : binds)
    scheduler.answer(bind.ticket, BindAnswer::kRefused, 2 * kSecond);
  REQUIRE(scheduler.advance(20 * kSecond));
  const std::vector<Unschedulable> again = scheduler.take_unschedulable();
  REQUIRE(again.size() == 2);  // what was told before may not have been written
  CHECK((again[0].is_again && again[1].is_again));
}

TEST_CASE("turns: who would have to go is asked for as often as may be, the rest in the next") {
  SchedulerOptions options;
  options.most_searches = 2;
  Scheduler scheduler = make_scheduler(full_nodes(5, 500), options);
  for (const std::size_t helped : {2U, 4U, 5U}) {
    REQUIRE(scheduler.next() == Nanos{0});
    REQUIRE(scheduler.advance(kSecond));
    CHECK(scheduler.counts().preemptions == helped);
    CHECK(scheduler.unsearched() == 5 - helped);
  }
  CHECK(scheduler.counts().attempts == 5);
  CHECK(scheduler.next() > kSecond);
}

TEST_CASE("turns: while nothing may be decided nobody is asked to go") {
  SchedulerOptions options;
  options.most_searches = 2;
  Scheduler scheduler = make_scheduler(full_nodes(5, 500), options);
  REQUIRE(scheduler.advance(kSecond));
  scheduler.take_evictions();
  scheduler.hold_back(true);
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_evictions().empty());
  CHECK(scheduler.next() > kSecond);  // there is nothing to turn for
  scheduler.hold_back(false);
  scheduler.rest(3 * kSecond);
  CHECK(scheduler.next() == 3 * kSecond);
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.take_evictions().empty());
  REQUIRE(scheduler.advance(3 * kSecond));
  CHECK(scheduler.counts().preemptions == 4);
}

TEST_CASE("turns: what was in vain for a pod is not tried for the others like it") {
  SchedulerOptions options;
  options.most_searches = 1;
  Scheduler scheduler = make_scheduler(full_nodes(50, 5'000), options);  // no node is so large
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.unsearched() == 0);
  CHECK(scheduler.counts().attempts == 50);
  CHECK(scheduler.counts().preemptions == 0);
}

TEST_CASE("turns: whom something may have helped is tried again, and searched for first then") {
  SchedulerOptions options;
  options.most_searches = 1;
  Scheduler scheduler = make_scheduler(full_nodes(3, 500), options);
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.counts().preemptions == 1);
  Facts news = three_nodes();
  news.nodes.resize(1);
  news.nodes[0].labels.set("zone", "a");
  scheduler.put(std::move(news));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.counts().preemptions == 1);
  CHECK(scheduler.unsearched() == 0);
  Nanos now = kSecond;
  int turns = 0;
  for (; scheduler.counts().preemptions < 3 && turns < 20; ++turns) {
    now = std::max(now, scheduler.next().value());
    REQUIRE(scheduler.advance(now));
  }
  CHECK(scheduler.counts().preemptions == 3);
  CHECK(turns <= 4);
}

TEST_CASE("turns: a server that has too much to do gets no binds until it has rested") {
  Facts facts = three_nodes();
  add_pods(facts, "ReplicaSet", "web", 3);
  Scheduler scheduler = make_scheduler(std::move(facts), {});
  scheduler.rest(5 * kSecond);
  scheduler.rest(2 * kSecond);  // who asked for longer gets longer
  REQUIRE(scheduler.advance(4 * kSecond));
  CHECK(scheduler.take_binds().empty());
  CHECK(scheduler.next() == 5 * kSecond);
  REQUIRE(scheduler.advance(5 * kSecond));
  CHECK(scheduler.take_binds().size() == 3);
}
