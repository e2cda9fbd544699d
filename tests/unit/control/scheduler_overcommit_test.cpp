// Nodes that somebody else fills beyond what they have.
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

Facts pod_of(const std::string& name, const std::string& scheduler, const std::string& node) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  facts.specs[0].scheduler_name = scheduler;
  facts.pods[0].uid = "uid-" + name;
  facts.pods[0].bound_node = node;
  return facts;
}

std::string told(Scheduler& scheduler, Nanos now) {
  REQUIRE(scheduler.advance(now));
  std::string text;
  for (const Overcommit& node : scheduler.take_overcommits())
    text += node.node + ": " + to_string(node.amounts) + ";";
  return text;
}

}  // namespace

TEST_CASE("overcommit: a bind of somebody else to a node that is full is told at once, and once") {
  Scheduler scheduler = small_site();
  scheduler.put(pod_of("a", "gedge", ""));
  scheduler.put(pod_of("b", "gedge", ""));
  CHECK(told(scheduler, kSecond).empty());
  REQUIRE(scheduler.take_binds().size() == 2);

  scheduler.put(pod_of("x", "other", "n0"));
  REQUIRE(scheduler.next());
  CHECK(*scheduler.next() == Nanos{0});
  CHECK(told(scheduler, kSecond) == "n0: 1500m of 1 cpu;");
  CHECK(scheduler.overcommitted() == 1);
  scheduler.put(pod_of("y", "other", "n0"));
  CHECK(told(scheduler, 2 * kSecond).empty());
  CHECK(scheduler.counts().overcommits == 1);
}

TEST_CASE("overcommit: what is over may begin again, and is told again") {
  Scheduler scheduler = small_site();
  for (const char* name : {"x", "y", "z"}) scheduler.put(pod_of(name, "other", "n0"));
  CHECK(told(scheduler, kSecond) == "n0: 1500m of 1 cpu;");
  scheduler.remove(FactKind::kPod, "default", "y");
  CHECK(told(scheduler, 2 * kSecond).empty());
  CHECK(scheduler.overcommitted() == 0);
  scheduler.put(pod_of("w", "other", "n0"));
  CHECK(told(scheduler, 3 * kSecond) == "n0: 1500m of 1 cpu;");
}

TEST_CASE("overcommit: what has room, has ended or has no node that is known is none") {
  Scheduler scheduler = small_site();
  scheduler.put(pod_of("x", "other", "n0"));
  scheduler.put(pod_of("y", "other", "n0"));
  scheduler.put(pod_of("z", "other", "n1"));
  Facts ended = pod_of("e", "other", "n0");
  ended.pods[0].phase = PodPhase::kSucceeded;
  scheduler.put(std::move(ended));
  CHECK(told(scheduler, kSecond).empty());
}

TEST_CASE("overcommit: every amount is told with its unit") {
  CHECK(to_string(std::vector<TooMuch>{{"cpu", 4'200, 4'000},
                                       {"memory", std::int64_t{3} << 30, std::int64_t{2} << 30},
                                       {"pods", 12, 10}}) ==
        "4200m of 4 cpu, 3Gi of 2Gi memory, 12 of 10 pods");
}
