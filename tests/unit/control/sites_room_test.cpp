#include "gedge/control/sites_room.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/policy/profile.hpp"

namespace {

using namespace gedge;

constexpr const char* kZone = "topology.kubernetes.io/zone";

Node node(const std::string& name, const std::string& site) {
  Node made;
  made.name = name;
  made.labels.set(kZone, site);
  made.allocatable.set("cpu", 1'000);
  made.allocatable.set("pods", 110);
  return made;
}

PodSpec spec(const std::string& app, const std::string& site, std::int64_t cpu) {
  PodSpec made;
  Container main;
  main.name = "main";
  main.requests.set("cpu", cpu);
  made.containers = std::vector<Container>{main};
  made.labels.set("app", app);
  made.node_selector.set(kZone, site);
  return made;
}

Pod pod(const std::string& workload, const std::string& name, std::uint32_t of,
        const std::string& on = {}) {
  Pod made;
  made.name = name;
  made.uid = name + "-uid";
  made.workload_kind = "Deployment";
  made.workload_name = workload;
  made.spec = SpecIndex{of};
  if (!on.empty()) {
    made.bound_node = on;
    made.phase = PodPhase::kRunning;
  }
  return made;
}

// Two nodes of a core each; web wants half a core. One runs, one waits; another waits, too.
Facts site() {
  Facts facts;
  facts.files.emplace_back();
  facts.nodes = {node("far-1", "far"), node("home-1", "home")};
  facts.specs = {spec("web", "home", 500), spec("web-far", "far", 500), spec("x", "far", 400)};
  facts.pods = {pod("other", "other-0", 2), pod("sample-0", "sample-0-0", 0),
                pod("sample-1", "sample-1-0", 1), pod("web", "web-0", 0, "home-1"),
                pod("web", "web-1", 0)};
  return facts;
}

SiteWorkload workload(const std::string& sample, const std::string& app) {
  SiteWorkload made;
  made.kind = "Deployment";
  made.namespace_name = "default";
  made.sample = sample;
  made.selector.requirements.push_back({"app", SelectorOp::kEquals, {app}});
  return made;
}

std::unique_ptr<SitesRoom> room_of(Facts facts) {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  auto room = SitesRoom::make(std::move(facts), RttMatrix(), std::move(options),
                              {workload("sample-0", "web"), workload("sample-1", "web-far")});
  REQUIRE(room);
  return *std::move(room);
}

bool yes(Result<bool> answer) {
  REQUIRE(answer);
  return *answer;
}

}  // namespace

TEST_CASE("sites room: who runs is there, who waits fits or not, and then come new ones") {
  const auto room = room_of(site());
  CHECK_MESSAGE(yes(room->add(0, 0)), "it runs");
  CHECK_MESSAGE(yes(room->add(1, 0)), "it waits, and fits");
  CHECK_FALSE_MESSAGE(yes(room->add(2, 0)), "the node is full");
  CHECK_MESSAGE(yes(room->add(3, 1)), "beside the other one");
  CHECK_FALSE_MESSAGE(yes(room->add(4, 1)), "100 are left");
  room->remove(0);
  CHECK_MESSAGE(yes(room->add(5, 0)), "in the place of the one that ran");
  CHECK_FALSE(yes(room->resize(1, 600)));
}

TEST_CASE("sites room: who is on the way out leaves its place to who comes instead") {
  Facts facts = site();
  facts.nodes[1].allocatable.set("cpu", 500);
  facts.pods[3].terminating = true;
  SUBCASE("one that waits already") {}
  SUBCASE("one that nobody has made yet") { facts.pods.pop_back(); }
  const auto room = room_of(std::move(facts));
  CHECK(yes(room->add(0, 0)));
  CHECK_FALSE_MESSAGE(yes(room->add(1, 0)), "the node takes one");
}

TEST_CASE("sites room: the place of others that are on the way out is theirs") {
  Facts facts = site();
  facts.nodes[1].allocatable.set("cpu", 500);
  facts.specs.push_back(spec("another", "home", 500));
  facts.pods[3].terminating = true;
  facts.pods[3].spec = SpecIndex{3};
  CHECK_FALSE(yes(room_of(std::move(facts))->add(0, 0)));
}

namespace {

// Home is two nodes, one with 500 left and one with 300; a pod of 500 runs on each.
std::unique_ptr<SitesRoom> growing(bool adds_first) {
  Facts facts = site();
  facts.nodes.push_back(node("home-2", "home"));
  facts.nodes.back().allocatable.set("cpu", 800);
  facts.pods[4].bound_node = "home-2";
  facts.pods[4].phase = PodPhase::kRunning;
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  SiteWorkload home = workload("sample-0", "web");
  home.grows_by = "cpu";
  home.adds_first = adds_first;
  auto room = SitesRoom::make(std::move(facts), RttMatrix(), std::move(options),
                              {std::move(home), workload("sample-1", "web-far")});
  REQUIRE(room);
  CHECK(yes((*room)->add(0, 0)));
  CHECK(yes((*room)->add(1, 0)));
  return *std::move(room);
}

}  // namespace

TEST_CASE("sites room: who grows leaves, and comes where there is room") {
  const auto room = growing(false);
  CHECK_FALSE_MESSAGE(yes(room->resize(1, 1'000)), "home-1 has another one, home-2 less");
  CHECK(yes(room->resize(0, 1'000)));
  CHECK(yes(room->resize(1, 800)));
  CHECK_FALSE(yes(room->resize(1, 801)));
  CHECK_FALSE_MESSAGE(yes(room->add(2, 0)), "both nodes are full");
  CHECK(yes(room->resize(1, 500)));
  CHECK_FALSE_MESSAGE(yes(room->add(3, 0)), "300 are left, and one of them wants 500");
  CHECK(yes(room->resize(0, 500)));
  CHECK_MESSAGE(yes(room->add(4, 0)), "as if nothing had grown");
  CHECK_FALSE(yes(room->add(5, 0)));
}

TEST_CASE("sites room: where another one comes first, there is to be room for both") {
  const auto room = growing(true);
  CHECK_FALSE_MESSAGE(yes(room->resize(0, 600)), "500 are left beside it");
  CHECK_FALSE(yes(room->resize(1, 501)));
  CHECK_MESSAGE(yes(room->add(2, 0)), "in the place that they left alone");
  room->remove(2);
  CHECK(yes(room->resize(0, 500)));
  CHECK(yes(room->add(3, 0)));
}

TEST_CASE("sites room: far replicas do not grow") {
  const auto room = growing(false);
  CHECK(yes(room->add(2, 1)));
  CHECK_FALSE(yes(room->resize(2, 501)));
}

TEST_CASE("sites room: who waits and fits nowhere is no replica that is there") {
  Facts facts = site();
  facts.pods.push_back(pod("web", "web-2", 0));
  const auto room = room_of(std::move(facts));
  CHECK(yes(room->add(0, 0)));
  CHECK(yes(room->add(1, 0)));
  CHECK_FALSE(yes(room->add(2, 0)));
}

TEST_CASE("sites room: pods that end are nobody's, and without a sample nobody knows") {
  Facts facts = site();
  facts.pods[4].terminating = true;
  const auto room = room_of(facts);
  CHECK(yes(room->add(0, 0)));
  CHECK_MESSAGE(yes(room->add(1, 0)), "a new one");
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  const auto none =
      SitesRoom::make(site(), RttMatrix(), std::move(options), {workload("sample-9", "web")});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Errc::kNotFound);
}

TEST_CASE("deletion costs: by the mean RTT from home, and none where all are alike") {
  Facts facts = site();
  facts.nodes.push_back(node("far-2", "far"));
  facts.pods.push_back(pod("web-far", "f-1", 1, "far-1"));
  facts.pods.push_back(pod("web-far", "f-2", 1, "far-2"));
  RttMatrix rtt({"far-1", "far-2", "home-1"});
  const auto set = [&](const char* to, std::uint32_t us) {
    rtt.set(*rtt.find("home-1"), *rtt.find(to), Rtt{us});
  };
  set("far-1", 20'000);
  set("far-2", 30'000);
  SiteRules rules;
  rules.order = {"home", "far"};
  const SiteWorkload far = workload("sample-1", "web-far");
  const std::vector<PodCost> costs = deletion_costs(facts, rtt, "", rules, far);
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].name == "f-1");
  CHECK(costs[0].uid == "f-1-uid");
  CHECK(costs[0].cost == -20'000);
  CHECK(costs[1].cost == -30'000);
  set("far-2", 20'000);
  CHECK(deletion_costs(facts, rtt, "", rules, far).empty());
  CHECK(deletion_costs(facts, RttMatrix(), "", rules, far).empty());
}
