// How long a pod waits before it is tried again, as kube-scheduler has it.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

TEST_CASE("a pod whose binds are refused is tried again after 1, 2, 4, 8, 10 and 10 s") {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts = three_nodes();
  add_pods(facts, "Pod", "web", 1);
  scheduler.put(std::move(facts));
  Nanos now = kSecond;
  constexpr std::array<std::int64_t, 6> kWaits{1, 2, 4, 8, 10, 10};
  for (const std::int64_t seconds : kWaits) {
    REQUIRE(scheduler.advance(now));
    const std::vector<BindRequest> binds = scheduler.take_binds();
    REQUIRE(binds.size() == 1);
    scheduler.answer(binds[0].ticket, BindAnswer::kRefused, now);
    REQUIRE(scheduler.next());
    CHECK(*scheduler.next() - now == seconds * kSecond);
    now = *scheduler.next();
  }
}

TEST_CASE("a pod that fits nowhere is told why, and told again only when that has changed") {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts = three_nodes();
  for (Node& node : facts.nodes) node.allocatable.set("cpu", 100);
  Node fourth = facts.nodes[0];
  fourth.name = "n3";
  add_pods(facts, "Pod", "web", 1);
  scheduler.put(std::move(facts));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_unschedulable().size() == 1);
  REQUIRE(scheduler.advance(400 * kSecond));  // after the flush
  CHECK(scheduler.counts().unschedulable == 2);
  CHECK(scheduler.take_unschedulable().empty());
  Facts more;
  more.nodes = {fourth};
  scheduler.put(std::move(more));
  REQUIRE(scheduler.advance(500 * kSecond));
  const std::vector<Unschedulable> told = scheduler.take_unschedulable();
  REQUIRE(told.size() == 1);
  CHECK(told[0].message == "0/4 nodes are available: 4 Insufficient cpu.");
}

TEST_CASE("a pod that fits nowhere is tried again when a node changes, and not when none does") {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts = three_nodes();
  for (Node& node : facts.nodes) node.unschedulable = true;
  Facts same, changed;
  same.nodes = {facts.nodes[0]};
  changed.nodes = {facts.nodes[0]};
  changed.nodes[0].unschedulable = false;
  add_pods(facts, "Pod", "web", 1);
  scheduler.put(std::move(facts));
  REQUIRE(scheduler.advance(kSecond));
  scheduler.put(std::move(same));
  REQUIRE(scheduler.advance(20 * kSecond));
  CHECK(scheduler.counts().attempts == 1);
  scheduler.put(std::move(changed));
  REQUIRE(scheduler.advance(21 * kSecond));
  CHECK(scheduler.counts().attempts == 2);
  CHECK(scheduler.take_binds().size() == 1);
}
