// Replicas of home that grow by the template of their workload, before others come elsewhere.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scaler.hpp"

namespace gedge {
namespace {

constexpr Nanos kSecond{1'000'000'000};
constexpr std::int64_t kBase = 500, kMost = 1'000;
using Outcome = ScaleReport::Outcome;

/// Each node of home takes one pod, with so much; the other site takes any number.
struct Nodes final : SiteRoom {
  std::int32_t left;
  std::int64_t most;
  Nodes(std::int32_t places, std::int64_t each) : left(places), most(each) {}
  Result<bool> add(std::uint32_t /*replica*/, std::uint32_t site) override {
    return site > 0 || left-- > 0;
  }
  Result<bool> resize(std::uint32_t /*replica*/, std::int64_t amount) override {
    return amount <= most;
  }
  void remove(std::uint32_t /*replica*/) override {}
};

/// Two workloads that have what they are given, as soon as the test says so.
struct World {
  Scaler scaler;
  Nanos now{1'000 * kSecond};
  UnixSeconds date = 1'795'000'000;
  std::map<std::string, std::int32_t> replicas{{"web", 1}, {"web-far", 0}};
  std::int64_t cpu = kBase;  // of web's template
  std::string grown;
  RolloutRules rollout{RolloutRules::Kind::kRolling, 1, false, false, false};
  ScaleAnswer to_resizes = ScaleAnswer::kDone;
  std::int32_t nodes = 2;
  std::int64_t node_cpu = kMost;
  ScaleFacts bounds;
  std::int64_t load = 1;
  int version = 1;
  std::vector<ScaleReport> reports;
  std::vector<ScaleWrite> writes, resizes;
  int questions = 0;  // what fits where
  using State = std::pair<std::pair<std::int32_t, std::int32_t>, std::int64_t>;
  std::vector<State> series;  // after each write

  std::map<std::string, std::int64_t> cpu_of;  // of pods; others have what the template says
  std::string unresized;                       // of web.1

  explicit World(bool writes_any = true, GrowWay way = GrowWay::kTemplate, bool in_place = false)
      : scaler(options(writes_any, in_place)) {
    bounds.nodes.push_back({{"cpu", 8'000}, {"memory", 1}});
    scaler.put(web(way));
  }
  static ScalerOptions options(bool writes_any, bool in_place) {
    ScalerOptions made;
    made.settings.downscale_window_s = 0;
    made.writes = writes_any;
    made.resizes_pods = in_place;
    return made;
  }
  static Autoscaler web(GrowWay way) {
    Autoscaler autoscaler;
    autoscaler.name = "web";
    autoscaler.namespace_name = "shop";
    autoscaler.api_version = kShortAutoscaler;
    autoscaler.target = {"apps/v1", "Deployment", "web"};
    autoscaler.max = 10;
    autoscaler.behavior.emplace();
    autoscaler.behavior->up.policies = {{PolicyUnit::kPodCount, 100, 1}};
    autoscaler.behavior->down.window_s = 0;
    MetricSpec& metric = autoscaler.metrics.emplace_back();
    metric.kind = MetricKind::kExternal;
    metric.is_query = true;
    metric.name = "load";
    metric.target = TargetKind::kAverageValue;
    metric.amount = 100'000;
    SiteRules& sites = autoscaler.sites.emplace();
    sites.order = {"home", "far"};
    sites.workloads = {"", "web-far"};
    sites.up = {"cpu", 250, kMost, way};
    sites.over_after_s = 0;
    sites.return_after_s = 30;
    return autoscaler;
  }
  ScaleReading reading_of(const ScaleRead& read) const {
    ScaleReading reading;
    reading.kind = ScaleReading::Kind::kFound;
    ScaleTarget& scale = reading.scale;
    scale.namespace_name = "shop";
    scale.kind = "Deployment";
    scale.name = read.target.name;
    scale.spec_replicas = scale.status_replicas = replicas.at(read.target.name);
    scale.selector.requirements.push_back({"app", SelectorOp::kEquals, {read.target.name}});
    scale.has_selector = true;
    scale.uid = read.target.name + "-uid";
    scale.version = std::to_string(version);
    CHECK(read.is_whole == (read.target.name == "web"));
    if (!read.is_whole) return reading;
    scale.made_of.containers.push_back({"main", {{"cpu", cpu}}, {}, {}});
    scale.rollout = rollout;
    scale.grown = grown;
    return reading;
  }
  void make_pods() {
    std::vector<PodName> names;
    for (const auto& [workload, count] : replicas)
      for (std::int32_t i = 0; i < count; ++i) {
        ScaledPod pod;
        pod.namespace_name = "shop";
        pod.name = workload + "." + std::to_string(i);
        pod.labels = {{"app", workload}};
        pod.phase = PodPhase::kRunning;
        pod.ready = ReadyState::kTrue;
        pod.uid = pod.name.str() + "-uid";
        pod.version = "5";
        const auto known = cpu_of.find(pod.name.str());
        pod.containers.push_back({"main", {{"cpu", known == cpu_of.end() ? cpu : known->second}}});
        if (pod.name == "web.1") pod.unresized = unresized;
        names.push_back({pod.namespace_name, pod.name});
        scaler.put(std::move(pod));
      }
    scaler.keep_pods(names);
  }
  SiteAnswer room() const {
    SiteAnswer answer;
    answer.room = std::make_unique<Nodes>(nodes, node_cpu);
    answer.rtts = SiteRtts(2, std::vector<Rtt>(4, Rtt{1}));
    answer.bounds = bounds;
    return answer;
  }
  void take(const ScaleWrite& write) {
    if (!write.resize) {
      writes.push_back(write);
      replicas[write.target.name] = write.replicas;
      series.push_back(state());
      return scaler.answer(write.ticket, ScaleAnswer::kDone, "");
    }
    resizes.push_back(write);
    if (write.resize->kind == "Pod") {
      CHECK(write.resize->uid == write.resize->name.str() + "-uid");
      CHECK(write.resize->version == "5");
      CHECK_FALSE(write.resize->grown);
      if (to_resizes != ScaleAnswer::kDone)
        return scaler.answer(write.ticket, to_resizes, "as told");
      cpu_of[write.resize->name.str()] = write.resize->containers.front().resources.front().request;
      return scaler.answer(write.ticket, ScaleAnswer::kDone, "");
    }
    CHECK(write.resize->version == std::to_string(version));
    if (to_resizes == ScaleAnswer::kDone) {
      cpu = write.resize->containers.front().resources.front().request;
      grown = write.resize->grown.value_or("not said");
      ++version;
      series.push_back(state());
    }
    scaler.answer(write.ticket, to_resizes, "as told");
  }
  void turn() {
    for (int round = 0; round < 8; ++round) {
      make_pods();
      REQUIRE(scaler.advance(now, date));
      for (const ScaleRead& read : scaler.take_scale_reads())
        scaler.answer(read.ticket, reading_of(read));
      for (const MetricRead& read : scaler.take_metric_reads()) {
        MetricReading reading;
        reading.is_read = true;
        reading.values.external.push_back({"load", {}, {load * 100'000, date, {}}});
        scaler.answer(read.ticket, reading);
      }
      for (const SiteQuestion& question : scaler.take_site_questions()) {
        ++questions;
        scaler.answer(question.ticket, room());
      }
      for (const ScaleWrite& write : scaler.take_writes()) take(write);
      for (ScaleReport& report : scaler.take_reports()) reports.push_back(std::move(report));
    }
  }
  void pass(std::int64_t seconds) {
    for (std::int64_t i = 0; i < seconds; ++i) {
      now += kSecond;
      ++date;
      turn();
    }
  }
  State state() const { return {{replicas.at("web"), replicas.at("web-far")}, cpu}; }
  std::vector<std::string> told() const {
    std::vector<std::string> said;
    for (const ScaleReport& report : reports)
      if (!report.keeps_size.empty()) said.push_back(report.keeps_size);
    return said;
  }
};

World::State state(std::int32_t home, std::int32_t far, std::int64_t cpu) {
  return {{home, far}, cpu};
}

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
  CHECK(*report->size == ScaleReport::Size{"cpu", kBase, kMost, ""});
  CHECK(report->decision.current == 2);
  CHECK(report->decision.replicas == 4);
  CHECK(world.scaler.counts().ups == 2);
}

TEST_CASE("scaler with growth: none while pods are replaced, and none leaves then") {
  World world;
  world.load = 2;
  world.pass(20);
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
  World world;
  world.load = 2;
  world.pass(20);
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
  Autoscaler bounded = World::web(GrowWay::kTemplate);
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

TEST_CASE("scaler with growth: larger ones leave where nobody can make them smaller") {
  World world;
  world.load = 4;
  world.pass(20);
  REQUIRE(world.state() == state(2, 0, kMost));
  world.rollout.is_partial = true;
  world.load = 2;
  world.pass(60);
  CHECK(world.state() == state(1, 0, kMost));
}

TEST_CASE("scaler with growth: who does not get on with it grows no more, but shrinks") {
  World world;
  world.load = 3;
  world.pass(20);
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
    world.bounds.limits.emplace_back().name = "small";
    world.bounds.limits.back().most = {{"cpu", 600}};
    world.bounds.limits.back().namespace_name = "shop";
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
  World world;
  world.load = 2;
  world.pass(20);
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

TEST_CASE("scaler with growth: who was faster is looked at again, at once") {
  World world;
  world.load = 2;
  world.pass(20);
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
  World world;
  world.load = 4;
  world.pass(20);
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
  World world;
  world.load = 2;
  world.pass(20);
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

TEST_CASE("scaler with growth: what is left to somebody else is told once") {
  World world(true, GrowWay::kInPlace, true);
  world.load = 3;
  world.pass(20);
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
  World world(true, GrowWay::kInPlace, true);
  world.load = 2;
  world.pass(20);
  world.to_resizes = ScaleAnswer::kGone;
  world.load = 3;
  world.pass(1);
  CHECK(world.resizes.size() == 2);
  CHECK(world.scaler.counts().conflicts == 2);
  SUBCASE("others are there") {
    world.to_resizes = ScaleAnswer::kDone;
    world.pass(2);
    CHECK(world.cpu_of == std::map<std::string, std::int64_t>{{"web.0", 750}, {"web.1", 750}});
    CHECK(world.told().empty());
  }
  SUBCASE("there is nothing to resize them by") {
    world.pass(40);
    CHECK(world.resizes.size() == 6);
    CHECK(world.told() == std::vector<std::string>{"as told"});
    CHECK(world.state() == state(2, 1, kBase));
  }
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

using Sizes = std::map<std::string, std::int64_t>;

TEST_CASE("scaler with growth: pods are resized where they run, and those that come are, too") {
  World world(true, GrowWay::kInPlace, true);
  world.load = 3;
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  world.load = 6;
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
  CHECK(world.state() == state(2, 2, kBase));
  CHECK(world.grown.empty());
  const std::size_t before = world.resizes.size();
  world.cpu_of.erase("web.1");  // another one, as the template says
  world.pass(20);
  CHECK(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
  REQUIRE(world.resizes.size() == before + 1);
  CHECK(world.resizes.back().resize->name == "web.1");
  CHECK(world.state() == state(2, 2, kBase));
  world.series.clear();
  world.load = 1;
  world.pass(60);
  CHECK(world.cpu_of == Sizes{{"web.0", kBase}, {"web.1", kBase}});
  CHECK(world.series == std::vector{state(2, 0, kBase), state(1, 0, kBase)});
  CHECK(world.told().empty());
}

TEST_CASE("scaler with growth: where one that comes cannot be as large, none is") {
  World world(true, GrowWay::kInPlace, true);
  world.load = 4;
  world.pass(20);
  REQUIRE(world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}});
  world.cpu_of.erase("web.1");
  world.node_cpu = kBase;
  world.pass(40);
  CHECK(world.cpu_of.at("web.0") == kBase);
  CHECK(world.state() == state(2, 2, kBase));
}

TEST_CASE("scaler with growth: pods that their machines do not resize are as they were declared") {
  World world(true, GrowWay::kInPlace, true);
  world.load = 3;
  world.pass(20);
  REQUIRE(world.cpu_of == Sizes{{"web.0", 750}, {"web.1", 750}});
  world.unresized = "Deferred";
  world.load = 4;
  world.pass(4);
  CHECK(world.cpu_of == Sizes{{"web.0", kBase}, {"web.1", kBase}});
  world.unresized.clear();
  world.pass(40);
  CHECK(world.state() == state(2, 2, kBase));
  REQUIRE_FALSE(world.told().empty());
  CHECK(world.told().front() == "pod web.1 was not given what it was to have: Deferred");
  CHECK(world.cpu_of == Sizes{{"web.0", kBase}, {"web.1", kBase}});
  world.pass(120);
  CHECK_MESSAGE((world.cpu_of == Sizes{{"web.0", kMost}, {"web.1", kMost}}), "tried again");
}

TEST_CASE("scaler with growth: a server that cannot do it is told of once, and others go over") {
  World world(true, GrowWay::kInPlace, false);
  for (const std::int64_t load : {3, 2, 4}) {
    world.load = load;
    world.pass(70);
    CHECK(world.replicas.at("web-far") == load - 2);
  }
  CHECK(world.resizes.empty());
  REQUIRE(world.told().size() == 1);
  CHECK(world.told().front().find("does not resize pods where they run") != std::string::npos);
}

}  // namespace
}  // namespace gedge
