#include "gedge/scale/site_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"
#include "support/hot_spot.hpp"
#include "support/shelf_room.hpp"

namespace {

using namespace gedge;
using gedge::test::HotSpot;
using gedge::test::ShelfRoom;

constexpr std::int64_t kPod = 100'000, kBase = 500;

/// Out, up, over, and back in reverse, whatever comes: checked at every question.
class WatchedRoom final : public ShelfRoom {
 public:
  WatchedRoom(std::vector<Node> nodes, std::int64_t base, GrowRule up, std::size_t max)
      : ShelfRoom(std::move(nodes), base), up_(std::move(up)), max_(max) {}

  Result<bool> add(std::uint32_t replica, std::uint32_t site) override {
    if (site > 0) {
      CHECK_MESSAGE(!find(0), "over, and home has room");
      CHECK_MESSAGE(!may_grow(), "over, and a replica at home could grow");
    }
    auto held = ShelfRoom::add(replica, site);
    most = std::max(most, held_.size());
    CHECK(held_.size() <= max_);
    return held;
  }
  Result<bool> resize(std::uint32_t replica, std::int64_t amount) override {
    if (amount > held_.at(replica).amount) {
      CHECK_MESSAGE((!find(0) || held_.size() == max_), "up, and home has room");
      CHECK(amount <= up_.most);
    } else {
      CHECK_MESSAGE(count_far() == 0, "down before the far ones are back");
    }
    return ShelfRoom::resize(replica, amount);
  }
  void remove(std::uint32_t replica) override {
    if (nodes_[held_.at(replica).node].site == 0) {
      CHECK_MESSAGE(count_far() == 0, "in before the far ones are back");
      for (const auto& [id, held] : held_) CHECK_MESSAGE(held.amount <= base_, "in before down");
    } else {
      for (const auto& [id, held] : held_)
        CHECK_MESSAGE(nodes_[held.node].site <= nodes_[held_.at(replica).node].site,
                      "a near one leaves before a far one");
    }
    ShelfRoom::remove(replica);
  }

  std::size_t most = 0;

 private:
  bool may_grow() const {
    for (const auto& [id, held] : held_)
      if (nodes_[held.node].site == 0 && held.amount < up_.most &&
          std::min(up_.step, up_.most - held.amount) <= nodes_[held.node].free)
        return true;
    return false;
  }
  std::size_t count_far() const {
    std::size_t far = 0;
    for (const auto& [id, held] : held_) far += nodes_[held.node].site > 0 ? 1 : 0;
    return far;
  }
  GrowRule up_;
  std::size_t max_;
};

LoadSetting setting(std::int32_t max, bool cools_down) {
  MetricSpec metric;
  metric.kind = MetricKind::kPodMetric;
  metric.name = "requests";
  metric.target = TargetKind::kAverageValue;
  metric.amount = kPod;
  LoadSetting made;
  made.autoscaler.max = max;
  made.autoscaler.metrics.push_back(metric);
  SiteRules& sites = made.autoscaler.sites.emplace();
  sites.order = {"home", "near", "cloud"};
  sites.up = {"cpu", 250, 1'000};
  if (cools_down) made.cooldown.emplace();
  return made;
}

SiteStage stage() { return {{3, std::vector<Rtt>(9, Rtt{1'000})}, kBase}; }

bool grows(const SiteEffect& effect) { return effect.step < SiteStep::kBack; }

LoadSeries random_series(SplitMix& random) {
  LoadSeries series;
  std::int64_t level = 1 + static_cast<std::int64_t>(random.below(4));
  for (UnixSeconds at = 0; at < 3'600; at += 30) {
    if (random.below(8) == 0) level = static_cast<std::int64_t>(random.below(15));
    const auto noise = static_cast<std::int64_t>(random.below(kPod / 2));
    series.push_back({at, level * kPod + noise});
  }
  return series;
}

// The sum over any stretch of moves, as in SiteScaler.
void check_moves(const SitesOfRun& found, const SiteRules& rules) {
  std::vector<std::pair<UnixSeconds, bool>> moves;
  for (const SiteChange& change : found.changes) {
    const SiteStep step = change.effect.step;
    if (step != SiteStep::kOver && step != SiteStep::kBack) continue;
    if (moves.empty() || moves.back().first != change.at)
      moves.emplace_back(change.at, step == SiteStep::kBack);
  }
  CHECK(static_cast<std::size_t>(found.moves) == moves.size());
  const std::int64_t longest = std::max(rules.over_after_s, rules.return_after_s);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    std::int64_t bound = 0;
    for (std::size_t j = i; j < moves.size(); ++j) {
      bound += moves[j].second ? rules.return_after_s : rules.over_after_s;
      CHECK(bound <= moves[j].first - moves[i].first + longest);
    }
  }
}

TEST_CASE("sites: a thousand loads go out, up, over and back in reverse, never above max") {
  std::size_t ups = 0, overs = 0, backs = 0, full = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    SplitMix random(seed);
    const bool cools_down = seed % 2 == 0;
    const LoadSetting how = setting(6 + static_cast<std::int32_t>(random.below(8)), cools_down);
    WatchedRoom room({{0, 1'250 + 250 * static_cast<std::int64_t>(random.below(4))},
                      {0, 750},
                      {1, 1'500},
                      {2, 9'000}},
                     kBase, how.autoscaler.sites->up, static_cast<std::size_t>(how.autoscaler.max));
    const auto run = run_site_load(random_series(random), {}, how, {}, stage(), room);
    REQUIRE(run);
    REQUIRE(run->sites);
    CHECK(static_cast<std::size_t>(run->most) == room.most);
    CHECK(run->most <= how.autoscaler.max);
    full += run->most == how.autoscaler.max ? 1 : 0;
    check_moves(*run->sites, *how.autoscaler.sites);
    UnixSeconds grown = -10'000;
    for (const SiteChange& change : run->sites->changes) {
      ups += change.effect.step == SiteStep::kUp ? 1 : 0;
      overs += change.effect.step == SiteStep::kOver ? 1 : 0;
      backs += change.effect.step == SiteStep::kBack ? 1 : 0;
      if (grows(change.effect))
        grown = change.at;
      else if (cools_down)
        CHECK_MESSAGE(change.at - grown >= 300, "a flap, seed " << seed);
    }
  }
  CHECK(ups > 1'000);
  CHECK(overs > 1'000);
  CHECK(backs > 1'000);
  CHECK(full > 100);
}

TEST_CASE("sites: a spike of two minutes is answered within three, and left after five or more") {
  LoadSetting how = setting(8, true);
  ShelfRoom room({{0, 1'250}, {1, 1'500}, {2, 9'000}}, kBase);
  const LoadSeries spike{{0, kPod}, {600, 7 * kPod}, {720, kPod}, {2'400, kPod}, {2'430, kPod}};
  const auto run = run_site_load(spike, {}, how, {}, stage(), room);
  REQUIRE(run);
  const std::vector<SiteChange>& changes = run->sites->changes;
  std::string words;
  UnixSeconds out = 0, in = 0;
  for (const SiteChange& change : changes) {
    if (change.at == 0) continue;
    const std::string word(to_string(change.effect.step));
    if (!words.ends_with(word)) words += " " + word;
    if (grows(change.effect))
      out = std::max(out, change.at);
    else if (in == 0)
      in = change.at;
  }
  CHECK(words == " out up over back down in");
  CHECK(out >= 600);
  CHECK(out - 600 <= 180);
  CHECK(in - out >= 300);
  CHECK(run->sites->rest.size() == 1);
}

TEST_CASE("sites: demand from a place that nobody named is an error") {
  ShelfRoom room({{0, 5'000}}, kBase);
  LoadOrigins origins{{"nowhere"}, {{kPod}}};
  const auto run = run_site_load({{0, kPod}}, origins, setting(3, false), {}, stage(), room);
  REQUIRE_FALSE(run);
  CHECK(run.error().what.find("nowhere") != std::string::npos);
  LoadSetting how = setting(3, false);
  how.autoscaler.sites->choice = SiteChoice::kDemand;
  const SiteStage unknown{{3, std::vector<Rtt>(9, kUnmeasured)}, 0};
  CHECK_FALSE(run_site_load({{0, kPod}}, {}, how, {}, unknown, room));
}

TEST_CASE("sites: replicas that follow the demand are nearer to it than an even spread") {
  std::size_t better = 0;
  double nearer = 0, spread = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const HotSpot spot(seed);
    const LoadRun follows = spot.play(SiteChoice::kDemand);
    const LoadRun even = spot.play(SiteChoice::kSpread);
    CHECK(follows.replica_seconds == even.replica_seconds);
    CHECK(follows.most == even.most);
    nearer += follows.sites->users.mean().us;
    spread += even.sites->users.mean().us;
    better += follows.sites->users.quantile(0.95) < even.sites->users.quantile(0.95) ? 1 : 0;
  }
  CHECK(better >= 4);
  CHECK(nearer < 0.7 * spread);
}

}  // namespace
