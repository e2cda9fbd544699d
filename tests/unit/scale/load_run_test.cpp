#include "gedge/scale/load_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace {

using namespace gedge;

constexpr std::int64_t kPod = 100'000;  // of a pod, in thousandths

LoadSetting setting(std::int32_t min, std::int32_t max) {
  MetricSpec metric;
  metric.kind = MetricKind::kPodMetric;
  metric.name = "requests";
  metric.target = TargetKind::kAverageValue;
  metric.amount = kPod;
  LoadSetting made;
  made.name = "web";
  made.autoscaler.name = "web";
  made.autoscaler.min = min;
  made.autoscaler.max = max;
  made.autoscaler.metrics.push_back(metric);
  return made;
}

LoadRun play(const LoadSeries& series, const LoadSetting& how) {
  const auto run = run_load(series, how, {});
  REQUIRE(run);
  return *run;
}

// Two pods' worth, and eight for two minutes.
LoadSeries spike() {
  return {{0, 2 * kPod}, {600, 8 * kPod}, {720, 2 * kPod}, {1'800, 2 * kPod}, {1'830, 2 * kPod}};
}

// When the number of replicas changed, and to what.
std::vector<std::pair<UnixSeconds, std::int32_t>> changes(const LoadRun& run) {
  std::vector<std::pair<UnixSeconds, std::int32_t>> list;
  std::int32_t before = run.steps.front().replicas;
  for (const LoadStep& step : run.steps) {
    if (step.replicas != before) list.emplace_back(step.at, step.replicas);
    before = step.replicas;
  }
  return list;
}

TEST_CASE("a load that stays needs no change") {
  const LoadRun run = play({{0, 3 * kPod}, {600, 3 * kPod}}, setting(1, 10));
  CHECK(run.outs + run.ins == 0);
  CHECK(run.steps.front().replicas == 3);
  CHECK(run.end - run.begin == 1'200);
  CHECK(run.replica_seconds == 3 * 1'200);
  CHECK(run.short_seconds == 0);
  CHECK(run.reactions_s.empty());
}

TEST_CASE("a spike is answered at the next look, and its pods stay for five minutes") {
  LoadSetting how = setting(1, 20);
  how.startup_s = 20;
  const LoadRun run = play(spike(), how);
  const auto list = changes(run);
  REQUIRE(list.size() >= 3);
  CHECK(list[0].first == 600);
  CHECK_MESSAGE(list[0].second == 4, "no more than four at once from two");
  CHECK(list[1].second == 8);
  CHECK(list.back().second == 2);
  CHECK(list.back().first >= 720 + 300);
  REQUIRE(run.reactions_s.size() == 1);
  CHECK(run.short_seconds == run.reactions_s.front());
}

TEST_CASE("gs-engine: a spike of two minutes, out within three, in not before five") {
  LoadSetting how = setting(1, 20);
  how.cooldown.emplace();
  const auto list = changes(play(spike(), how));
  REQUIRE(list.size() == 2);
  CHECK(list[0].second == 8);
  CHECK(list[0].first - 600 <= 180);
  CHECK(list[1].second == 2);
  CHECK(list[1].first - list[0].first >= 300);
}

TEST_CASE("gs-engine: never two changes nearer than its periods, never beyond the bounds") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    SplitMix dice(seed);
    LoadSeries series;
    for (int i = 0; i < 120; ++i)
      series.push_back({60 * i, static_cast<std::int64_t>(dice.below(15)) * kPod});
    LoadSetting how = setting(2, 9);
    how.cooldown.emplace();
    how.startup_s = static_cast<std::int64_t>(dice.below(90));
    const LoadRun run = play(series, how);
    UnixSeconds last = 0;
    std::int32_t before = run.steps.front().replicas;
    for (const auto& change : changes(run)) {
      if (last != 0) CHECK(change.first - last >= (change.second > before ? 180 : 300));
      last = change.first;
      before = change.second;
    }
    CHECK(run.most <= 9);
    CHECK(run.fewest >= 2);
  }
}

TEST_CASE("the rules of an HPA keep bounds and windows on random loads") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    SplitMix dice(seed);
    LoadSeries series;
    for (int i = 0; i < 120; ++i)
      series.push_back({45 * i, static_cast<std::int64_t>(dice.below(15)) * kPod});
    LoadSetting how = setting(2, 9);
    if (seed % 2 == 1) how.autoscaler.behavior.emplace();
    const LoadRun run = play(series, how);
    CHECK(run.most <= 9);
    CHECK(run.fewest >= 2);
    // Nothing goes in within five minutes of having gone out.
    UnixSeconds out = -1'000;
    std::int32_t before = run.steps.front().replicas;
    for (const auto& change : changes(run)) {
      if (change.second > before) out = change.first;
      if (change.second < before) CHECK(change.first - out >= 285);
      before = change.second;
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < run.steps.size(); ++i)
      sum += run.steps[i].replicas *
             ((i + 1 < run.steps.size() ? run.steps[i + 1].at : run.end) - run.steps[i].at);
    CHECK(run.replica_seconds == sum);
  }
}

TEST_CASE("every kind of target ends at the pods that the load needs") {
  const LoadSeries rise{{0, kPod}, {300, 7 * kPod}, {2'000, 7 * kPod}, {2'100, 7 * kPod}};
  for (const MetricKind kind : {MetricKind::kPodMetric, MetricKind::kObject, MetricKind::kExternal})
    for (const TargetKind target : {TargetKind::kAverageValue, TargetKind::kValue}) {
      if (kind == MetricKind::kPodMetric && target == TargetKind::kValue) continue;
      LoadSetting how = setting(1, 20);
      how.autoscaler.metrics.front().kind = kind;
      how.autoscaler.metrics.front().target = target;
      CHECK(play(rise, how).steps.back().replicas == 7);
    }
  LoadSetting how = setting(1, 20);
  how.autoscaler.metrics.front() = {};
  how.autoscaler.metrics.front().name = "cpu";
  how.autoscaler.metrics.front().amount = 50;
  how.request_milli = 2 * kPod;
  CHECK(play(rise, how).steps.back().replicas == 7);
}

TEST_CASE("what cannot be played says why") {
  CHECK_FALSE(run_load({}, setting(1, 3), {}));
  LoadSetting two = setting(1, 3);
  two.autoscaler.metrics.push_back(two.autoscaler.metrics.front());
  CHECK_FALSE(run_load(spike(), two, {}));
  LoadSetting share = setting(1, 3);
  share.autoscaler.metrics.front().target = TargetKind::kUtilization;
  share.autoscaler.place = {0, 7, 3};
  const auto refused = run_load(spike(), share, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().where.line == 7);
  CHECK(refused.error().where.column == 3);
  const auto many = run_load(spike(), setting(1, 1'000'001), {});
  REQUIRE_FALSE(many);
  CHECK(many.error().what == "autoscaler 'web' may have 1000001 replicas");
  CHECK(run_load(spike(), setting(1, 1'000'000), {}));
  CHECK_FALSE(run_load({{0, 1}, {1'000'000'000'000, 1}}, setting(1, 3), {}));
}

}  // namespace
