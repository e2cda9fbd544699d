#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scaler.hpp"
#include "unit/control/scaler_turns.hpp"

namespace gedge {
namespace {

using Outcome = ScaleReport::Outcome;

struct Places final : SiteRoom {
  std::vector<std::int32_t> left;
  std::int64_t& asked;
  Places(std::vector<std::int32_t> places, std::int64_t& count)
      : left(std::move(places)), asked(count) {}
  Result<bool> add(std::uint32_t /*replica*/, std::uint32_t site) override {
    ++asked;
    return left[site] > 0 && left[site]-- > 0;
  }
  Result<bool> resize(std::uint32_t /*replica*/, std::int64_t /*amount*/) override { return false; }
  void remove(std::uint32_t /*replica*/) override {}
};

/// Two workloads that have what they are given, a pod for each replica that has a place, and a
/// source of their load.
struct World : ScalerTurns<World> {
  std::vector<std::int32_t> places{4, 4};
  std::string missing;  // workload
  bool has_source = true, has_room = true;
  std::vector<std::int64_t> from;  // [sites], of the load; empty: nobody says
  bool has_rtts = true;
  std::int32_t ready_far = 100;  // so many pods there answer
  std::int64_t asked = 0;        // of one replica each

  World() : ScalerTurns(options()) {}
  static Autoscaler web() {
    Autoscaler autoscaler = web_on_sites();
    SiteRules& sites = *autoscaler.sites;
    sites.over_after_s = 30;
    sites.return_after_s = 60;
    return autoscaler;
  }
  ScaleReading reading_of(const ScaleRead& read) const {
    ScaleReading reading = found(read.target.name);
    if (read.target.name == missing) reading.kind = ScaleReading::Kind::kMissing;
    reading.why = read.target.name + " not found";
    return reading;
  }
  void make_pods() {
    std::vector<PodName> names;
    std::size_t site = 0;
    for (const auto& [workload, count] : replicas) {
      for (std::int32_t i = 0; i < std::min(count, places[site]); ++i) {
        ScaledPod pod = pod_of(workload, i);
        if (workload == "web-far" && i >= ready_far) pod.ready = ReadyState::kFalse;
        names.push_back({pod.namespace_name, pod.name});
        scaler.put(std::move(pod));
      }
      ++site;
    }
    scaler.keep_pods(names);
  }
  SiteAnswer room() {
    SiteAnswer answer;
    answer.why = "503";
    if (!has_room) return answer;
    answer.room = std::make_unique<Places>(places, asked);
    const Rtt across = has_rtts ? Rtt{20'000} : kUnmeasured;
    answer.rtts = SiteRtts(2, {Rtt{1}, across, across, Rtt{1}});
    answer.costs = {{}, {{"shop", "web-far.0", "u", -7}}};
    return answer;
  }
  std::vector<ExternalMetric> values() const {
    if (from.empty()) return {{"load", {}, {load * 100'000, date, {}}}};
    std::vector<ExternalMetric> values;
    for (std::size_t site = 0; site < from.size(); ++site)
      values.push_back(
          {"load", {{"at", site == 0 ? "home" : "far"}}, {from[site] * 100'000, date, {}}});
    return values;
  }
  MetricReading metrics() const {
    MetricReading reading;
    reading.is_read = has_source;
    reading.why = "503";
    if (has_source) reading.values.external = values();
    return reading;
  }
  void take(const ScaleWrite& write) {
    writes.push_back(write);
    replicas[write.target.name] = write.replicas;
    scaler.answer(write.ticket, ScaleAnswer::kDone, "");
  }
  std::pair<std::int32_t, std::int32_t> there() const {
    return {replicas.at("web"), replicas.at("web-far")};
  }
};

using Both = std::pair<std::int32_t, std::int32_t>;

/// Of each change since so many reports.
std::vector<std::string> reasons(const World& world, std::size_t since) {
  std::vector<std::string> said;
  for (std::size_t i = since; i < world.reports.size(); ++i)
    if (world.reports[i].outcome == Outcome::kRescaled)
      said.push_back(change_reason(world.reports[i]));
  return said;
}

World running() {
  World world;
  world.scaler.put(World::web());
  world.pass(1);
  return world;
}

TEST_CASE(
    "scaler with sites: out, over, and back from there first, each through its own workload") {
  World world = running();
  CHECK(world.there() == Both{1, 0});
  CHECK_MESSAGE(world.questions == 0, "nothing was to be known");
  world.load = 6;
  world.pass(20);
  CHECK(world.there() == Both{4, 2});
  REQUIRE(world.writes.size() == 2);
  CHECK(world.writes[1].target.name == "web-far");
  CHECK(world.writes[1].uid == "web-far-uid");
  CHECK(world.writes[1].costs.empty());
  CHECK(std::any_of(world.reports.begin(), world.reports.end(), [](const ScaleReport& report) {
    return report.outcome == Outcome::kRescaled && report.target_uid == "web-far-uid" &&
           report.decision.replicas == 2;
  }));
  world.load = 3;
  world.pass(30);
  CHECK_MESSAGE((world.there() == Both{4, 2}), "they stay for a while");
  world.pass(60);
  CHECK(world.there() == Both{3, 0});
  REQUIRE(world.writes.size() == 4);
  CHECK(world.writes[2].target.name == "web-far");
  REQUIRE(world.writes[2].costs.size() == 1);
  CHECK(world.writes[2].costs.front().cost == -7);
  CHECK(world.writes[3].target.name == "web");
}

TEST_CASE("scaler with sites: nothing moves without the metric, a workload, or an answer") {
  World world = running();
  world.load = 6;
  world.pass(20);
  REQUIRE(world.there() == Both{4, 2});
  world.load = 1;
  world.has_source = false;
  world.places = {6, 4};
  world.pass(200);
  CHECK(world.there() == Both{4, 2});
  CHECK(world.scaler.frozen() == 1);
  world.places = {4, 4};
  world.has_source = true;
  world.missing = "web-far";
  world.pass(100);
  CHECK(world.there() == Both{4, 2});
  CHECK(world.reports.back().decision.step == ScaleStep::kNoTarget);
  CHECK(world.reports.back().why == "web-far not found");
  world.missing.clear();
  world.has_room = false;
  world.pass(100);
  CHECK(world.there() == Both{4, 2});
  CHECK(world.reports.back().outcome == Outcome::kNotRescaled);
  CHECK(world.reports.back().why.find("503") != std::string::npos);
  world.has_room = true;
  world.pass(100);
  CHECK(world.there() == Both{1, 0});
}

TEST_CASE("scaler with sites: what has no place is told, and taken up when there is one") {
  World world = running();
  world.places = {4, 0};
  world.load = 6;
  world.pass(20);
  CHECK(world.there() == Both{4, 0});
  CHECK(world.reports.back().without_place == 2);
  world.places = {4, 1};
  world.pass(40);
  CHECK(world.there() == Both{4, 1});
  CHECK(world.reports.back().without_place == 1);
}

TEST_CASE("scaler with sites: where home has room again, they come back") {
  World world = running();
  world.places = {2, 4};
  world.load = 4;
  world.pass(20);
  REQUIRE(world.there() == Both{2, 2});
  const std::vector<std::string> both(2, "query load above target");
  CHECK(reasons(world, 0) == both);
  const std::size_t known = world.reports.size();
  world.places = {4, 4};
  world.pass(150);
  CHECK(world.there() == Both{4, 0});
  const std::vector<std::string> back{
      "As many replicas as before, on other sites or of another size",  // two more at home
      "All metrics below target"};                                      // six are too many
  CHECK((reasons(world, known) == back));
}

TEST_CASE("scaler with sites: why one site changes is why the whole does") {
  ScaleReport report;
  report.autoscaler = World::web();
  const auto reason = [&report](std::int32_t from, std::int32_t to, std::int32_t whole) {
    report.decision.current = from;
    report.decision.replicas = to;
    report.whole = whole;
    return change_reason(report);
  };
  const std::string more = "query load above target", less = "All metrics below target",
                    moves = "As many replicas as before, on other sites or of another size";
  CHECK(reason(2, 3, 1) == more);
  CHECK(reason(3, 2, -1) == less);
  CHECK(reason(2, 3, 0) == moves);
  CHECK(reason(3, 2, 0) == moves);
  CHECK(reason(2, 3, -2) == moves);
  CHECK(reason(3, 2, 2) == moves);
  report.whole.reset();  // without sites
  report.decision.replicas = 9;
  CHECK(change_reason(report) == more);
  report.decision.replicas = 1;
  CHECK(change_reason(report) == less);
  report.size = {"cpu", 700, 800, {}, 700, {}};
  CHECK_MESSAGE((reason(5, 5, 1) == more), "larger ones that count for no more yet");
  report.size->to = 600;
  CHECK(reason(5, 5, -1) == less);
  CHECK(reason(5, 4, 0) == moves);
  report.size->undoes = "pod a has no node";
  CHECK(reason(5, 4, 0) == "pod a has no node");
}

TEST_CASE("scaler with sites: a look that changes nothing is over at once") {
  World world = running();
  world.places = {1, 0};
  world.load = 3;
  world.pass(20);
  const auto next = world.scaler.next();
  REQUIRE(next);
  CHECK(*next > world.now);
  CHECK(*next <= world.now + 15 * kSecond);
  CHECK(world.scaler.is_settled());
}

TEST_CASE("scaler with sites: a look that has just been answered is gone on with now") {
  Scaler scaler(World::options());
  World world;
  scaler.put(World::web());
  const Nanos now{5 * kSecond};
  REQUIRE(scaler.advance(now, 100));
  for (const ScaleRead& read : scaler.take_scale_reads())
    scaler.answer(read.ticket, world.reading_of(read));
  REQUIRE(scaler.advance(now, 100));
  for (const MetricRead& read : scaler.take_metric_reads()) {
    MetricReading reading;
    reading.is_read = true;
    reading.values.external.push_back({"load", {}, {300'000, 100, {}}});
    scaler.answer(read.ticket, reading);
  }
  REQUIRE(scaler.advance(now, 100));
  const auto questions = scaler.take_site_questions();
  REQUIRE(questions.size() == 1);
  CHECK(questions.front().targets.size() == 2);
  CHECK_FALSE(scaler.next());
  scaler.answer(questions.front().ticket, SiteAnswer{});
  REQUIRE(scaler.next());
  CHECK(*scaler.next() <= now);
}

TEST_CASE(
    "scaler with sites: who changes a far workload is yielded to, and far ones stay at first") {
  World world;
  world.replicas = {{"web", 2}, {"web-far", 2}};
  world.load = 2;
  world.scaler.put(World::web());
  world.pass(45);
  CHECK_MESSAGE((world.there() == Both{2, 2}), "nobody knows when they went there");
  world.replicas["web-far"] = 3;
  world.pass(45);
  CHECK_MESSAGE((world.there() == Both{2, 3}), "somebody else changes it");
  world.pass(90);
  CHECK(world.there() == Both{2, 0});
}

TEST_CASE("scaler with sites: as many as nobody can have written in earnest leave as others do") {
  World world;
  world.replicas = {{"web", std::numeric_limits<std::int32_t>::max()},
                    {"web-far", std::numeric_limits<std::int32_t>::max()}};
  world.places = {4, 40};
  world.load = 2;
  world.scaler.put(World::web());
  world.pass(20);
  CHECK_MESSAGE(world.there().second > 40, "nobody knows when they went there");
  world.pass(60);
  CHECK_MESSAGE((world.there() == Both{4, 6}), "first as many as may be");
  world.pass(60);
  CHECK(world.there() == Both{2, 0});
  CHECK(world.asked < 1'000);
}

World asked_from(std::vector<std::int64_t> from) {
  World world;
  Autoscaler web = World::web();
  web.sites->choice = SiteChoice::kDemand;
  web.sites->demand_label = "at";
  world.scaler.put(std::move(web));
  world.from = std::move(from);
  return world;
}

TEST_CASE("scaler with sites: by demand they come where those are who ask, and move with them") {
  World world = asked_from({1, 3});
  world.pass(20);
  CHECK(world.there() == Both{1, 3});
  world.from = {3, 1};
  world.pass(50);
  CHECK_MESSAGE((world.there() == Both{1, 3}), "they stay for a while");
  for (int i = 0; i < 200; ++i) {
    world.pass(1);
    CHECK(world.there().first + world.there().second >= 4);
  }
  CHECK(world.there() == Both{3, 1});
  world.from = {1, 1};
  world.pass(20);
  CHECK(world.there() == Both{1, 1});
}

TEST_CASE("scaler with sites: who moves is there before it leaves, and does not where it is busy") {
  World world = asked_from({4, 0});
  world.pass(20);
  REQUIRE(world.there() == Both{4, 0});
  world.ready_far = 0;
  world.from = {3, 1};
  world.pass(120);
  CHECK_MESSAGE((world.there() == Both{4, 1}), "the one that came does not answer yet");
  SUBCASE("it answers") {
    world.ready_far = 100;
    world.pass(30);
    CHECK(world.there() == Both{3, 1});
  }
  SUBCASE("there is work for all of them") {
    world.ready_far = 100;
    world.from = {4, 1};
    world.pass(60);
    CHECK(world.there() == Both{4, 1});
  }
  SUBCASE("somebody else has changed one") {
    world.replicas["web-far"] = 2;
    world.pass(30);
    CHECK(world.there() == Both{4, 2});
  }
}

TEST_CASE("scaler with sites: at max they move at once, and never beyond it") {
  World world = asked_from({10, 0});
  world.places = {10, 10};
  world.pass(20);
  REQUIRE(world.there() == Both{10, 0});
  world.from = {0, 10};
  for (int i = 0; i < 600; ++i) {
    world.pass(1);
    CHECK(world.there().first + world.there().second == 10);
  }
  CHECK_MESSAGE((world.there() == Both{2, 8}), "each takes a quarter more than its target");
}

TEST_CASE("scaler with sites: by demand nothing moves where nobody says where it is, or how far") {
  World world = asked_from({});
  world.load = 3;
  world.pass(20);
  CHECK(world.there() == Both{1, 0});
  CHECK(world.reports.back().outcome == Outcome::kNotRescaled);
  CHECK(world.reports.back().why.find("no value says by its label 'at'") != std::string::npos);
  CHECK(world.questions == 0);
  world.from = {0, 3};
  world.has_rtts = false;
  world.pass(20);
  CHECK(world.there() == Both{1, 0});
  CHECK(world.reports.back().why.find("not all RTTs") != std::string::npos);
  world.has_rtts = true;
  world.pass(20);
  CHECK(world.there().second >= 2);
}

}  // namespace
}  // namespace gedge
