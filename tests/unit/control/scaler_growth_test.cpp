// Replicas of home that grow by the template of their workload, before others come elsewhere.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "unit/control/growth_world.hpp"

namespace gedge {
namespace {

using Outcome = ScaleReport::Outcome;

TEST_CASE("scaler with growth: out, up, over, and back in reverse, from the cluster alone") {
  World world;
  world.pass(20);
  CHECK(world.state() == state(1, 0, kBase));
  world.load = 2;
  world.pass(20);
  CHECK(world.state() == state(2, 0, kBase));
  world.load = 3;
  world.pass(20);
  CHECK_MESSAGE(world.state() == state(2, 0, 750), "two of 750 are three of 500");
  CHECK(world.grown == "container=main resource=cpu base=500m now=750m");
  world.load = 6;
  world.pass(20);
  CHECK(world.state() == state(2, 2, kMost));
  CHECK(world.told().empty());
  // Another process knows nothing but what the cluster says.
  World next;
  next.replicas = world.replicas;
  next.cpu = world.cpu;
  next.grown = world.grown;
  next.load = 6;
  next.pass(40);
  CHECK(next.resizes.empty());
  CHECK(next.writes.empty());
  next.load = 1;
  next.pass(20);
  CHECK(next.series == std::vector{state(2, 0, kMost), state(2, 0, kBase), state(1, 0, kBase)});
  CHECK(next.grown.empty());
}

TEST_CASE("scaler with growth: one write of a workload after the other, and it says what it is") {
  World world;
  world.load = 4;
  world.pass(1);
  CHECK_MESSAGE(world.state() == state(2, 0, kBase), "first more of them");
  CHECK(world.resizes.empty());
  world.pass(2);
  CHECK(world.state() == state(2, 0, kMost));
  REQUIRE(world.resizes.size() == 1);
  const ScaleWrite& write = world.resizes.front();
  CHECK(write.target.name == "web");
  CHECK(write.resize->uid == "web-uid");
  const auto report = std::find_if(world.reports.begin(), world.reports.end(),
                                   [](const ScaleReport& one) { return one.size.has_value(); });
  REQUIRE(report != world.reports.end());
  CHECK(report->outcome == Outcome::kRescaled);
  CHECK(*report->size == ScaleReport::Size{"cpu", kBase, kMost, "", kBase});
  CHECK(report->decision.current == 2);
  CHECK(report->decision.replicas == 4);
  CHECK(world.scaler.counts().ups == 2);
}

TEST_CASE("scaler with growth: none while pods are replaced, and none leaves then") {
  World world = settled(2);
  world.rollout.is_under_way = true;
  world.load = 3;
  world.pass(20);
  CHECK_MESSAGE(world.state() == state(2, 1, kBase), "over: that takes no time");
  CHECK(world.told().empty());
  world.load = 1;
  world.pass(100);
  CHECK(world.state() == state(2, 1, kBase));
  world.rollout.is_under_way = false;
  world.pass(40);
  CHECK(world.state() == state(1, 0, kBase));
}

TEST_CASE("scaler with growth: while pods are replaced, none comes home that is far") {
  World world = settled(2);
  world.rollout.is_under_way = true;
  world.load = 3;
  world.pass(20);
  REQUIRE(world.state() == state(2, 1, kBase));
  world.nodes = 9;
  world.pass(200);
  CHECK_MESSAGE(world.state() == state(2, 1, kBase), "there is room for seven more");
  world.rollout.is_under_way = false;
  world.pass(100);
  CHECK(world.state() == state(3, 0, kBase));
}

TEST_CASE("scaler with growth: larger ones that are more than the most leave, too") {
  World world;
  Autoscaler bounded = World::web(ResizeWay::kTemplate);
  bounded.max = 5;
  world.scaler.put(bounded);
  world.cpu = kMost;
  world.grown = "container=main resource=cpu base=500m now=1";
  world.nodes = 3;
  world.load = 9;
  world.replicas = {{"web", 3}, {"web-far", 0}};
  SUBCASE("by their size") {
    world.pass(40);
    CHECK_MESSAGE(world.state() == state(3, 0, kMost), "six, and 4.5 are too few for five");
  }
  SUBCASE("by their number") {
    world.replicas["web-far"] = 4;
    world.pass(60);
    CHECK(world.state() == state(3, 0, kMost));
  }
  world.load = 1;
  world.pass(60);
  CHECK(world.state() == state(1, 0, kBase));
}

TEST_CASE("scaler with growth: at the most, who is far leaves when others have grown for him") {
  World world;
  Autoscaler three = World::web(ResizeWay::kTemplate);
  three.max = 3;
  world.scaler.put(three);
  world.nodes = 1;
  world.node_cpu = kBase;
  world.load = 3;
  world.pass(40);
  REQUIRE(world.state() == state(1, 2, kBase));
  world.node_cpu = kMost;
  world.to_resizes = ScaleAnswer::kRefused;
  world.series.clear();
  world.pass(200);
  CHECK(world.resizes.size() > 1);
  CHECK_MESSAGE(world.series.empty(), "nobody leaves for what is refused");
  world.to_resizes = ScaleAnswer::kDone;
  world.pass(100);
  CHECK(world.series == std::vector{state(1, 2, kMost), state(1, 1, kMost)});
}

TEST_CASE("scaler with growth: who is larger than is wanted shrinks, even by less than one") {
  World world;
  Autoscaler little = World::web(ResizeWay::kTemplate);
  little.sites->up.most = 750;
  world.scaler.put(little);
  world.nodes = 1;
  world.load = 2;
  world.pass(40);
  REQUIRE(world.state() == state(1, 1, 750));
  world.load = 1;
  world.pass(100);
  CHECK(world.state() == state(1, 0, kBase));
  const int before = world.questions;
  world.pass(100);
  CHECK_MESSAGE(world.questions == before, "nothing is left to be asked");
}

TEST_CASE("scaler with growth: larger ones leave where nobody can make them smaller") {
  World world = settled(4);
  REQUIRE(world.state() == state(2, 0, kMost));
  world.rollout.is_partial = true;
  world.load = 2;
  world.pass(60);
  CHECK(world.state() == state(1, 0, kMost));
}

TEST_CASE("scaler with growth: there are never fewer than the least, however large they are") {
  World world;
  Autoscaler two = World::web(ResizeWay::kTemplate);
  two.min = 2;
  world.scaler.put(two);
  SUBCASE("as many as have no place at home are elsewhere") {
    world.nodes = 1;
    world.pass(60);
    CHECK(world.state() == state(1, 1, kBase));
    CHECK(world.resizes.empty());
    world.load = 3;
    world.pass(60);
    CHECK_MESSAGE(world.state() == state(1, 1, kMost), "two of them, then larger");
    world.load = 1;
    world.pass(100);
    CHECK_MESSAGE(world.state() == state(1, 1, kBase), "smaller where none may leave");
    world.nodes = 2;
    world.pass(100);
    CHECK(world.state() == state(2, 0, kBase));
  }
  SUBCASE("one that is as large as two is one") {
    world.cpu = kMost;
    world.grown = "container=main resource=cpu base=500m now=1";
    world.pass(60);
    CHECK(world.state() == state(2, 0, kBase));
  }
  SUBCASE("none leaves where nobody can make them smaller") {
    world.load = 4;
    world.pass(20);
    REQUIRE(world.state() == state(2, 0, kMost));
    world.rollout.is_partial = true;
    world.load = 2;
    world.pass(60);
    CHECK(world.state() == state(2, 0, kMost));
  }
}

TEST_CASE("scaler with growth: pods that nobody replaces count as they are, not as the template") {
  World world = settled(4);
  REQUIRE(world.state() == state(2, 0, kMost));
  SUBCASE("it is paused") { world.rollout.is_partial = true; }
  SUBCASE("they stay until they are deleted") { world.rollout.kind = RolloutRules::Kind::kNone; }
  world.cpu_of = {{"web.0", kBase}, {"web.1", kMost}};
  world.pass(20);
  CHECK_MESSAGE(world.state() == state(2, 1, kMost), "3 are too few for 4");
  world.load = 2;
  world.pass(100);
  CHECK_MESSAGE(world.state() == state(2, 0, kMost), "one alone would be one, or two");
}

TEST_CASE("scaler with growth: another workload of that name has none of its past") {
  World world = settled(2);
  world.is_put_back = true;
  world.load = 3;
  world.pass(600);
  REQUIRE(world.told().size() == 1);
  world.is_put_back = false;
  world.uid = "another";
  world.resizes.clear();
  world.grown.clear();
  world.pass(100);
  CHECK(world.cpu == 750);
}

TEST_CASE("scaler with growth: a cause of long ago is told again, one that changes seldom") {
  World world;
  world.load = 3;
  world.node_cpu = kBase;
  world.pass(60);
  REQUIRE(world.told().size() == 1);
  world.load = 2;
  world.pass(2 * 3'600);
  world.load = 3;
  world.pass(60);
  CHECK(world.told().size() == 2);
  for (int i = 0; i < 40; ++i) {
    world.bounds.limits.clear();
    world.limit("small-" + std::to_string(i)).most = {{"cpu", 600}};
    world.pass(30);
  }
  CHECK(world.told().size() >= 3);
  CHECK(world.told().size() <= 5);
}

TEST_CASE("scaler with growth: a StatefulSet that waits for a pod says that it must be deleted") {
  World world;
  world.rollout.is_ordered = true;
  world.load = 3;
  world.pass(20);
  world.unplaced = "0/2 nodes are available";
  world.rollout.is_stuck = true;
  world.pass(60);
  CHECK(world.cpu == kBase);
  REQUIRE_FALSE(world.told().empty());
  CHECK(world.told().front() ==
        "pod web.1 has no node: 0/2 nodes are available; Deployment waits until it is deleted");
}

TEST_CASE("scaler with growth: who does not get on with it grows no more, but shrinks") {
  World world = settled(3);
  REQUIRE(world.state() == state(2, 0, 750));
  world.rollout.is_stuck = true;
  world.load = 4;
  world.pass(20);
  CHECK(world.state() == state(2, 1, 750));
  REQUIRE(world.told().size() == 1);
  CHECK(world.told().front() == "Deployment web does not get on with replacing its pods");
  world.load = 1;
  world.pass(60);
  CHECK(world.state() == state(1, 0, kBase));
}

TEST_CASE("scaler with growth: larger pods that cannot be there are as they were declared again") {
  World world = settled(3);
  REQUIRE(world.state() == state(2, 0, 750));
  std::string words;
  SUBCASE("for a quota") {
    world.rollout.failure = "exceeded quota: small";
    words = "Deployment web cannot make pods: exceeded quota: small";
  }
  SUBCASE("for want of a node") {
    world.unplaced = "0/2 nodes are available";
    words = "pod web.1 has no node: 0/2 nodes are available";
  }
  world.pass(20);
  CHECK_MESSAGE(world.cpu == 750, "they may come yet");
  world.rollout.is_stuck = true;
  world.pass(20);
  CHECK(world.cpu == kBase);
  CHECK(world.grown.empty());
  world.unplaced.clear();
  world.rollout.failure.clear();
  world.rollout.is_stuck = false;
  world.pass(30);
  CHECK(world.state() == state(2, 1, kBase));
  CHECK(world.told() == std::vector<std::string>{words});
  world.pass(100);
  CHECK_MESSAGE(world.cpu == 750, "tried again");
}

TEST_CASE("scaler with growth: no replica shrinks below what a LimitRange lets it have") {
  World world = settled(4);
  REQUIRE(world.state() == state(2, 0, kMost));
  world.limit("large").least = {{"cpu", 600}};
  world.load = 1;
  world.pass(60);
  CHECK(world.state() == state(1, 0, 600));
}

TEST_CASE("scaler with growth: a step that is less than a LimitRange wants is a larger one") {
  World world;
  world.limit("large").least = {{"cpu", 800}};
  world.load = 3;
  world.pass(40);
  CHECK(world.state() == state(2, 0, 800));
  world.load = 1;
  world.pass(60);
  CHECK(world.state() == state(1, 0, 800));
}

TEST_CASE("scaler with growth: where it cannot be, that is said once, and others come elsewhere") {
  World world;
  std::string words;
  SUBCASE("no room") {
    world.node_cpu = kBase;
    words = "no room at home for larger ones";
  }
  SUBCASE("room only for one that comes first") {
    world.node_cpu = kBase;
    world.rollout.unavailable = 0;
    words = "maxUnavailable is 0";
  }
  SUBCASE("a LimitRange") {
    world.limit("small").most = {{"cpu", 600}};
    words = "LimitRange small";
  }
  SUBCASE("no node is as large") {
    world.bounds.nodes.front() = {{"cpu", 700}, {"memory", 1}};
    words = "no node can give a pod 750m of cpu";
  }
  SUBCASE("a controller that stops all") {
    world.rollout.kind = RolloutRules::Kind::kRecreate;
    words = "all of its pods at once";
  }
  for (const std::int64_t load : {3, 2, 4}) {
    world.load = load;
    world.pass(70);
    CHECK(world.cpu == kBase);
    CHECK(world.replicas.at("web-far") == load - 2);
  }
  CHECK(world.resizes.empty());
  REQUIRE(world.told().size() == 1);
  CHECK(world.told().front().find(words) != std::string::npos);
}

TEST_CASE("scaler with growth: after a write that failed others come elsewhere for a while") {
  World world = settled(2);
  world.to_resizes = ScaleAnswer::kRefused;
  world.load = 3;
  world.pass(1);
  CHECK(world.state() == state(2, 0, kBase));
  const ScaleReport& last = world.reports.back();
  CHECK(last.outcome == Outcome::kNotRescaled);
  CHECK(last.why == "as told");
  CHECK(last.size);
  CHECK(world.scaler.counts().not_rescaled == 1);
  world.pass(40);
  CHECK(world.state() == state(2, 1, kBase));
  CHECK(world.resizes.size() == 1);
  CHECK(world.told() == std::vector<std::string>{"as told"});
  world.to_resizes = ScaleAnswer::kDone;
  world.pass(100);
  CHECK(world.state() == state(2, 0, 750));
}

TEST_CASE("scaler with growth: what cannot be larger is as declared at once, whoever was faster") {
  World world = settled(3);
  REQUIRE(world.state() == state(2, 0, 750));
  world.rollout.is_stuck = true;
  world.rollout.failure = "exceeded quota: small";
  SUBCASE("somebody has changed it meanwhile") {
    world.to_resizes = ScaleAnswer::kConflict;
    world.pass(40);
    world.to_resizes = ScaleAnswer::kDone;
    world.pass(16);
  }
  SUBCASE("the server fails") {
    world.to_resizes = ScaleAnswer::kUnknown;
    world.pass(50);
    world.to_resizes = ScaleAnswer::kDone;
    world.pass(61);
  }
  CHECK(world.cpu == kBase);
  CHECK(world.grown.empty());
}

TEST_CASE("scaler with growth: of a write that may have been done, nothing is somebody else's") {
  World world = settled(4);
  REQUIRE(world.state() == state(2, 0, kMost));
  world.to_resizes = ScaleAnswer::kUnknown;
  world.writes_unknown = true;
  world.load = 2;
  world.pass(20);
  REQUIRE_MESSAGE(world.cpu == kBase, "as it was declared, and nobody knows");
  world.to_resizes = ScaleAnswer::kDone;
  world.load = 4;
  world.pass(300);
  CHECK(world.cpu == kMost);
  CHECK(world.told().size() <= 1);
  for (const std::string& said : world.told()) CHECK(said == "as told");
}

TEST_CASE("scaler with growth: a note of a write that may have been done is not a stale one") {
  World world = settled(2);
  world.load = 3;
  world.pass(2);
  REQUIRE(world.cpu == 750);
  world.put_back();  // its annotation stays
  world.pass(16);
  world.to_resizes = ScaleAnswer::kUnknown;
  world.writes_unknown = true;
  world.pass(60);
  REQUIRE(world.cpu == 750);
  world.to_resizes = ScaleAnswer::kDone;
  world.load = 1;
  world.pass(200);
  CHECK_MESSAGE(world.state() == state(1, 0, kBase), "the note is believed");
}

TEST_CASE("scaler with growth: who was faster is looked at again, at once") {
  World world = settled(2);
  world.to_resizes = ScaleAnswer::kConflict;
  world.load = 3;
  world.pass(1);
  REQUIRE(world.resizes.size() == 1);
  world.to_resizes = ScaleAnswer::kDone;
  world.pass(3);
  CHECK(world.state() == state(2, 0, 750));
}

TEST_CASE(
    "scaler with growth: a template that somebody else has written is the base from then on") {
  World world = settled(4);
  REQUIRE(world.state() == state(2, 0, kMost));
  world.cpu = 700;
  world.load = 3;
  world.pass(20);
  CHECK(world.cpu == kMost);
  CHECK(world.grown == "container=main resource=cpu base=700m now=1");
  CHECK(world.replicas.at("web-far") == 1);
  world.load = 1;
  world.pass(60);
  CHECK(world.cpu == 700);
}

TEST_CASE("scaler with growth: pods that are never replaced do not hold back the others for ever") {
  World world = settled(2);
  world.rollout.is_under_way = true;
  world.rollout.progress = {4, 1, 2};
  world.load = 1;
  world.pass(400);
  CHECK(world.state() == state(2, 0, kBase));
  world.rollout.progress.updated = 2;
  world.pass(580);
  CHECK_MESSAGE(world.state() == state(2, 0, kBase), "it went on meanwhile");
  world.pass(60);
  CHECK(world.state() == state(1, 0, kBase));
}

TEST_CASE("scaler with growth: what fits where is asked no sooner where nothing was done") {
  World world(false);
  world.replicas = {{"web", 2}, {"web-far", 2}};
  world.cpu = kMost;
  world.grown = "container=main resource=cpu base=500m now=1";
  world.load = 1;
  world.pass(60);
  world.questions = 0;
  world.pass(60);
  CHECK_MESSAGE(world.questions == 4, "once a look");
}

TEST_CASE("scaler with growth: a template that is put back is left alone, each time for longer") {
  World world = settled(2);
  world.is_put_back = true;
  SUBCASE("the annotation stays") {}
  SUBCASE("so is the annotation") { world.drops_notes = true; }
  world.load = 3;
  world.pass(600);
  CHECK(world.resizes.size() == 4);
  CHECK(world.state() == state(2, 1, kBase));
  CHECK(world.told() ==
        std::vector<std::string>{"somebody else put Deployment web back to 500m of cpu"});
}

TEST_CASE("scaler with growth: who puts a template back every few minutes is not fought with") {
  World world;
  world.load = 3;
  for (int minutes = 0; minutes < 6 * 60; minutes += 5) {
    world.pass(300);
    world.put_back();
  }
  CHECK_MESSAGE(world.resizes.size() <= 12, "after 1, 2, 4, 8, 16 and 32 minutes, then each hour");
  CHECK(world.resizes.size() >= 9);
  world.pass(2 * 4'200);
  CHECK(world.cpu == 750);
  world.put_back();
  world.pass(100);
  CHECK_MESSAGE(world.cpu == 750, "it has stood for more than an hour");
}

TEST_CASE("scaler with growth: another process sees by the annotation that it was put back") {
  World world;
  world.grown = "container=main resource=cpu base=500m now=750m";
  world.replicas = {{"web", 2}, {"web-far", 1}};
  world.load = 3;
  world.pass(55);
  CHECK(world.resizes.empty());
  world.pass(40);
  CHECK(world.resizes.size() == 1);
  CHECK(world.cpu == 750);
}

TEST_CASE("scaler with growth: what is as large as something that was put back is the base") {
  World world = settled(2);
  world.is_put_back = true;
  world.load = 3;
  world.pass(20);
  REQUIRE(world.cpu == kBase);
  REQUIRE_FALSE(world.grown.empty());
  world.is_put_back = false;
  world.cpu = 750;  // by whoever declares it
  world.load = 1;
  world.pass(400);
  CHECK(world.state() == state(1, 0, 750));
}

TEST_CASE("scaler with growth: without writing, all that would be is told at once") {
  World world(false);
  world.load = 6;
  world.pass(1);
  std::vector<std::string> said;
  for (const ScaleReport& report : world.reports) {
    CHECK(report.outcome == Outcome::kWouldRescale);
    said.push_back(report.autoscaler.target.name +
                   (report.size ? " cpu " + std::to_string(report.size->to)
                                : " " + std::to_string(report.decision.replicas)));
  }
  CHECK(said == std::vector<std::string>{"web 2", "web-far 2", "web cpu 1000"});
  CHECK(world.resizes.empty());
  CHECK(world.state() == state(1, 0, kBase));
}

}  // namespace
}  // namespace gedge
