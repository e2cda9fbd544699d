// Replicas of home that grow where they run, each pod by itself.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "unit/control/growth_world.hpp"

namespace gedge {
namespace {

using Outcome = ScaleReport::Outcome;

using Sizes = std::map<std::string, std::int64_t>;

TEST_CASE("scaler with growth: pods are resized where they run, and those that come are, too") {
  World world = settled(3, ResizeWay::kInPlace);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  world.load = 6;
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
  CHECK(world.state() == state(2, 2, kBase));
  CHECK(world.grown.empty());
  const std::size_t before = world.resizes.size();
  world.replace("web.1");
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
  REQUIRE(world.resizes.size() == before + 1);
  CHECK(world.resizes.back().resize->name == "web.1");
  CHECK(world.state() == state(2, 2, kBase));
  world.series.clear();
  world.load = 1;
  world.pass(60);
  CHECK(world.cpu_of == Sizes{{"web.0", kBase}});
  CHECK(world.series == std::vector{state(2, 0, kBase), state(1, 0, kBase)});
  CHECK(world.told().empty());
}

TEST_CASE("scaler with growth: where one that comes cannot be as large, the others stay so") {
  World world = settled(4, ResizeWay::kInPlace);
  REQUIRE(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
  world.replace("web.1");
  world.node_cpu = kBase;
  world.resizes.clear();
  world.pass(40);
  CHECK(world.cpu_of == Sizes{{"web.0", kMost}});
  CHECK(world.resizes.empty());
  CHECK(world.state() == state(2, 1, kBase));
  CHECK(world.told() == std::vector<std::string>{"no room at home for larger ones"});
  world.node_cpu = 750;
  world.load = 1;
  world.pass(100);
  CHECK_MESSAGE(world.cpu_of.at("web.0") == kBase, "smaller by what is wanted alone");
  CHECK(world.state() == state(1, 0, kBase));
}

TEST_CASE("scaler with growth: pods that their machines do not resize are as they were declared") {
  World world = settled(3, ResizeWay::kInPlace);
  REQUIRE(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  world.unresized = "Deferred";
  world.load = 4;
  world.pass(4);
  CHECK_MESSAGE((world.cpu_of == Sizes{{"web.0", 750}, {"web.1", kBase}}), "no other one shrinks");
  world.unresized.clear();
  world.pass(40);
  CHECK(world.state() == state(2, 2, kBase));
  REQUIRE_FALSE(world.told().empty());
  CHECK(world.told().front() == "pod web.1 was not given what it was to have: Deferred");
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", kBase}});
  world.pass(120);
  CHECK_MESSAGE((world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}}), "tried again");
}

TEST_CASE("scaler with growth: pods that are put off are looked after where nothing else changes") {
  World world = settled(3, ResizeWay::kInPlace);
  REQUIRE(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  world.unresized = "Infeasible";
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", kBase}});
  CHECK(world.state() == state(2, 1, kBase));
}

TEST_CASE("scaler with growth: none leaves for pods that their machines are still resizing") {
  World world(true, ResizeWay::kInPlace, true);
  world.node_cpu = kBase;
  world.load = 3;
  world.pass(40);
  REQUIRE(world.state() == state(2, 1, kBase));
  world.node_cpu = kMost;
  world.is_resizing = true;
  world.pass(100);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  CHECK_MESSAGE(world.state() == state(2, 1, kBase), "nobody knows whether they get it");
  world.is_resizing = false;
  world.pass(40);
  CHECK(world.state() == state(2, 0, kBase));
}

TEST_CASE("scaler with growth: pods that somebody else resizes are left alone, each time longer") {
  World world = settled(2, ResizeWay::kInPlace);
  world.load = 3;
  for (int turns = 0; turns < 180; ++turns) {
    world.pass(20);
    world.put_back();
  }
  CHECK_MESSAGE(world.resizes.size() <= 14, "two pods, after 1, 2, 4, 8, 16 and 32 minutes");
  CHECK(world.resizes.size() >= 8);
  REQUIRE(world.told().size() >= 1);
  CHECK(world.told().front() == "somebody else changed pod web.0 to 500m of cpu");
  CHECK(world.state() == state(2, 1, kBase));
}

TEST_CASE("scaler with growth: what is not seen yet, or was not known, is nobody else's") {
  World world = settled(2, ResizeWay::kInPlace);
  world.load = 3;
  SUBCASE("the watch is late") {
    world.make_pods();
    world.is_seen = false;
    world.pass(20);
    world.is_seen = true;
    world.pass(20);
  }
  SUBCASE("the server failed") {
    world.to_resizes = ScaleAnswer::kUnknown;
    world.writes_unknown = true;
    world.pass(20);
    world.to_resizes = ScaleAnswer::kDone;
    world.pass(100);
  }
  for (const std::string& said : world.told()) CHECK(said == "as told");
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
}

TEST_CASE("scaler with growth: a server that cannot do it is told of once, and others go over") {
  World world(true, ResizeWay::kInPlace, false);
  for (const std::int64_t load : {3, 2, 4}) {
    world.load = load;
    world.pass(70);
    CHECK(world.replicas.at("web-far") == load - 2);
  }
  CHECK(world.resizes.empty());
  REQUIRE(world.told().size() == 1);
  CHECK(world.told().front().find("does not resize pods where they run") != std::string::npos);
}

TEST_CASE("scaler with growth: what is left to somebody else is told once") {
  World world = settled(3, ResizeWay::kInPlace);
  REQUIRE(world.resizes.size() == 2);
  world.replicas["web-far"] = 1;
  world.load = 7;
  world.reports.clear();
  world.pass(50);
  CHECK(world.resizes.size() == 2);
  std::int32_t news = 0;
  for (const ScaleReport& report : world.reports)
    news += report.outcome == Outcome::kYields && report.is_news ? 1 : 0;
  CHECK(news == 1);
  world.pass(40);
  CHECK_MESSAGE(world.resizes.size() > 2, "after a minute they are");
}

TEST_CASE("scaler with growth: a pod that is gone is as one that was changed, unless all are") {
  World world = settled(2, ResizeWay::kInPlace);
  world.to_resizes = ScaleAnswer::kGone;
  world.load = 3;
  world.pass(1);
  CHECK(world.resizes.size() == 2);
  CHECK(world.scaler.counts().conflicts == 2);
  SUBCASE("others are there") {
    world.to_resizes = ScaleAnswer::kDone;
    world.pass(2);
    CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
    CHECK(world.told().empty());
  }
  SUBCASE("there is nothing to resize them by") {
    world.pass(40);
    CHECK(world.resizes.size() == 6);
    CHECK(world.told() == std::vector<std::string>{"as told"});
    CHECK(world.state() == state(2, 1, kBase));
  }
}

TEST_CASE("scaler with growth: where half of them cannot be resized, each counts as it is") {
  World world = settled(2, ResizeWay::kInPlace);
  world.refused = "web.1";
  world.load = 3;
  world.pass(1);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}});
  world.pass(30);
  CHECK_MESSAGE(world.state() == state(2, 1, kBase), "2.5 are too few for three");
  CHECK(world.told() == std::vector<std::string>{"no"});
  world.series.clear();
  world.pass(400);
  CHECK_MESSAGE(world.series.empty(), "it is tried again, and nobody leaves for it");
  CHECK(world.resizes.size() >= 5);
  CHECK(world.resizes.size() <= 9);
  world.refused.clear();
  world.pass(100);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  CHECK(world.state() == state(2, 0, kBase));
}

TEST_CASE("scaler with growth: half of them as large as may be is not all of them") {
  World world = settled(2, ResizeWay::kInPlace);
  world.refused = "web.1";
  world.load = 4;
  world.pass(40);
  CHECK(world.cpu_of == Sizes{{"web.0", kMost}});
  CHECK(world.state() == state(2, 1, kBase));
  CHECK(world.told() == std::vector<std::string>{"no"});
}

TEST_CASE("scaler with growth: pods that others made are none of theirs") {
  World world(true, ResizeWay::kInPlace, true);
  ScaledPod& stray = world.strays.emplace_back();
  stray.namespace_name = "shop";
  stray.name = "stray";
  stray.labels = {{"app", "web"}};
  stray.phase = PodPhase::kRunning;
  stray.ready = ReadyState::kTrue;
  stray.containers.push_back({"main", {{"cpu", 4'000}}});
  SUBCASE("by hand") {}
  SUBCASE("by another workload") {
    stray.labels.set("pod-template-hash", "5b8");
    stray.controller = {"ReplicaSet", "web-old-5b8", "u"};
  }
  world.load = 3;
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  CHECK(world.state() == state(2, 0, kBase));
}

TEST_CASE("scaler with growth: none is made larger than the rule lets it be, nor a LimitRange") {
  World world(true, ResizeWay::kInPlace, true);
  world.replicas["web"] = 2;
  world.load = 6;
  SUBCASE("the rule") {
    world.cpu_of = {{"web.0", 4'000}, {"web.1", kBase}};
    world.pass(40);
    CHECK(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
    CHECK(world.state() == state(2, 2, kBase));
  }
  SUBCASE("a rule that lets them be less than before") {
    Autoscaler less = World::web(ResizeWay::kInPlace);
    less.sites->up.most = 750;
    world.scaler.put(less);
    world.cpu_of = {{"web.0", kMost}, {"web.1", kMost}};
    world.pass(40);
    CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
    CHECK(world.state() == state(2, 3, kBase));
  }
  SUBCASE("a LimitRange") {
    world.limit("small").most = {{"cpu", 600}};
    world.cpu_of = {{"web.0", 750}, {"web.1", kBase}};
    world.pass(40);
    CHECK_MESSAGE((world.cpu_of == Sizes{{"web.0", 750}, {"web.1", kBase}}),
                  "the former is as it was, and shrinks when it is not needed");
    CHECK(world.resizes.empty());
    CHECK(world.state() == state(2, 4, kBase));
    REQUIRE(world.told().size() == 1);
    CHECK(world.told().front().find("LimitRange small") != std::string::npos);
  }
}

}  // namespace
}  // namespace gedge
