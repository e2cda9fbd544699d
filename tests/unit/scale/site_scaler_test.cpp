#include "gedge/scale/site_scaler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"
#include "support/shelf_room.hpp"

namespace {

using namespace gedge;
using gedge::test::ShelfRoom;

constexpr std::int64_t kBase = 500;  // of cpu

// home --10 ms-- near --30 ms-- cloud, home --40 ms-- cloud
SiteScalerOptions three_sites(std::int32_t max) {
  SiteScalerOptions options;
  options.rules.order = {"home", "near", "cloud"};
  options.rules.up = {"cpu", 250, 1'000};
  const auto ms = [](std::uint32_t value) { return Rtt{value * 1'000}; };
  options.rtts = {3, {ms(0), ms(10), ms(40), ms(10), ms(0), ms(30), ms(40), ms(30), ms(0)}};
  options.max = max;
  options.base = kBase;
  return options;
}

// "out@0 up@0=750"
std::string text_of(const SiteEffects& effects) {
  std::string text;
  for (const SiteEffect& effect : effects) {
    text += (text.empty() ? "" : " ") + std::string(to_string(effect.step)) + "@" +
            std::to_string(effect.site);
    const bool sizes = effect.step == SiteStep::kUp || effect.step == SiteStep::kDown;
    if (sizes) text += "=" + std::to_string(effect.amount);
  }
  return text;
}

class Play {
 public:
  Play(SiteScalerOptions options, SiteRoom& room) : scaler(std::move(options), room) {}

  std::string ask(std::int32_t wanted, UnixSeconds now) {
    const auto effects = scaler.decide({wanted, now, {}, 1});
    REQUIRE(effects);
    return text_of(*effects);
  }
  void all_ready() {
    for (const SiteReplica& replica : std::vector(scaler.replicas())) scaler.note_ready(replica.id);
  }

  SiteScaler scaler;
};

TEST_CASE("sites: first out, then up, then over, and back in reverse") {
  // home: 1,250 of cpu on one node, two replicas and 250 left; near: one; cloud: many
  ShelfRoom room({{0, 1'250}, {1, 500}, {2, 5'000}}, kBase);
  Play play(three_sites(10), room);
  CHECK(play.ask(2, 0) == "out@0 out@0");
  CHECK_MESSAGE(play.ask(5, 15) == "up@0=750 over@1 over@2 over@2", "2.5 at home, 2.5 wanted");
  CHECK(play.scaler.units_milli(false) == 5'500);
  play.all_ready();
  CHECK_MESSAGE(play.ask(2, 314) == "", "R after the move over");
  CHECK(play.ask(3, 315) == "back@2 back@2");
  CHECK_MESSAGE(play.ask(2, 330) == "", "R after the move back");
  CHECK(play.ask(2, 615) == "back@1 down@0=500");
  CHECK(play.ask(1, 630) == "in@0");
  CHECK(room.nodes()[0].free == 750);
  CHECK(room.nodes()[1].free == 500);
}

TEST_CASE("sites: no replica goes beyond the budget, nor where nobody measured") {
  SiteScalerOptions options = three_sites(10);
  options.rules.up = {};
  options.base = 0;
  options.rules.budget_us = 10'000;
  ShelfRoom room({{0, 500}, {1, 500}, {2, 5'000}}, kBase);
  Play play(options, room);
  CHECK(play.ask(4, 0) == "out@0 over@1");
  options.rules.budget_us = 9'999;
  ShelfRoom again({{0, 500}, {1, 500}, {2, 5'000}}, kBase);
  Play less(options, again);
  CHECK(less.ask(4, 0) == "out@0");
  options.rtts = {3, std::vector<Rtt>(9, kUnmeasured)};
  options.rules.budget_us = 100'000;
  ShelfRoom third({{0, 500}, {1, 500}, {2, 5'000}}, kBase);
  Play unknown(options, third);
  CHECK(unknown.ask(4, 0) == "out@0");
  options.rules.budget_us.reset();
  ShelfRoom fourth({{0, 500}, {1, 500}, {2, 5'000}}, kBase);
  Play any(options, fourth);
  CHECK(any.ask(4, 0) == "out@0 over@1 over@2 over@2");
}

TEST_CASE("sites: the farthest leave first, however long they were there") {
  SiteScalerOptions options = three_sites(10);
  options.base = 0;
  ShelfRoom room({{0, 500}, {1, 0}, {2, 5'000}}, kBase);
  Play play(options, room);
  CHECK(play.ask(2, 0) == "out@0 over@2");
  room.take(1, -500);
  CHECK(play.ask(3, 60) == "over@1");
  play.all_ready();
  CHECK(play.ask(2, 360) == "back@2");
  CHECK(play.ask(1, 660) == "back@1");
}

TEST_CASE("sites: max counts all of them together") {
  ShelfRoom room({{0, 600}, {1, 5'000}, {2, 5'000}}, kBase);
  Play play(three_sites(3), room);
  CHECK(play.ask(9, 0) == "out@0 over@1 over@1");
  CHECK(play.ask(9, 600) == "");
}

TEST_CASE("sites: when home has room again, far replicas come back, the new ones first") {
  ShelfRoom room({{0, 500}, {1, 1'000}}, kBase);
  SiteScalerOptions options = three_sites(10);
  options.rules.up = {};
  options.base = 0;
  Play play(options, room);
  CHECK(play.ask(3, 0) == "out@0 over@1 over@1");
  play.all_ready();
  room.take(0, -500);
  CHECK_MESSAGE(play.ask(3, 285) == "", "not before R");
  CHECK(play.ask(3, 300) == "out@0");
  CHECK_MESSAGE(play.ask(3, 315) == "", "it is not ready yet");
  play.all_ready();
  CHECK(play.ask(3, 330) == "back@1");
  // The same without a replica to spare: the far one leaves first.
  options.max = 3;
  ShelfRoom full({{0, 500}, {1, 1'000}}, kBase);
  Play swap(options, full);
  CHECK(swap.ask(3, 0) == "out@0 over@1 over@1");
  swap.all_ready();
  full.take(0, -500);
  CHECK(swap.ask(3, 300) == "back@1 out@0");
}

TEST_CASE("sites: a far replica that is ready stays until others are") {
  ShelfRoom room({{0, 500}, {1, 1'000}}, kBase);
  SiteScalerOptions options = three_sites(10);
  options.base = 0;
  options.rules.return_after_s = 0;
  Play play(options, room);
  CHECK(play.ask(2, 0) == "out@0 over@1");
  play.scaler.note_ready(1);
  CHECK_MESSAGE(play.ask(1, 15) == "", "the one at home is not ready");
  play.scaler.note_ready(0);
  CHECK(play.ask(1, 30) == "back@1");
}

TEST_CASE("sites: replicas follow those who ask, and the one leaves that is missed least") {
  SiteScalerOptions options = three_sites(10);
  options.rules.choice = SiteChoice::kDemand;
  options.rules.full_percent = 100;
  options.base = 0;
  ShelfRoom room({{0, 5'000}, {1, 5'000}, {2, 1'500}}, kBase);
  SiteScaler scaler(options, room);
  const auto ask = [&](std::int32_t wanted, UnixSeconds now, const std::vector<double>& demand) {
    const auto effects = scaler.decide({wanted, now, demand, 1});
    REQUIRE(effects);
    return text_of(*effects);
  };
  CHECK_MESSAGE(ask(4, 0, {0, 0, 4}) == "out@2 out@2 out@2 out@1", "the cloud is full, near is 30");
  CHECK_MESSAGE(ask(4, 15, {4, 0, 0}) == "in@2 out@0", "40 ms less, where near were 30 less");
  CHECK_MESSAGE(ask(4, 30, {4, 0, 0}) == "", "R after that");
  CHECK(ask(4, 315, {4, 0, 0}) == "in@2 out@0");
  CHECK_MESSAGE(ask(3, 330, {2, 1, 0}) == "in@2", "nobody asks there");
  CHECK_MESSAGE(ask(2, 345, {2, 1, 0}) == "in@0", "then half a one travels, else a whole one");
  CHECK(ask(4, 360, {2, 0, 2}) == "out@2 out@2");
}

// What a ReplicaSet does among pods that are ready: least cost first, then the newest.
std::uint32_t first_to_leave(const SiteScaler& scaler, const SiteLook& look) {
  const std::vector<std::int32_t> costs = scaler.deletion_costs(look);
  std::size_t first = 0;
  for (std::size_t i = 1; i < costs.size(); ++i)
    if (costs[i] <= costs[first]) first = i;
  return scaler.replicas()[first].id;
}

TEST_CASE("sites: by their deletion costs replicas leave as they are chosen to") {
  for (const SiteChoice choice : {SiteChoice::kOrder, SiteChoice::kDemand, SiteChoice::kSpread}) {
    SplitMix random(7);
    for (int round = 0; round < 50; ++round) {
      SiteScalerOptions options = three_sites(12);
      options.rules.choice = choice;
      options.rules.return_after_s = 0;
      options.base = 0;
      ShelfRoom room({{0, 1'500}, {1, 1'500}, {2, 9'000}}, kBase);
      Play play(options, room);
      const std::vector<double> demand{static_cast<double>(random.below(9)),
                                       static_cast<double>(random.below(9)),
                                       1 + static_cast<double>(random.below(9))};
      REQUIRE(play.scaler.decide({10, 0, demand, 1}));
      play.all_ready();
      for (std::int32_t left = 9; left > 0; --left) {
        const SiteLook look{left, 15, demand, 1};
        const std::uint32_t expected = first_to_leave(play.scaler, look);
        const auto effects = play.scaler.decide(look);
        REQUIRE(effects);
        const auto leaves = std::find_if(effects->begin(), effects->end(), [](const auto& effect) {
          return effect.step >= SiteStep::kBack;
        });
        REQUIRE(leaves != effects->end());
        CHECK(leaves->replica == expected);
        play.all_ready();
      }
    }
  }
}

TEST_CASE("sites: whatever others do at home, moves keep to the hysteresis, and all come home") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix random(seed);
    SiteScalerOptions options = three_sites(8);
    const auto up_to = [&](std::size_t most) {
      return 15 * (1 + static_cast<std::int64_t>(random.below(most)));
    };
    const std::int64_t over = options.rules.over_after_s = up_to(8);
    const std::int64_t back = options.rules.return_after_s = up_to(30);
    if (random.below(2) == 0) options.base = 0;
    ShelfRoom room({{0, 4'000}, {1, 1'000}, {2, 9'000}}, kBase);
    Play play(options, room);
    std::vector<std::pair<UnixSeconds, bool>> moves;  // when, and whether back
    std::int64_t others = 0;
    std::int32_t wanted = 1;
    UnixSeconds now = 0;
    const auto look = [&] {
      const auto effects = play.scaler.decide({wanted, now, {}, 1});
      REQUIRE(effects);
      CHECK(play.scaler.replicas().size() <= 8);
      bool went = false, came = false;
      for (const SiteEffect& effect : *effects) {
        went = went || effect.step == SiteStep::kOver;
        came = came || effect.step == SiteStep::kBack;
      }
      if (went || came) moves.emplace_back(now, came);
      if (random.below(2) == 0) play.all_ready();
      now += 15;
    };
    for (int i = 0; i < 400; ++i) {
      const std::int64_t change = 500 * static_cast<std::int64_t>(random.below(4)) - 500;
      const bool fits = others + change >= 0 && room.nodes()[0].free >= change;
      if (random.below(10) == 0 && fits) {
        others += change;
        room.take(0, change);
      }
      if (random.below(12) == 0) wanted = 1 + static_cast<std::int32_t>(random.below(8));
      look();
    }
    const std::int64_t longest = std::max(over, back);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      std::int64_t bound = 0;
      for (std::size_t j = i; j < moves.size(); ++j) {
        bound += moves[j].second ? back : over;
        CHECK(bound <= moves[j].first - moves[i].first + longest);
      }
    }
    room.take(0, -others);
    for (int i = 0; i < 400; ++i) look();
    for (const SiteReplica& replica : play.scaler.replicas()) CHECK(replica.site == 0);
    CHECK(play.scaler.units_milli(false) >= 1'000 * wanted);
  }
}

}  // namespace
