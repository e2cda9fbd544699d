// Delay budgets of the reference on a site of four nodes in two zones.
//
//        a      b      c     far                    zone north: a, b; south: c, far
//   a    -    5 ms   9 ms     -  (unmeasured)       b to a is 4 ms: the larger direction decides
//   b           -    5 ms  40 ms
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/reference/delay.hpp"
#include "support/reference/planner.hpp"

namespace {

using namespace gedge;

struct DelaySite {
  Facts facts;
  RttMatrix rtt{{"a", "b", "c", "far", "internet"}};

  DelaySite() {
    for (const char* name : {"a", "b", "c", "far"}) {
      Node node;
      node.name = name;
      node.labels.set("topology.kubernetes.io/zone", node.name < "c" ? "north" : "south");
      node.allocatable.set(kPods, 10);
      facts.nodes.push_back(node);
    }
    set("a", "b", 5'000, 4'000);
    set("a", "c", 9'000, 9'000);
    set("b", "c", 5'000, 5'000);
    set("b", "far", 40'000, 40'000);
    set("a", "internet", 20'000, 20'000);
  }
  void set(const char* from, const char* to, std::uint32_t there, std::uint32_t back) {
    rtt.set(*rtt.find(from), *rtt.find(to), Rtt{there});
    rtt.set(*rtt.find(to), *rtt.find(from), Rtt{back});
  }
  Pod& pod(const std::string& name, const std::string& workload, const std::string& node,
           std::vector<DelayBudget> budgets = {}) {
    PodSpec spec;
    spec.budgets = std::move(budgets);
    Pod made;
    made.name = name;
    made.workload_kind = "Deployment";
    made.workload_name = workload;
    made.bound_node = node;
    made.phase = node.empty() ? PodPhase::kPending : PodPhase::kRunning;
    made.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(std::move(spec));
    facts.pods.push_back(std::move(made));
    return facts.pods.back();
  }
  reference::World world() const { return reference::make_world(facts, rtt, "", Compat::k1_36); }
};

DelayBudget within(std::int64_t milliseconds, const char* name, PeerKind kind = PeerKind::kAny,
                   bool nearest = false) {
  DelayBudget budget;
  budget.from = budget.name = name;
  budget.kind = kind;
  budget.nearest = nearest;
  budget.limit_us = milliseconds * 1000;
  return budget;
}

/// Letters of the nodes that DelayBudget leaves to the last pod.
std::string feasible(const DelaySite& site) {
  const auto world = site.world();
  std::string out;
  for (const Node& node : site.facts.nodes)
    if (reference::delay_budget(world, world.seats.back(), node).empty()) out += node.name.str()[0];
  return out;
}

std::string for_budgets(std::vector<DelayBudget> budgets) {
  DelaySite site;
  site.pod("redis-0", "redis", "a");
  site.pod("redis-1", "redis", "c");
  site.pod("web", "web", "", std::move(budgets));
  return feasible(site);
}

}  // namespace

TEST_CASE(
    "a budget towards a node admits what lies inside, the larger direction and unmeasured pairs "
    "counting") {
  CHECK(for_budgets({within(5, "b")}) == "abc");
  CHECK(for_budgets({within(5, "a")}) == "ab");
  CHECK(for_budgets({within(4, "a")}) == "a");
  CHECK(for_budgets({within(1'000, "a")}) == "abc");
  CHECK(for_budgets({within(5, "b"), within(5, "a")}) == "ab");
  CHECK(for_budgets({within(5, "ghost")}).empty());
}

TEST_CASE("a budget towards a workload counts every replica, any counts the nearest") {
  CHECK(for_budgets({within(9, "redis", PeerKind::kWorkload)}) == "abc");
  CHECK(for_budgets({within(5, "redis", PeerKind::kWorkload)}) == "b");
  CHECK(for_budgets({within(0, "redis", PeerKind::kWorkload, true)}) == "ac");
  CHECK(for_budgets({within(5, "redis-1")}) == "bc");
}

TEST_CASE("zones and names of the matrix can be peers") {
  CHECK(for_budgets({within(5, "north", PeerKind::kZone)}) == "ab");
  CHECK(for_budgets({within(5, "north", PeerKind::kZone, true)}) == "abc");
  CHECK(for_budgets({within(20, "internet")}) == "a");
  CHECK(for_budgets({within(20, "internet", PeerKind::kExternal)}) == "a");
}

TEST_CASE("a placed pod's budget keeps its peer near, unless it is content with the nearest") {
  DelaySite site;
  site.pod("client", "client", "a", {within(5, "server", PeerKind::kWorkload)});
  site.pod("server-0", "server", "");
  CHECK(feasible(site) == "ab");
  site.facts.specs[0].budgets[0].nearest = true;
  CHECK(feasible(site) == "abcf");
}

TEST_CASE("pods wait for those they measure from, and cycles are noticed") {
  DelaySite site;
  site.pod("client", "client", "", {within(5, "server", PeerKind::kWorkload)}).priority = 10;
  site.pod("server-0", "server", "");
  site.pod("server-1", "server", "").priority = 5;
  CHECK(reference::decision_order(site.world()) == std::vector<std::size_t>{2, 1, 0});
  site.facts.specs[1].budgets = {within(5, "client", PeerKind::kWorkload)};
  CHECK(reference::decision_order(site.world()) == std::vector<std::size_t>{2});
}

TEST_CASE("a workload without a place rejects every node, resolvably") {
  DelaySite site;
  site.pod("redis-0", "redis", "").phase = PodPhase::kFailed;
  site.pod("web", "web", "", {within(5, "redis", PeerKind::kWorkload)});
  const auto world = site.world();
  const auto why = reference::delay_budget(world, world.seats.back(), site.facts.nodes[0]);
  REQUIRE(why.size() == 1);
  CHECK(why[0].reason == Reason::kPeerNotPlaced);
  CHECK(why[0].verdict == Verdict::kUnschedulable);
}
