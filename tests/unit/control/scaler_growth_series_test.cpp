// Replicas of home that grow while much goes wrong: writes fail or nobody knows of them, processes
// start anew, others meddle.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"
#include "unit/control/growth_world.hpp"

namespace gedge {
namespace {

constexpr std::array kAnswers{ScaleAnswer::kDone,    ScaleAnswer::kDone,    ScaleAnswer::kConflict,
                              ScaleAnswer::kGone,    ScaleAnswer::kRefused, ScaleAnswer::kNotSent,
                              ScaleAnswer::kUnknown, ScaleAnswer::kUnknown};

/// A world of which dice say what it is like, and what happens.
struct Series : World {
  SplitMix dice;
  Autoscaler spec;

  Series(std::uint64_t seed, ResizeWay way)
      : World(true, way, way == ResizeWay::kInPlace), dice(seed), spec(web(way)) {
    spec.max = 3 + below(6);
    spec.min = below(4);
    spec.sites->up.step = 100 * (1 + below(5));
    spec.sites->up.most = 750 + 250 * below(5);
    nodes = 1 + below(4);
    node_cpu = kBase + 250 * below(7);
    scaler.put(spec);
  }
  std::int32_t below(std::size_t count) { return static_cast<std::int32_t>(dice.below(count)); }
  std::int32_t number() const { return replicas.at("web") + replicas.at("web-far"); }
  std::int64_t size_of(std::int32_t pod) const {
    const auto known = cpu_of.find("web." + std::to_string(pod));
    return known == cpu_of.end() ? cpu : known->second;
  }
  std::int64_t largest() const {
    std::int64_t most = kBase;
    for (std::int32_t i = 0; i < replicas.at("web"); ++i) most = std::max(most, size_of(i));
    return most;
  }
  std::int64_t sum() const {
    std::int64_t sum = replicas.at("web-far") * kBase;
    for (std::int32_t i = 0; i < replicas.at("web"); ++i) sum += size_of(i);
    return sum;
  }
  std::int64_t wanted() const { return kBase * std::clamp<std::int64_t>(load, spec.min, spec.max); }
  // Somebody scales, and there is room for it.
  void meddle() {
    const std::string workload = below(2) == 0 ? "web" : "web-far";
    const std::int32_t before = std::exchange(replicas[workload], 1 + below(3));
    for (std::int32_t gone = replicas[workload]; gone < before; ++gone)
      replace(workload + "." + std::to_string(gone));
    nodes = std::max(nodes, replicas.at("web"));
    ++version;
  }
  void happen() {
    switch (below(10)) {
      case 0:
        return put_back();
      case 1:
        return replace("web." + std::to_string(below(3)));
      case 2:
        return meddle();
      case 3:
        scaler = Scaler(options(true, spec.sites->up.way == ResizeWay::kInPlace));
        return scaler.put(spec);
      case 4:
        node_cpu = std::max<std::int64_t>(kBase + 250 * below(7), largest());
        return;
      case 5:
        to_writes = kAnswers[dice.below(kAnswers.size())];
        to_resizes = kAnswers[dice.below(kAnswers.size())];
        writes_unknown = below(2) == 0;
        return;
      case 6:
        rollout.is_under_way = !rollout.is_under_way;
        return;
      default:
        load = below(10);
    }
  }
  // Whatever happens: never too few of them, never too many, and none leaves who is needed.
  void pass_and_look(std::int64_t seconds) {
    for (std::int64_t i = 0; i < seconds; ++i) {
      const std::int32_t before = number();
      const bool was_enough = sum() >= wanted();
      pass(1);
      if (number() < before) CHECK(number() >= std::max(spec.min, load > 0 ? 1 : 0));
      if (number() > before) CHECK(number() <= spec.max);
      // At the most, those that are far leave as one in their place comes, which grows then.
      if (was_enough) CHECK(sum() + largest() - kBase >= wanted());
    }
  }
  void rest(std::int32_t looks) {
    for (std::int32_t i = 0; i < looks; ++i) {
      now += 14 * kSecond;
      date += 14;
      pass(1);
    }
  }
};

void check_rest(Series& world) {
  world.rollout.is_under_way = false;
  world.to_writes = world.to_resizes = ScaleAnswer::kDone;
  world.load = 1 + world.below(9);
  world.rest(400);
  const std::size_t writes = world.writes.size() + world.resizes.size();
  world.rest(40);
  CHECK_MESSAGE(world.writes.size() + world.resizes.size() == writes, "nothing is left to do");
  CHECK(world.number() >= world.spec.min);
  if (world.number() > world.spec.min) CHECK(world.sum() <= world.spec.max * kBase);
  if (world.sum() + kBase <= world.spec.max * kBase) CHECK(world.sum() >= world.wanted());
  for (std::int32_t i = 0; i < world.replicas.at("web"); ++i)
    CHECK(world.size_of(i) == world.largest());
  const std::int64_t step = world.spec.sites->up.step;
  const std::int32_t here = world.replicas.at("web");
  if (world.number() == here && world.largest() > kBase)
    CHECK_MESSAGE(here * (kBase + (world.largest() - kBase - 1) / step * step) < world.wanted(),
                  "none is larger than it has to be");
  else if (world.number() > world.spec.min && world.largest() == kBase)
    CHECK_MESSAGE(world.sum() - kBase < world.wanted(), "there is none too many");
}

TEST_CASE("scaler with growth: whatever happens, there are enough in the end, and then it rests") {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (const ResizeWay way : {ResizeWay::kInPlace, ResizeWay::kTemplate}) {
      CAPTURE(seed);
      CAPTURE(to_string(way));
      Series world(seed, way);
      for (int event = 0; event < 20; ++event) {
        world.happen();
        world.pass_and_look(1 + world.below(40));
      }
      check_rest(world);
    }
}

TEST_CASE("scaler with growth: of replicas that may have been written, none is somebody else's") {
  World world;
  world.node_cpu = kBase;
  world.load = 2;
  world.pass(20);
  REQUIRE(world.state() == state(2, 0, kBase));
  SUBCASE("they were") { world.writes_unknown = true; }
  SUBCASE("they were not") {}
  for (const std::int64_t load : {4, 1}) {
    world.to_writes = ScaleAnswer::kUnknown;
    world.load = load;
    world.pass(20);
    CHECK(world.reports.back().outcome != ScaleReport::Outcome::kYields);
    world.to_writes = ScaleAnswer::kDone;
    world.pass(60);
    CHECK(world.state() == state(load > 1 ? 2 : 1, load > 1 ? 2 : 0, kBase));
  }
  CHECK(std::none_of(world.reports.begin(), world.reports.end(), [](const ScaleReport& report) {
    return report.outcome == ScaleReport::Outcome::kYields;
  }));
}

TEST_CASE("scaler with growth: the least that has no place anywhere keeps none from growing") {
  World world;
  Autoscaler four = World::web(ResizeWay::kTemplate);
  four.min = 4;
  world.scaler.put(four);
  world.replicas = {{"web", 2}, {"web-far", 0}};
  world.far = 0;
  world.load = 6;
  world.pass(40);
  CHECK(world.state() == state(2, 0, kMost));
  CHECK(world.reports.back().without_place == 2);
  world.resizes.clear();
  world.pass(100);
  CHECK(world.resizes.empty());
  world.load = 1;
  world.pass(100);
  CHECK_MESSAGE(world.state() == state(2, 0, kMost), "four are wanted, and two of them lack");
  world.far = 9;
  world.pass(100);
  CHECK(world.state() == state(2, 2, kBase));
}

TEST_CASE("scaler with growth: larger ones for which a quota leaves others out shrink, at last") {
  World world;
  world.nodes = 3;
  world.node_cpu = 750;
  world.load = 4;
  world.quota = 2'000;
  world.pass(400);
  CHECK_MESSAGE(world.state() == state(3, 0, 750), "the third one may come yet");
  world.pass(250);
  CHECK(world.state() == state(3, 1, kBase));
  CHECK(world.told() ==
        std::vector<std::string>{"Deployment web cannot make pods: exceeded quota: small"});
  world.pass(6 * 3'600);
  CHECK_MESSAGE(world.resizes.size() <= 22, "there and back, each time later");
  CHECK(world.resizes.size() >= 16);
  world.quota = 3'000;
  world.pass(2 * 3'600);
  CHECK(world.state() == state(3, 0, 750));
}

World limited(ResizeWay way, std::int32_t most_in_a_minute) {
  World world(true, way, way == ResizeWay::kInPlace);
  Autoscaler web = World::web(way);
  web.behavior->up.policies = {{PolicyUnit::kPodCount, most_in_a_minute, 60}};
  world.scaler.put(web);
  return world;
}

TEST_CASE("scaler with growth: where one write of several fails, the others count as done") {
  World world = limited(ResizeWay::kTemplate, 4);
  world.node_cpu = kBase;
  world.pass(1);
  world.load = 9;
  SUBCASE("at home") {
    world.refused = "web";
    world.pass(55);
    CHECK_MESSAGE(world.state() == state(1, 3, kBase), "four more in this minute, and no more");
  }
  SUBCASE("elsewhere") {
    world.refused = "web-far";
    world.pass(40);
    CHECK(world.state() == state(2, 0, kBase));
    world.refused.clear();
    world.pass(15);
    CHECK_MESSAGE(world.state() == state(2, 3, kBase), "one of the four is at home");
  }
}

TEST_CASE(
    "scaler with growth: of pods that are resized, each counts by itself whether it is done") {
  World world = limited(ResizeWay::kInPlace, 2);
  world.load = 2;
  world.pass(100);
  REQUIRE(world.state() == state(2, 0, kBase));
  world.refused = "web.1";
  world.load = 9;
  world.pass(30);
  CHECK(world.cpu_of == std::map<std::string, std::int64_t>{{"web.0", kMost}});
  CHECK_MESSAGE(world.state() == state(2, 1, kBase), "one by its size, one by its number");
}

TEST_CASE("scaler with growth: who is far leaves for who has grown, within the tolerance, too") {
  World world;
  world.node_cpu = kBase;
  world.load = 9;
  world.pass(20);
  REQUIRE(world.state() == state(2, 7, kBase));
  world.node_cpu = 750;
  world.pass(200);
  CHECK_MESSAGE((world.state() == state(2, 6, 750)), "nine are enough, and ten were not asked for");
  const std::size_t known = world.series.size();
  world.pass(200);
  CHECK(world.series.size() == known);
}

}  // namespace
}  // namespace gedge
