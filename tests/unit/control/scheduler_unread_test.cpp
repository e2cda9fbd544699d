// Pods of which not all could be read.
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

// "n0" with room for two pods, and nothing else.
Scheduler small_site() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts;
  facts.nodes = {sim_node("n0")};
  facts.nodes[0].allocatable.set("cpu", 1'000);
  scheduler.put(std::move(facts));
  return scheduler;
}

Facts pod_of(const std::string& name, const std::string& node, const std::string& unread) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  facts.specs[0].unread = unread;
  facts.pods[0].uid = "uid-" + name;
  facts.pods[0].bound_node = node;
  return facts;
}

}  // namespace

TEST_CASE("unread: a pod that waits is refused with the reason, and tried once it is read") {
  Scheduler scheduler = small_site();
  scheduler.put(pod_of("a", "", "'many' is no quantity"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().empty());
  const std::vector<Unschedulable> told = scheduler.take_unschedulable();
  REQUIRE(told.size() == 1);
  CHECK(told[0].uid == "uid-a");
  CHECK(told[0].message == "not all of the pod can be read: 'many' is no quantity");
  CHECK(scheduler.parked() == 1);
  scheduler.put(pod_of("a", "", "'many' is no quantity"));
  REQUIRE(scheduler.advance(60 * kSecond));
  CHECK(scheduler.counts().attempts == 1);
  scheduler.put(pod_of("a", "", ""));
  REQUIRE(scheduler.advance(61 * kSecond));
  CHECK(scheduler.take_binds().size() == 1);
}

TEST_CASE("why a pod waits is told again after a place that it did not get") {
  Scheduler scheduler = small_site();
  for (const char* name : {"x", "y"}) scheduler.put(pod_of(name, "n0", ""));
  scheduler.put(pod_of("a", "", ""));
  REQUIRE(scheduler.advance(kSecond));
  const auto first = scheduler.take_unschedulable();
  REQUIRE(first.size() == 1);
  scheduler.remove(FactKind::kPod, "default", "x");
  REQUIRE(scheduler.advance(20 * kSecond));
  const auto binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  scheduler.answer(binds[0].ticket, BindAnswer::kRefused, 20 * kSecond);
  scheduler.put(pod_of("x", "n0", ""));
  REQUIRE(scheduler.advance(60 * kSecond));
  const auto second = scheduler.take_unschedulable();
  REQUIRE(second.size() == 1);  // the first may never have been written
  CHECK(second[0].message == first[0].message);
  CHECK_FALSE(second[0].is_again);
}

TEST_CASE("unread: nobody goes for a pod that cannot be read") {
  Scheduler scheduler = small_site();
  for (const char* name : {"x", "y"}) scheduler.put(pod_of(name, "n0", ""));
  Facts facts = pod_of("a", "", "odd");
  facts.pods[0].priority = 1'000;
  scheduler.put(std::move(facts));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_evictions().empty());
  CHECK(scheduler.parked() == 1);
}

TEST_CASE("unread: a pod that has a node takes there what could be read") {
  Scheduler scheduler = small_site();
  for (const char* name : {"x", "y"}) scheduler.put(pod_of(name, "n0", "odd"));
  scheduler.put(pod_of("a", "", ""));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().empty());
  CHECK(scheduler.parked() == 1);
}

TEST_CASE("unread: and what it took when it was read, for which another has no claim") {
  for (const bool is_same : {true, false}) {
    Scheduler scheduler = small_site();
    scheduler.put(pod_of("x", "n0", ""));
    Facts odd = pod_of("x", "n0", "odd");
    odd.specs[0].containers.edit()[0].requests = Resources{{"memory", 1}};
    if (!is_same) odd.pods[0].uid = "another";
    scheduler.put(std::move(odd));
    scheduler.put(pod_of("y", "n0", ""));
    scheduler.put(pod_of("a", "", ""));
    REQUIRE(scheduler.advance(kSecond));
    CHECK(scheduler.take_binds().size() == (is_same ? 0 : 1));
  }
}
