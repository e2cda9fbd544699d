#include "gedge/control/planned_room.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gedge/policy/profile.hpp"
#include "gedge/scale/site_run.hpp"
#include "gedge/scale/site_scaler.hpp"

namespace {

using namespace gedge;

constexpr const char* kSiteLabel = "topology.kubernetes.io/zone";

Node node(const std::string& name, const std::string& site, std::int64_t cpu) {
  Node made;
  made.name = name;
  made.labels.set(kSiteLabel, site);
  made.allocatable.set("cpu", cpu);
  made.allocatable.set("pods", 110);
  return made;
}

Pod pod(const std::string& workload, std::int64_t ordinal, std::uint32_t spec) {
  Pod made;
  made.name = workload + "-" + std::to_string(ordinal);
  made.workload_kind = "Deployment";
  made.workload_name = workload;
  made.ordinal = ordinal;
  made.spec = SpecIndex{spec};
  return made;
}

PodSpec spec(std::int64_t cpu) {
  PodSpec made;
  Container main, helper;
  main.name = "main";
  main.requests.set("cpu", cpu);
  helper.name = "helper";
  helper.requests.set("cpu", 100);
  made.containers = std::vector<Container>{helper, main};
  return made;
}

// home: two nodes of 1,500; near: one of 1,000. web wants 500 in its main container, 600 in all;
// other waits, too, and wants 900 and then some.
Facts site() {
  Facts facts;
  facts.files.emplace_back();
  facts.nodes = {node("home-1", "home", 1'500), node("home-2", "home", 1'500),
                 node("near-1", "near", 1'000)};
  facts.specs = {spec(500), spec(800)};
  facts.specs[1].node_selector.set(kSiteLabel, "home");
  facts.pods = {pod("other", 0, 1), pod("web", 0, 0), pod("web", 1, 0)};
  facts.pods[2].bound_node = "home-2";
  return facts;
}

RttMatrix rtts() {
  RttMatrix matrix({"home-1", "home-2", "near-1"});
  const auto set = [&](const char* a, const char* b, std::uint32_t us) {
    matrix.set(*matrix.find(a), *matrix.find(b), Rtt{us});
  };
  set("home-1", "home-2", 300);
  set("home-1", "near-1", 9'000);
  set("near-1", "home-1", 11'000);
  set("home-2", "near-1", 10'000);
  return matrix;
}

Autoscaler web() {
  Autoscaler made;
  made.name = made.target.name = "web";
  made.target.kind = "Deployment";
  made.max = 10;
  SiteRules& sites = made.sites.emplace();
  sites.order = {"home", "near"};
  sites.up = {"cpu", 250, 1'000};
  return made;
}

LiveOptions edge() {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  return options;
}

bool yes(Result<bool> answer) {
  REQUIRE(answer);
  return *answer;
}

TEST_CASE("planned room: replicas fit as long as nodes have what they request") {
  auto room = PlannedRoom::make(site(), rtts(), edge(), web());
  REQUIRE(room);
  CHECK(room->base() == 500);
  // 3,000 at home, 900 of it the other's: two on the free node, one beside the other.
  CHECK(yes(room->add(0, 0)));
  CHECK(yes(room->add(1, 0)));
  CHECK(yes(room->add(2, 0)));
  CHECK_FALSE(yes(room->add(3, 0)));
  CHECK(room->node_of(3).empty());
  CHECK(yes(room->add(3, 1)));
  CHECK(room->node_of(3) == "near-1");
  CHECK_FALSE_MESSAGE(yes(room->add(4, 1)), "near has 400 left");
  room->remove(3);
  CHECK(yes(room->add(4, 1)));
}

TEST_CASE("planned room: a replica grows as far as its node has it, and where it is") {
  auto room = PlannedRoom::make(site(), rtts(), edge(), web());
  REQUIRE(room);
  REQUIRE(yes(room->add(0, 1)));
  CHECK(yes(room->resize(0, 750)));
  CHECK(room->node_of(0) == "near-1");
  CHECK_FALSE_MESSAGE(yes(room->resize(0, 1'000)), "1,100 in all, and near has 1,000");
  CHECK_FALSE_MESSAGE(yes(room->add(1, 1)), "the refused one still has its 850");
  CHECK(yes(room->resize(0, 500)));
  CHECK(room->node_of(0) == "near-1");
  CHECK(yes(room->resize(0, 900)));
}

TEST_CASE("planned room: nodes that change are asked as they are") {
  auto room = PlannedRoom::make(site(), rtts(), edge(), web());
  REQUIRE(room);
  Facts cordoned;
  cordoned.files.emplace_back();
  cordoned.nodes = {node("near-1", "near", 1'000)};
  cordoned.nodes.front().unschedulable = true;
  room->cluster().put(cordoned);
  CHECK_FALSE(yes(room->add(0, 1)));
  cordoned.nodes.front().unschedulable = false;
  room->cluster().put(std::move(cordoned));
  CHECK(yes(room->add(0, 1)));
}

TEST_CASE("planned room: the delay budgets of the pods hold") {
  Facts facts = site();
  DelayBudget budget;
  budget.from = budget.name = "home-1";
  budget.kind = PeerKind::kNode;
  budget.limit_us = 10'000;
  facts.specs[0].budgets = {budget};
  auto room = PlannedRoom::make(facts, rtts(), edge(), web());
  REQUIRE(room);
  CHECK_FALSE_MESSAGE(yes(room->add(0, 1)), "11 ms from home-1");
  CHECK(yes(room->add(0, 0)));
}

TEST_CASE("planned room: what is missing is said") {
  Autoscaler other = web();
  other.target.name = "wep";
  CHECK(PlannedRoom::make(site(), rtts(), edge(), other).error().code == Errc::kNotFound);
  other = web();
  other.sites->order.emplace_back("cloud");
  const Error unknown = PlannedRoom::make(site(), rtts(), edge(), other).error();
  CHECK(unknown.what.find("cloud") != std::string::npos);
  CHECK(unknown.hint.ends_with("=cloud; there are home, near"));
  other.sites->label = "nothing";
  CHECK(PlannedRoom::make(site(), rtts(), edge(), other).error().hint ==
        "nodes of it have the label nothing=home; no node has that label");
  other = web();
  other.sites->up.most = 750;
  CHECK_MESSAGE(PlannedRoom::make(site(), rtts(), edge(), other), "one step");
  other.sites->up.most = 749;
  CHECK(PlannedRoom::make(site(), rtts(), edge(), other).error().what ==
        "pods of web request 500m of cpu, and one step more is above the most, 749m");
  other = web();
  other.sites->up.resource = "memory";
  CHECK(PlannedRoom::make(site(), rtts(), edge(), other).error().what.find("memory") !=
        std::string::npos);
}

TEST_CASE("planned room: of two sites the largest RTT that was measured counts") {
  SiteRules rules;
  rules.order = {"near", "home", "cloud"};
  const SiteRtts found = site_rtts(site(), rtts(), "", rules);
  CHECK(found.at(0, 1) == Rtt{11'000});
  CHECK(found.at(1, 0) == Rtt{11'000});
  CHECK(found.at(1, 1) == Rtt{300});
  CHECK(found.at(0, 0) == Rtt{0});
  CHECK(found.at(0, 2) == kUnmeasured);
  CHECK_FALSE(found.is_whole());
}

// The whole way: a load, the formula, the planner.
TEST_CASE("planned room: a full home sends replicas up, over, and has them back") {
  auto room = PlannedRoom::make(site(), rtts(), edge(), web());
  REQUIRE(room);
  LoadSetting how;
  how.autoscaler = web();
  MetricSpec metric;
  metric.kind = MetricKind::kPodMetric;
  metric.target = TargetKind::kAverageValue;
  metric.amount = 1'000;
  how.autoscaler.metrics = {metric};
  const SiteStage stage{site_rtts(site(), rtts(), "", *how.autoscaler.sites), room->base()};
  const LoadSeries load{{0, 1'000}, {60, 5'000}, {1'200, 1'000}, {3'600, 1'000}, {3'630, 1'000}};
  const auto run = run_site_load(load, {}, how, {}, stage, *room);
  REQUIRE(run);
  std::string words;
  for (const SiteChange& change : run->sites->changes) {
    const std::string word(to_string(change.effect.step));
    if (!words.ends_with(word)) words += " " + word;
  }
  CHECK(words == " out up over back down in");
  CHECK(run->sites->sites[0].most == 3);
  CHECK(run->sites->sites[1].most == 1);
  CHECK(run->sites->rest.size() == 1);
  CHECK(run->sites->users.quantile(0.95) == Rtt{11'000});
}

}  // namespace
