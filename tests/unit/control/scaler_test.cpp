#include "gedge/control/scaler.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace gedge {
namespace {

constexpr Nanos kSecond{1'000'000'000};
using Outcome = ScaleReport::Outcome;

Autoscaler short_one(const std::string& name = "web") {
  Autoscaler autoscaler;
  autoscaler.name = name;
  autoscaler.namespace_name = "shop";
  autoscaler.api_version = kShortAutoscaler;
  autoscaler.target = {"apps/v1", "Deployment", "web"};
  autoscaler.min = 1;
  autoscaler.max = 10;
  autoscaler.behavior.emplace();
  MetricSpec metric;
  metric.kind = MetricKind::kExternal;
  metric.is_query = true;
  metric.name = "load";
  metric.target = TargetKind::kAverageValue;
  metric.amount = 100'000;
  autoscaler.metrics.push_back(metric);
  return autoscaler;
}

Autoscaler object() {
  Autoscaler autoscaler = short_one();
  autoscaler.api_version = "autoscaling/v2beta2";
  autoscaler.metrics.front().is_query = false;
  autoscaler.uid = "hpa-1";
  return autoscaler;
}

/// A workload that has what it is given, and a source of its load.
struct World {
  explicit World(ScalerOptions options = {}) : scaler(std::move(options)) {}

  Scaler scaler;
  Nanos now{1'000 * kSecond};
  UnixSeconds date = 1'795'000'000;
  std::int32_t replicas = 2;
  std::string uid = "u1";
  int version = 1;
  bool is_there = true, has_source = true;
  std::int64_t load = 200;  // thousands of thousandths
  std::int64_t age = 0;
  bool has_old_part = false;  // a second value, that is an hour old
  ScaleAnswer says = ScaleAnswer::kDone;
  std::vector<ScaleReport> reports;
  std::vector<ScaleWrite> writes;
  int reads = 0;

  ScaleReading scale() const {
    ScaleReading reading;
    reading.kind = is_there ? ScaleReading::Kind::kFound : ScaleReading::Kind::kMissing;
    reading.why = "not found";
    reading.scale.namespace_name = "shop";
    reading.scale.kind = "Deployment";
    reading.scale.name = "web";
    reading.scale.spec_replicas = reading.scale.status_replicas = replicas;
    reading.scale.selector.requirements.push_back({"app", SelectorOp::kEquals, {"web"}});
    reading.scale.has_selector = true;
    reading.scale.uid = uid;
    reading.scale.version = std::to_string(version);
    return reading;
  }
  MetricReading values() const {
    MetricReading reading;
    reading.is_read = has_source;
    reading.why = "503";
    if (has_source) reading.values.external.push_back({"load", {}, {load * 1'000, date - age, {}}});
    if (has_old_part) reading.values.external.push_back({"load", {}, {0, date - 3'600, {}}});
    return reading;
  }
  void take(const ScaleWrite& write) {
    writes.push_back(write);
    if (says == ScaleAnswer::kDone) {
      replicas = write.replicas;
      ++version;
    }
    scaler.answer(write.ticket, says, says == ScaleAnswer::kDone ? "" : "no");
  }
  /// What happens at this moment.
  Status turn() {
    for (int round = 0; round < 8; ++round) {
      GEDGE_TRY(scaler.advance(now, date));
      for (const ScaleRead& read : scaler.take_scale_reads()) scaler.answer(read.ticket, scale());
      for (const MetricRead& read : scaler.take_metric_reads()) {
        ++reads;
        scaler.answer(read.ticket, values());
      }
      for (const ScaleWrite& write : scaler.take_writes()) take(write);
      for (ScaleReport& report : scaler.take_reports()) reports.push_back(std::move(report));
    }
    return {};
  }
  void pass(std::int64_t seconds) {
    for (std::int64_t i = 0; i < seconds; ++i) {
      now += kSecond;
      ++date;
      REQUIRE(turn());
    }
  }
};

TEST_CASE(
    "scaler: the workload is read, then its metrics, and replicas are written with the version") {
  World world;
  world.scaler.put(short_one());
  REQUIRE(world.scaler.advance(world.now, world.date));
  const auto scales = world.scaler.take_scale_reads();
  REQUIRE(scales.size() == 1);
  CHECK(scales.front().namespace_name == "shop");
  CHECK(scales.front().target.name == "web");
  CHECK(world.scaler.take_metric_reads().empty());
  world.load = 500;
  world.scaler.answer(scales.front().ticket, world.scale());
  REQUIRE(world.turn());
  REQUIRE(world.writes.size() == 1);
  CHECK(world.writes.front().replicas == 5);
  CHECK(world.writes.front().version == "1");
  CHECK(world.writes.front().uid == "u1");
  REQUIRE(world.reports.size() == 1);
  CHECK(world.reports.front().outcome == Outcome::kRescaled);
  CHECK(world.reports.front().rescaled_at == world.date);
  CHECK(world.scaler.is_settled());
  CHECK(world.scaler.counts().ups == 1);
}

TEST_CASE("scaler: a source that is gone holds a scale-down back, and is told once") {
  World world;
  world.replicas = 5;
  world.scaler.put(short_one());
  world.load = 500;
  REQUIRE(world.turn());
  world.has_source = false;
  world.load = 100;
  world.pass(3'600);
  CHECK(world.replicas == 5);
  CHECK(world.scaler.frozen() == 1);
  int told = 0;
  for (const ScaleReport& report : world.reports)
    told += report.is_frozen && !report.was_frozen ? 1 : 0;
  CHECK(told == 1);
  CHECK(world.reports.back().why == "503");
  CHECK_FALSE(world.reports.back().is_news);
  world.has_source = true;
  world.pass(20);
  CHECK(world.scaler.frozen() == 0);
  CHECK(world.replicas == 1);  // the window has passed long ago
}

TEST_CASE("scaler: samples that are old, or of a time to come, are none") {
  for (const std::int64_t age : {std::int64_t{121}, std::int64_t{-16}}) {
    ScalerOptions options;
    options.settings.max_age_s = 120;
    World world(options);
    world.scaler.put(short_one());
    world.load = 900;
    world.age = age;
    world.pass(60);
    CHECK(world.replicas == 2);
    CHECK(world.scaler.frozen() == 1);
    CHECK(world.reports.back().why.find("the sample is") == 0);
    world.age = age > 0 ? 120 : -15;
    world.pass(16);
    CHECK(world.replicas > 2);
  }
}

TEST_CASE("scaler: a sum of which a part is old is none") {
  ScalerOptions options;
  options.settings.max_age_s = 120;
  options.settings.downscale_window_s = 0;
  World world(options);
  world.scaler.put(short_one());
  world.replicas = 4;
  world.load = 400;
  world.pass(30);
  REQUIRE(world.replicas == 4);
  world.has_old_part = true;
  world.load = 100;
  world.pass(600);
  CHECK(world.replicas == 4);
  CHECK(world.scaler.frozen() == 1);
  world.has_old_part = false;
  world.pass(600);
  CHECK(world.replicas == 1);
}

// A rate over a counter that begins anew is 0, or far too large, for a look or two.
TEST_CASE("scaler: a counter that begins anew scales nothing down, and beyond no bound") {
  World world;
  world.scaler.put(short_one());
  world.load = 500;
  world.pass(400);
  REQUIRE(world.replicas == 5);
  for (const std::int64_t odd : {std::int64_t{0}, std::int64_t{9'000'000'000'000}}) {
    world.load = odd;
    world.pass(45);
    CHECK(world.replicas >= 5);
    CHECK(world.replicas <= 10);
    world.load = 500;
    world.pass(700);
    CHECK(world.replicas == 5);
  }
  world.load = 0;  // in earnest
  world.pass(3'600);
  CHECK(world.replicas == 1);
}

TEST_CASE("scaler: after a start nothing is scaled down for a window, whatever the date does") {
  World world;
  world.replicas = 8;
  world.scaler.put(short_one());
  world.load = 100;
  world.pass(150);
  world.date += 7'200;  // somebody sets the date
  world.pass(130);
  CHECK(world.replicas == 8);
  world.date -= 36'000;
  world.pass(40);
  CHECK(world.replicas == 1);
}

TEST_CASE("scaler: a conflict is looked at again soon, and not remembered as a change") {
  ScalerOptions options;
  options.react = Nanos{0};
  World world(options);
  world.scaler.put(short_one());
  world.load = 900;
  world.says = ScaleAnswer::kConflict;
  REQUIRE(world.turn());
  CHECK(world.reports.back().outcome == Outcome::kNotRescaled);
  CHECK(world.scaler.counts().conflicts == 1);
  CHECK(world.scaler.next() == world.now + kSecond);
  world.says = ScaleAnswer::kDone;
  world.pass(1);
  CHECK(world.replicas == 6);  // four more, as if the first one had never been
}

TEST_CASE("scaler: where nobody knows whether it was done, the next look reads") {
  World world;
  world.scaler.put(short_one());
  world.load = 900;
  world.says = ScaleAnswer::kUnknown;
  REQUIRE(world.turn());
  world.replicas = world.writes.front().replicas;  // it was
  world.says = ScaleAnswer::kDone;
  world.pass(15);
  CHECK(world.replicas == 9);
  CHECK(world.reports.back().outcome != Outcome::kYields);  // it is no change of somebody else
}

TEST_CASE("scaler: a workload that somebody else changes is left alone for a minute") {
  World world;
  world.scaler.put(short_one());
  world.load = 200;
  world.pass(30);
  for (int i = 0; i < 60; ++i) {
    world.replicas = 1;  // every ten seconds
    world.pass(10);
  }
  CHECK(world.writes.size() <= 10);
  CHECK_FALSE(world.writes.empty());
}

TEST_CASE("scaler: what a HorizontalPodAutoscaler scales is not touched") {
  World world;
  world.load = 900;
  world.scaler.put(short_one());
  world.scaler.put(object());
  world.pass(60);
  CHECK(world.writes.empty());
  CHECK(world.reads == 0);
  CHECK(world.reports.back().outcome == Outcome::kTaken);
  world.scaler.keep_objects({});
  world.pass(16);
  CHECK(world.replicas > 2);
}

TEST_CASE("scaler: an object that somebody else scales by ends it") {
  ScalerOptions options;
  options.owns_objects = true;
  World world(options);
  world.scaler.put(object());
  world.load = 300;
  REQUIRE(world.turn());
  CHECK(world.replicas == 3);
  Autoscaler echo = object();  // our own status, as it comes back
  echo.last_scaled = world.reports.back().rescaled_at;
  world.scaler.put(echo);
  REQUIRE(world.turn());
  echo.last_scaled += 7;
  world.scaler.put(echo);
  const Status ended = world.turn();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == Errc::kDenied);
  CHECK(world.writes.size() == 1);
}

TEST_CASE("scaler: an object of one name that is another one begins anew") {
  ScalerOptions options;
  options.owns_objects = true;
  World world(options);
  Autoscaler first = object();
  first.last_scaled = 5;
  world.scaler.put(first);
  REQUIRE(world.turn());
  first.uid = "hpa-2";
  first.last_scaled = 9;
  world.scaler.put(first);
  CHECK(world.turn());
}

TEST_CASE("scaler: a query that says something else is looked at now") {
  World world;
  world.scaler.put(short_one());
  world.pass(2);
  const std::uint64_t looks = world.scaler.counts().looks;
  world.load = 400;
  world.pass(1);
  CHECK(world.scaler.counts().looks == looks + 1);
  CHECK(world.scaler.counts().reactions == 1);
  CHECK(world.replicas == 4);
  world.pass(5);
  CHECK(world.scaler.counts().looks == looks + 1);
}

TEST_CASE("scaler: without writes, what would be done is said each time") {
  ScalerOptions options;
  options.writes = false;
  World world(options);
  world.scaler.put(short_one());
  world.load = 900;
  world.pass(60);
  CHECK(world.writes.empty());
  CHECK(world.replicas == 2);
  for (const ScaleReport& report : world.reports) {
    CHECK(report.outcome == Outcome::kWouldRescale);
    CHECK(report.decision.replicas == 6);
  }
}

TEST_CASE("scaler: a workload made anew under its name has no history") {
  World world;
  world.replicas = 8;
  world.load = 800;
  world.scaler.put(short_one());
  world.pass(20);
  world.is_there = false;
  world.pass(200);  // the window of the first one has little left
  world.is_there = true;
  world.uid = "u2";
  world.replicas = 2;
  world.load = 100;
  world.pass(290);
  CHECK(world.replicas == 2);  // its own window, from its first look on
  world.pass(40);
  CHECK(world.replicas == 1);
}

TEST_CASE("scaler: a missing workload changes nothing and is told") {
  World world;
  world.is_there = false;
  world.scaler.put(short_one());
  world.pass(30);
  CHECK(world.writes.empty());
  CHECK(world.reports.back().decision.step == ScaleStep::kNoTarget);
  CHECK(world.reports.back().why == "not found");
}

TEST_CASE("scaler: pods that are not known yet hold a scale-down back") {
  ScalerOptions options;
  options.react = Nanos{0};
  World world(options);
  Autoscaler autoscaler = short_one();
  autoscaler.metrics.front().target = TargetKind::kValue;
  autoscaler.behavior->down.window_s = 0;
  world.scaler.put(autoscaler);
  world.replicas = 6;
  world.load = 50;
  const auto add_pod = [&world](int number) {
    ScaledPod pod;
    pod.namespace_name = "shop";
    pod.name = "web-" + std::to_string(number);
    pod.labels.set("app", "web");
    pod.phase = PodPhase::kRunning;
    pod.ready = ReadyState::kTrue;
    world.scaler.put(std::move(pod));
  };
  for (int i = 0; i < 4; ++i) add_pod(i);
  world.pass(40);
  CHECK(world.replicas == 6);
  CHECK(world.reports.back().is_frozen);
  CHECK(world.reports.back().why == "there are 6 pods, and 4 are known");
  add_pod(4);
  add_pod(5);
  world.pass(16);
  CHECK(world.replicas == 3);
}

TEST_CASE("scaler: two that use the same values ask for them once") {
  World world;
  Autoscaler one = object(), two = object();
  for (Autoscaler* autoscaler : {&one, &two}) {
    autoscaler->metrics.front().kind = MetricKind::kResource;
    autoscaler->metrics.front().name = "cpu";
  }
  two.name = "other";
  two.target.name = "other";
  ScalerOptions options;
  options.owns_objects = true;
  Scaler scaler(options);
  scaler.put(one);
  scaler.put(two);
  REQUIRE(scaler.advance(Nanos{0}, 0));
  for (const ScaleRead& read : scaler.take_scale_reads()) {
    ScaleReading reading = world.scale();
    reading.scale.name = read.target.name;
    scaler.answer(read.ticket, reading);
  }
  REQUIRE(scaler.advance(Nanos{0}, 0));
  const auto reads = scaler.take_metric_reads();
  REQUIRE(reads.size() == 1);
  CHECK(reads.front().source == MetricSource::kUsage);
  CHECK(reads.front().pods.empty());
}

// Replicas stay within their bounds; nothing is scaled down while a metric is missing; and within a
// window a direction changes at most once.
void play(std::uint64_t seed) {
  SplitMix dice(seed);
  ScalerOptions options;
  options.settings.max_age_s = 120;
  World world(options);
  Autoscaler autoscaler = short_one();
  autoscaler.min = 2;
  world.replicas = 4;
  world.scaler.put(autoscaler);
  std::vector<Nanos> turns;
  int direction = 0;
  for (int step = 0; step < 200; ++step) {
    if (dice.below(4) == 0) world.load = static_cast<std::int64_t>(dice.below(1'500));
    if (dice.below(10) == 0) world.has_source = !world.has_source;
    if (dice.below(20) == 0) world.age = static_cast<std::int64_t>(dice.below(240)) - 60;
    if (dice.below(30) == 0) world.date += static_cast<std::int64_t>(dice.below(8'000)) - 4'000;
    world.says = dice.below(8) == 0 ? ScaleAnswer::kUnknown : ScaleAnswer::kDone;
    const std::int32_t before = world.replicas;
    world.pass(static_cast<std::int64_t>(1 + dice.below(15)));
    CHECK(world.replicas >= 2);
    CHECK(world.replicas <= 10);
    const bool is_known = world.has_source && world.age <= 120 && world.age >= -15;
    if (!is_known) CHECK(world.replicas >= before);
    const int now = world.replicas > before ? 1 : world.replicas < before ? -1 : 0;
    if (now < 0 && direction > 0) turns.push_back(world.now);
    if (now != 0) direction = now;
  }
  for (std::size_t i = 1; i < turns.size(); ++i) CHECK(turns[i] - turns[i - 1] >= 285 * kSecond);
}

TEST_CASE("scaler: whatever happens, bounds hold and nothing is scaled down in the dark") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    play(seed);
  }
}

}  // namespace
}  // namespace gedge
