// Replicas of home that grow as one: SiteScalerOptions::home, by split_replicas().
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
#include "gedge/scale/site_split.hpp"

namespace {

using namespace gedge;

constexpr std::int64_t kBase = 500;

/// Home has nodes with so much each; far away are so many places.
struct Room final : SiteRoom {
  std::vector<std::int64_t> nodes;
  std::int32_t far;
  std::int64_t size;  // of who comes at home
  struct Held {
    std::optional<std::size_t> node;
    std::int64_t amount = 0;
  };
  std::map<std::uint32_t, Held> held;

  Room(std::vector<std::int64_t> home, std::int32_t places, std::int64_t each)
      : nodes(std::move(home)), far(places), size(each) {}
  Result<bool> add(std::uint32_t replica, std::uint32_t site) override {
    if (site > 0) {
      if (far == 0) return false;
      --far;
      held[replica] = {};
      return true;
    }
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      if (nodes[node] < size) continue;
      nodes[node] -= size;
      held[replica] = {node, size};
      return true;
    }
    return false;
  }
  Result<bool> resize(std::uint32_t replica, std::int64_t amount) override {
    Held& one = held.at(replica);
    const std::int64_t more = amount - one.amount;
    if (nodes[*one.node] < more) return false;
    nodes[*one.node] -= more;
    one.amount = amount;
    return true;
  }
  void remove(std::uint32_t replica) override {
    const Held gone = held.at(replica);
    if (gone.node)
      nodes[*gone.node] += gone.amount;
    else
      ++far;
    held.erase(replica);
  }
};

SiteScalerOptions two_sites(std::int64_t home) {
  SiteScalerOptions options;
  options.rules.order = {"home", "far"};
  options.rules.up = {"cpu", 250, 1'000, ResizeWay::kTemplate};
  options.rtts = SiteRtts(2, std::vector<Rtt>(4, Rtt{1}));
  options.max = 10;
  options.base = kBase;
  options.home = home;
  return options;
}

SiteSplit split(SiteScalerOptions options, Room& room, const std::vector<SiteCount>& sites,
                std::int32_t wanted, UnixSeconds now = 1'000,
                std::optional<UnixSeconds> moved = {}) {
  auto made = split_replicas(std::move(options), sites, {wanted, now, {}, 1}, moved, room);
  REQUIRE(made);
  return *std::move(made);
}

using Counts = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("site growth: out while there is room, then all at home are larger, then over") {
  // Three places of a base at home, each with as much again.
  Room room({1'000, 1'000, 999}, 9, kBase);
  const SiteSplit out = split(two_sites(kBase), room, {{1, 1}, {0, 0}}, 5);
  CHECK_MESSAGE((out.replicas == Counts{5, 0}), "two on each of two nodes, one on the third");
  Room full({1'000, 1'000}, 9, 600);
  SiteScalerOptions grown = two_sites(600);
  grown.rules.up = {"cpu", 200, 1'000, ResizeWay::kTemplate};
  const SiteSplit up = split(grown, full, {{2, 2}, {0, 0}}, 4);
  CHECK(up.replicas == Counts{2, 0});
  CHECK_MESSAGE(up.home == 1'000, "2 of 600 are 2.4 units, 2 of 1000 are 4");
  CHECK(up.effects.size() == 4);
  CHECK_FALSE(up.moved);
  Room again({1'000, 1'000}, 9, 600);
  const SiteSplit over = split(grown, again, {{2, 2}, {0, 0}}, 5);
  CHECK(over.home == 1'000);
  CHECK(over.replicas == Counts{2, 1});
  CHECK(over.moved == 1'000);
}

TEST_CASE("site growth: where one of them cannot, none does, and the room is as before") {
  Room room({750, 500}, 9, kBase);
  const SiteSplit made = split(two_sites(kBase), room, {{2, 2}, {0, 0}}, 3);
  CHECK(made.replicas == Counts{2, 1});
  CHECK(made.home == kBase);
  CHECK(room.nodes == std::vector<std::int64_t>{250, 0});
  CHECK(std::none_of(made.effects.begin(), made.effects.end(),
                     [](const SiteEffect& effect) { return effect.step == SiteStep::kUp; }));
}

TEST_CASE("site growth: back in reverse: far ones, then smaller, then fewer") {
  Room room({1'000, 1'000, 1'000}, 9, 1'000);
  const SiteSplit back = split(two_sites(1'000), room, {{3, 3}, {1, 1}}, 6, 1'000, 0);
  CHECK(back.replicas == Counts{3, 0});
  CHECK(back.home == 1'000);
  const auto down = [](std::int32_t wanted) {
    Room of({1'000, 1'000, 1'000}, 9, 1'000);
    return split(two_sites(1'000), of, {{3, 3}, {0, 0}}, wanted);
  };
  CHECK_MESSAGE(down(5).home == 1'000, "three of 750 are 4.5");
  CHECK(down(4).home == 750);
  CHECK(down(3).home == kBase);
  CHECK(down(3).replicas == Counts{3, 0});
  CHECK(down(1).home == kBase);
  CHECK_MESSAGE((down(1).replicas == Counts{1, 0}), "the rest of them when they are as declared");
}

TEST_CASE("site growth: none shrinks below what it must have, and then they leave") {
  SiteScalerOptions options = two_sites(1'000);
  options.least = 600;
  const auto down = [&](std::int32_t wanted) {
    Room of({1'000, 1'000, 1'000}, 9, 1'000);
    return split(options, of, {{3, 3}, {0, 0}}, wanted);
  };
  CHECK(down(4).home == 750);
  CHECK(down(3).home == 600);
  CHECK(down(3).replicas == Counts{3, 0});
  CHECK(down(2).replicas == Counts{2, 0});
  CHECK(down(2).home == 600);
}

TEST_CASE("site growth: while they keep their size, others come elsewhere, and none leaves") {
  SiteScalerOptions options = two_sites(750);
  options.keeps_size = options.none_leaves = true;
  Room room({1'000, 1'000}, 9, 750);
  const SiteSplit over = split(options, room, {{2, 2}, {0, 0}}, 4);
  CHECK(over.home == 750);
  CHECK(over.replicas == Counts{2, 1});
  Room again({1'000, 1'000}, 9, 750);
  const SiteSplit less = split(options, again, {{2, 2}, {0, 0}}, 1);
  CHECK(less.home == 750);
  CHECK(less.replicas == Counts{2, 0});
}

TEST_CASE("site growth: where none may leave, those that are far stay, whatever fits at home") {
  SiteScalerOptions options = two_sites(kBase);
  options.keeps_size = options.none_leaves = true;
  Room room({1'000, 1'000}, 9, kBase);
  const SiteSplit stays = split(options, room, {{2, 2}, {1, 1}}, 3, 1'000, 0);
  CHECK(stays.replicas == Counts{2, 1});
  CHECK(stays.effects.empty());
  Room again({1'000, 1'000}, 9, kBase);
  CHECK(split(options, again, {{2, 2}, {1, 1}}, 1, 1'000, 0).replicas == Counts{2, 1});
  Room little({kBase}, 9, kBase);
  const SiteSplit waits = split(options, little, {{3, 1}, {0, 0}}, 1);
  CHECK_MESSAGE((waits.replicas == Counts{3, 0}), "who waits without a place stays, too");
  Room less({kBase}, 9, kBase);
  const SiteSplit instead = split(options, less, {{3, 1}, {0, 0}}, 3);
  CHECK_MESSAGE((instead.replicas == Counts{1, 2}), "unless others stand in for them");
}

TEST_CASE("site growth: larger ones that cannot shrink leave, where the rest is enough") {
  SiteScalerOptions options = two_sites(1'000);
  options.keeps_size = true;
  const auto in = [&](std::int32_t wanted) {
    Room room({1'000, 1'000, 1'000}, 9, 1'000);
    return split(options, room, {{3, 3}, {0, 0}}, wanted);
  };
  CHECK(in(5).replicas == Counts{3, 0});
  CHECK(in(4).replicas == Counts{2, 0});
  CHECK(in(3).replicas == Counts{2, 0});
  CHECK(in(1).replicas == Counts{1, 0});
  CHECK(in(1).home == 1'000);
}

TEST_CASE("site growth: a larger one is as many as were declared, of the most, too") {
  SiteScalerOptions grown = two_sites(kBase);
  grown.max = 5;
  Room up({750, 750, 750}, 9, kBase);
  const SiteSplit five = split(grown, up, {{3, 3}, {0, 0}}, 5);
  CHECK_MESSAGE(five.home == 750, "three of 1000 were six");
  CHECK_MESSAGE((five.replicas == Counts{3, 0}), "3 * 1.5 + 1 is more than 5");
  CHECK(five.without_place == 0);
  grown.home = 1'000;
  Room larger({1'000, 1'000, 1'000}, 9, 1'000);
  const SiteSplit over = split(grown, larger, {{2, 2}, {0, 0}}, 5);
  CHECK_MESSAGE((over.replicas == Counts{2, 1}), "a third of 1000 at home were six");
}

TEST_CASE("site growth: at the most, as many that are far leave as one that comes stands in for") {
  SiteScalerOptions options = two_sites(1'000);
  options.max = 4;
  Room room({1'000, 1'000}, 9, 1'000);
  const SiteSplit swapped = split(options, room, {{1, 1}, {2, 2}}, 4, 1'000, 0);
  CHECK(swapped.replicas == Counts{2, 0});
  CHECK(swapped.moved == 1'000);
  options.max = 3;
  Room again({1'000, 1'000}, 9, 1'000);
  const SiteSplit kept = split(options, again, {{1, 1}, {1, 1}}, 3, 1'000, 0);
  CHECK_MESSAGE((kept.replicas == Counts{1, 1}), "a second one would be one too many");
  options = two_sites(750);
  options.max = 5;
  Room grows({1'000, 1'000}, 9, 750);
  const SiteSplit grown = split(options, grows, {{2, 2}, {2, 2}}, 5, 1'000, 0);
  CHECK(grown.replicas == Counts{2, 1});
  CHECK(grown.home == 1'000);
}

TEST_CASE("site growth: at the most, those at home grow as far as some that are far can leave") {
  SiteScalerOptions options = two_sites(1'000);
  options.base = 1'000;
  options.rules.up = {"cpu", 250, 1'500, ResizeWay::kTemplate};
  const std::vector<SiteCount> sites{{6, 6}, {4, 4}};
  Room narrow(std::vector<std::int64_t>(6, 1'499), 9, 1'000);
  const SiteSplit kept = split(options, narrow, sites, 10, 1'000, 0);
  CHECK_MESSAGE(kept.home == 1'000, "at 1250, 6 * 1.25 + 3 are more than 10, and with 2 too few");
  CHECK(kept.replicas == Counts{6, 4});
  CHECK(kept.effects.empty());
  CHECK(narrow.nodes == std::vector<std::int64_t>(6, 499));
  Room wide(std::vector<std::int64_t>(6, 1'500), 9, 1'000);
  const SiteSplit home = split(options, wide, sites, 10, 1'000, 0);
  CHECK(home.home == 1'500);
  CHECK(home.replicas == Counts{6, 1});
}

TEST_CASE("site growth: what amounts to enough together is not rounded one by one") {
  SiteScalerOptions options = two_sites(400);
  options.base = 300;
  Room room({400, 400, 400}, 9, 400);
  const SiteSplit enough = split(options, room, {{3, 3}, {0, 0}}, 4);
  CHECK_MESSAGE((enough.replicas == Counts{3, 0}), "three of 4/3 are four");
  CHECK(enough.home == 400);
  CHECK(enough.without_place == 0);
  Room wide({500, 500, 500}, 9, 300);
  options.home = 300;
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  options.rules.up = {"cpu", kAny, 500, ResizeWay::kTemplate};
  CHECK_MESSAGE(split(options, wide, {{3, 3}, {0, 0}}, 5).home == 500, "in one step");
}

TEST_CASE("site growth: who waits without a place is not counted, and is as large as the others") {
  Room room({1'000}, 1, 1'000);
  const SiteSplit made = split(two_sites(1'000), room, {{3, 1}, {0, 0}}, 6);
  CHECK_MESSAGE((made.replicas == Counts{3, 1}), "one has a place, another is far, two wait");
  CHECK(made.without_place == 3);
}

TEST_CASE("site growth: those that are smaller grow to what the others have, or each stays so") {
  const SiteScalerOptions options = two_sites(750);
  const std::vector<SiteCount> sites{{2, 2, {kBase, 750}}, {0, 0}};
  Room room({900, 750}, 9, kBase);  // those that come are as declared
  const SiteSplit even = split(options, room, sites, 3);
  CHECK(even.home == 750);
  CHECK(even.replicas == Counts{2, 0});
  Room full({900, 600}, 9, kBase);
  const SiteSplit stays = split(options, full, sites, 3);
  CHECK_FALSE(stays.evens_out);
  CHECK(stays.home == 750);
  CHECK_MESSAGE((stays.replicas == Counts{2, 1}), "2.5 are too few for 3");
  Room again({900, 600}, 9, kBase);
  const SiteSplit less = split(options, again, sites, 2);
  CHECK_MESSAGE(less.home == kBase, "the larger one shrinks where it is not needed");
  CHECK(less.replicas == Counts{2, 0});
}

TEST_CASE("site growth: one of ten that has no room to grow makes none of the others smaller") {
  std::vector<std::int64_t> nodes(10, 750), sizes(10, 750);
  nodes.front() = 600;
  sizes.front() = kBase;
  SiteScalerOptions options = two_sites(750);
  options.max = 20;
  Room room(nodes, 9, kBase);
  const SiteSplit made = split(options, room, {{10, 10, sizes}, {0, 0}}, 15);
  CHECK_FALSE(made.evens_out);
  CHECK(made.home == 750);
  CHECK_MESSAGE((made.replicas == Counts{10, 1}), "14.5 are too few for 15");
  CHECK(std::none_of(made.effects.begin(), made.effects.end(),
                     [](const SiteEffect& effect) { return effect.step == SiteStep::kDown; }));
}

TEST_CASE("site growth: none leaves for one that is to be larger, and is not yet") {
  Room room({750, 750}, 9, kBase);
  const std::vector<SiteCount> sites{{2, 2, {kBase, 750}}, {1, 1}};
  const SiteSplit made = split(two_sites(750), room, sites, 3, 1'000, 0);
  CHECK(made.home == 750);
  CHECK(made.replicas == Counts{2, 1});
  Room then({750, 750}, 9, kBase);
  const std::vector<SiteCount> grown{{2, 2, {750, 750}}, {1, 1}};
  CHECK(split(two_sites(750), then, grown, 3, 1'000, 0).replicas == Counts{2, 0});
}

TEST_CASE("site growth: where they keep their size, each counts as it is") {
  SiteScalerOptions options = two_sites(750);
  options.keeps_size = true;
  options.rules.up.way = ResizeWay::kInPlace;
  Room room({750, 750}, 9, kBase);
  const SiteSplit over = split(options, room, {{2, 2, {kBase, 750}}, {0, 0}}, 3);
  CHECK_MESSAGE((over.replicas == Counts{2, 1}), "2.5 are too few for three");
  CHECK(over.home == 750);
  Room next({750, 750, 600}, 9, kBase);
  const SiteSplit out = split(options, next, {{2, 2, {750, 750}}, {0, 0}}, 4);
  CHECK_MESSAGE((out.replicas == Counts{3, 0}), "who comes is as it was declared");
}

TEST_CASE("site growth: who comes to larger ones is as large, or does not come") {
  Room room({750, 750, 600}, 9, kBase);
  const SiteSplit made = split(two_sites(750), room, {{1, 1}, {0, 0}}, 4);
  CHECK(made.home == 750);
  CHECK_MESSAGE((made.replicas == Counts{2, 1}), "the third node has no 750");
}

TEST_CASE("site growth: without replicas at home nothing grows, and what is grown shrinks") {
  Room room({0}, 9, kBase);
  CHECK(split(two_sites(kBase), room, {{0, 0}, {0, 0}}, 2).home == kBase);
  Room none({0}, 9, 750);
  CHECK(split(two_sites(750), none, {{0, 0}, {0, 0}}, 0).home == kBase);
}

TEST_CASE(
    "site growth: the least is a number of replicas, none of which another one stands in for") {
  SiteScalerOptions options = two_sites(kBase);
  options.min = 3;
  Room narrow({1'000}, 9, 600);
  const SiteSplit over = split(options, narrow, {{1, 1}, {0, 0}}, 3);
  CHECK(over.replicas == Counts{1, 2});
  CHECK(over.home == kBase);
  Room none({1'000}, 0, 600);
  const SiteSplit waits = split(options, none, {{2, 1}, {0, 0}}, 3);
  CHECK_MESSAGE((waits.replicas == Counts{2, 0}), "who waits stays");
  CHECK(waits.without_place == 2);
  CHECK(waits.home == kBase);
  options.home = 1'000;
  options.keeps_size = true;
  Room large({1'000, 1'000, 1'000}, 9, 1'000);
  CHECK(split(options, large, {{3, 3}, {0, 0}}, 3).replicas == Counts{3, 0});
  options.keeps_size = false;
  options.max = 3;
  Room whole({1'000, 1'000, 1'000}, 9, 1'000);
  const SiteSplit more = split(options, whole, {{2, 2}, {0, 0}}, 3);
  CHECK_MESSAGE((more.replicas == Counts{3, 0}), "by their size, two of them are the most");
}

TEST_CASE("site growth: those that the least lacks have no place: the others grow for the rest") {
  const std::vector<SiteCount> two{{2, 2}, {0, 0}};
  const auto at = [&](std::int64_t home, std::int32_t wanted, std::int32_t far,
                      std::optional<UnixSeconds> moved = {}) {
    SiteScalerOptions options = two_sites(home);
    options.min = 4;
    options.rules.over_after_s = 60;
    Room room({1'000, 1'000}, far, std::max<std::int64_t>(home, 600));
    return split(options, room, two, wanted, 1'000, moved);
  };
  const SiteSplit up = at(kBase, 6, 0);
  CHECK(up.replicas == Counts{2, 0});
  CHECK_MESSAGE(up.home == 1'000, "two of six are those that lack");
  CHECK(up.without_place == 2);
  CHECK(at(kBase, 5, 0).home == 750);
  CHECK_MESSAGE(at(kBase, 4, 0).home == kBase, "none grows in their stead");
  CHECK_MESSAGE(at(kBase, 6, 0, 999).home == kBase, "nobody was asked elsewhere yet");
  CHECK_MESSAGE(at(1'000, 6, 0).home == 1'000, "nor back and forth");
  CHECK(at(1'000, 4, 0).home == 1'000);
  CHECK(at(1'000, 3, 0).home == 750);
  CHECK(at(1'000, 2, 0, 999).home == kBase);
  const SiteSplit over = at(1'000, 6, 9);
  CHECK_MESSAGE((over.replicas == Counts{2, 2}), "they come as soon as they can");
  CHECK(over.home == 1'000);
}

TEST_CASE("site growth: those that are far for their number come home when there is room") {
  SiteScalerOptions options = two_sites(1'000);
  options.min = 2;
  Room full({1'000}, 9, 1'000);
  const SiteSplit smaller = split(options, full, {{1, 1}, {1, 1}}, 2, 1'000, 0);
  CHECK(smaller.replicas == Counts{1, 1});
  CHECK(smaller.home == kBase);
  Room wide({1'000, 1'000}, 9, 1'000);
  CHECK(split(options, wide, {{1, 1}, {1, 1}}, 2, 1'000, 0).replicas == Counts{2, 1});
  Room next({1'000, 1'000}, 9, 1'000);
  CHECK(split(options, next, {{2, 2}, {1, 1}}, 2, 1'000, 0).replicas == Counts{2, 0});
}

TEST_CASE("site growth: a thousand series keep the order, the bounds and what is wanted") {
  std::int64_t ups = 0, downs = 0, overs = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    SplitMix random(seed);
    const std::vector<std::int64_t> home{static_cast<std::int64_t>(700 + random.below(300)),
                                         static_cast<std::int64_t>(700 + random.below(300))};
    std::vector<SiteCount> sites(2);
    std::optional<UnixSeconds> moved;
    std::int64_t size = kBase;
    std::int32_t wanted = 1;
    for (int look = 0; look < 100; ++look) {
      CAPTURE(seed);
      CAPTURE(look);
      if (random.below(4) == 0) wanted = static_cast<std::int32_t>(random.below(11));
      Room room(home, 20, size);
      const SiteSplit made = split(two_sites(size), room, sites, wanted, look * 100, moved);
      const auto has = [&](SiteStep step) {
        return std::any_of(made.effects.begin(), made.effects.end(),
                           [step](const SiteEffect& effect) { return effect.step == step; });
      };
      CHECK(made.home >= kBase);
      CHECK(made.home <= 1'000);
      const std::int64_t units =
          1'000 * made.replicas[0] * made.home / kBase + std::int64_t{1'000} * made.replicas[1];
      if (!has(SiteStep::kOver) && made.without_place == 0) CHECK(units >= 1'000 * wanted);
      if (has(SiteStep::kUp)) CHECK_FALSE(has(SiteStep::kDown));
      if (has(SiteStep::kIn)) CHECK(made.home == kBase);
      if (has(SiteStep::kDown) || has(SiteStep::kIn)) CHECK(made.replicas[1] == 0);
      if (has(SiteStep::kOver) && made.replicas[0] > 0 && made.home < 1'000) {
        // Some node of home could not give all of them a step more.
        bool fits = true;
        std::vector<std::int64_t> left = room.nodes;
        for (const auto& [replica, held] : room.held)
          if (held.node) fits = fits && (left[*held.node] -= 250) >= 0;
        CHECK_FALSE(fits);
      }
      ups += has(SiteStep::kUp) ? 1 : 0;
      downs += has(SiteStep::kDown) ? 1 : 0;
      overs += has(SiteStep::kOver) ? 1 : 0;
      moved = made.moved;
      size = made.home;
      sites[0] = {made.replicas[0], made.replicas[0]};
      sites[1] = {made.replicas[1], made.replicas[1]};
    }
  }
  CHECK(ups > 1'000);
  CHECK(downs > 1'000);
  CHECK(overs > 1'000);
}
