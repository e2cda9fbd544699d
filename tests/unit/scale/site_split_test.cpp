#include "gedge/scale/site_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace {

using namespace gedge;

/// So many places on each site.
struct Places final : SiteRoom {
  std::vector<std::int32_t> left;
  std::map<std::uint32_t, std::uint32_t> held;
  int asked = 0;

  explicit Places(std::vector<std::int32_t> places) : left(std::move(places)) {}
  Result<bool> add(std::uint32_t replica, std::uint32_t site) override {
    ++asked;
    if (left[site] == 0) return false;
    --left[site];
    held.emplace(replica, site);
    return true;
  }
  Result<bool> resize(std::uint32_t /*replica*/, std::int64_t /*amount*/) override { return false; }
  void remove(std::uint32_t replica) override {
    ++left[held.at(replica)];
    held.erase(replica);
  }
};

Autoscaler web(std::size_t sites) {
  Autoscaler made;
  made.target = {"apps/v1", "Deployment", "web"};
  made.max = 10;
  SiteRules& rules = made.sites.emplace();
  rules.over_after_s = 60;
  rules.return_after_s = 300;
  for (std::size_t site = 0; site < sites; ++site) {
    rules.order.push_back("s" + std::to_string(site));
    rules.workloads.push_back(site == 0 ? "" : "web-" + std::to_string(site));
  }
  return made;
}

SiteSplit split(const Autoscaler& of, std::vector<std::int32_t> places,
                const std::vector<SiteCount>& sites, std::int32_t wanted,
                std::optional<UnixSeconds> moved = {}, UnixSeconds now = 1'000) {
  Places room(std::move(places));
  const std::size_t count = of.sites->order.size();
  auto made = split_replicas(
      {*of.sites, SiteRtts(count, std::vector<Rtt>(count * count, Rtt{1})), of.max, 0}, sites,
      {wanted, now, {}, 1}, moved, room);
  REQUIRE(made);
  return *made;
}

using Counts = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("site split: each site has a workload, and home's is the target") {
  const std::vector<ObjectName> names = site_workloads(web(3));
  REQUIRE(names.size() == 3);
  CHECK(names[0].name == "web");
  CHECK(names[2] == ObjectName{"apps/v1", "Deployment", "web-2"});
}

TEST_CASE("site split: out at home as far as there is room, the rest over") {
  const SiteSplit made = split(web(2), {4, 9}, {{1, 1}, {0, 0}}, 6);
  CHECK(made.replicas == Counts{4, 2});
  CHECK(made.moved == 1'000);
  CHECK(made.without_place == 0);
}

TEST_CASE("site split: no sooner over than the rules say, and what found no place is told") {
  const SiteSplit made = split(web(2), {4, 9}, {{1, 1}, {0, 0}}, 6, 941);
  CHECK(made.replicas == Counts{4, 0});
  CHECK(made.without_place == 2);
  CHECK(split(web(2), {4, 9}, {{1, 1}, {0, 0}}, 6, 940).replicas == Counts{4, 2});
}

TEST_CASE("site split: far ones leave first") {
  CHECK(split(web(3), {4, 2, 2}, {{4, 4}, {2, 2}, {1, 1}}, 5, 0).replicas == Counts{4, 1, 0});
  CHECK(split(web(3), {4, 2, 2}, {{4, 4}, {2, 2}, {1, 1}}, 3, 0).replicas == Counts{3, 0, 0});
  CHECK_MESSAGE(
      (split(web(3), {4, 2, 2}, {{4, 4}, {2, 2}, {1, 1}}, 5, 800).replicas == Counts{4, 2, 1}),
      "not so soon after the last move");
}

TEST_CASE("site split: who waits without a place is stood in for, and stays where nobody does") {
  // Home lost a node: two of four have no place.
  CHECK(split(web(2), {2, 9}, {{4, 2}, {0, 0}}, 4).replicas == Counts{2, 2});
  const SiteSplit none = split(web(2), {2, 0}, {{4, 2}, {0, 0}}, 4);
  CHECK(none.replicas == Counts{4, 0});
  CHECK(none.without_place == 2);
  CHECK(split(web(2), {2, 1}, {{4, 2}, {0, 0}}, 4).replicas == Counts{3, 1});
}

TEST_CASE("site split: of far more than are wanted, only those are asked for that could stay") {
  constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max();
  /// Asked more often, it says so.
  struct Few final : SiteRoom {
    Places places;
    explicit Few(std::vector<std::int32_t> left) : places(std::move(left)) {}
    Result<bool> add(std::uint32_t replica, std::uint32_t site) override {
      if (places.asked > 100) return invalid_input("too many questions");
      return places.add(replica, site);
    }
    Result<bool> resize(std::uint32_t /*replica*/, std::int64_t /*amount*/) override {
      return false;
    }
    void remove(std::uint32_t replica) override { places.remove(replica); }
  };
  const Autoscaler of = web(2);
  SiteScalerOptions options{*of.sites, SiteRtts(2, std::vector<Rtt>(4, Rtt{1})), of.max, 0};
  std::vector<SiteCount> sites{{kAny, 4}, {kAny, 4}};
  std::optional<UnixSeconds> moved;
  Counts expected{3, 0}, places{4, 40};
  SUBCASE("there is room") {}
  SUBCASE("there is room for some of them") {
    places = {2, 40};
    expected = {2, 1};
  }
  SUBCASE("there are as many of them as of the least") {
    options.min = 40;
    places = {60, 40};
    expected = {40, 0};
  }
  SUBCASE("those that are far stay for a while, and so do all that can") {
    moved = 999;
    places = {2, 40};
    expected = {2, kAny};
  }
  SUBCASE("none leaves") {
    options.none_leaves = true;
    expected = {kAny, kAny};
  }
  SUBCASE("by demand") {
    options.rules.choice = SiteChoice::kSpread;
    expected = {2, 1};
  }
  Few room(places);
  const auto made = split_replicas(options, sites, {3, 1'000, {}, 1}, moved, room);
  REQUIRE_MESSAGE(made, made.error().what);
  CHECK(made->replicas == expected);
}

TEST_CASE("site split: nobody is asked where nothing can change") {
  const SiteRules rules = *web(2).sites;
  const std::vector<SiteCount> at_home{{3, 3}, {0, 0}}, over{{3, 3}, {2, 2}}, waits{{3, 2}, {0, 0}};
  CHECK_FALSE(needs_split(rules, at_home, 3, 0, 1'000));
  CHECK(needs_split(rules, at_home, 4, 0, 1'000));
  CHECK(needs_split(rules, waits, 3, 0, 1'000));
  CHECK(needs_split(rules, over, 5, 700, 1'000));
  CHECK_FALSE(needs_split(rules, over, 5, 701, 1'000));
}

TEST_CASE("site split: who is nearer to those who ask costs more to lose") {
  CHECK(*deletion_cost(Rtt{30'000}) < *deletion_cost(Rtt{20'000}));
  CHECK(*deletion_cost(kMaxRtt) < 0);
  CHECK_FALSE(deletion_cost(kUnmeasured));
}

// Look after look from what runs alone, places that come and go, pods that take their time.
TEST_CASE("site split: a thousand series keep the maximum, the order and the bound of moves") {
  std::int64_t far_looks = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    SplitMix random(seed);
    const Autoscaler of = web(2 + random.below(2));
    const std::size_t count = of.sites->order.size();
    std::vector<SiteCount> sites(count);
    Counts places(count, 4);
    std::optional<UnixSeconds> moved;
    std::int64_t overs = 0, backs = 0;
    UnixSeconds now = 0;
    std::int32_t wanted = 1;
    for (int look = 0; look < 120; ++look, now += 15) {
      if (random.below(4) == 0) wanted = static_cast<std::int32_t>(random.below(13));
      if (random.below(8) == 0) places[0] = static_cast<std::int32_t>(random.below(7));
      CAPTURE(seed);
      CAPTURE(look);
      if (!needs_split(*of.sites, sites, wanted, moved, now)) continue;
      // Who runs keeps its place.
      Counts room = places;
      for (std::size_t site = 0; site < count; ++site)
        room[site] = std::max(room[site], sites[site].ready);
      const SiteSplit made = split(of, room, sites, wanted, moved, now);
      const std::int32_t before = std::accumulate(
          sites.begin(), sites.end(), 0,
          [](std::int32_t sum, const SiteCount& one) { return sum + one.replicas; });
      const std::int32_t after = std::accumulate(made.replicas.begin(), made.replicas.end(), 0);
      CHECK(after <= std::max(of.max, before));
      bool is_over = false, is_back = false;
      for (const SiteEffect& effect : made.effects) {
        is_over = is_over || effect.step == SiteStep::kOver;
        is_back = is_back || effect.step == SiteStep::kBack;
        if (effect.step == SiteStep::kIn) CHECK(made.replicas[0] == after);
      }
      overs += is_over && !is_back ? 1 : 0;
      backs += is_back ? 1 : 0;
      moved = made.moved;
      for (std::size_t site = 0; site < count; ++site) {
        far_looks += site > 0 && made.replicas[site] > 0 ? 1 : 0;
        const std::int32_t kept = std::min(sites[site].ready, made.replicas[site]);
        const std::int32_t fits = std::min(made.replicas[site], room[site]);
        sites[site] = {made.replicas[site],
                       random.below(3) == 0 ? std::max(kept, fits) : std::min(kept, fits)};
      }
    }
    const SiteRules& rules = *of.sites;
    CHECK(rules.over_after_s * overs + rules.return_after_s * backs <=
          now + std::max(rules.over_after_s, rules.return_after_s));
  }
  CHECK(far_looks > 1'000);
}
