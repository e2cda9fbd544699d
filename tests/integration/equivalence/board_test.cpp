// The two ways of choosing a node: the plain scan over all rows, and the board that looks only at
// rows that changed. Random pods are bound and taken away in between.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/plan/engine.hpp"
#include "random_profile.hpp"
#include "support/random_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::uint64_t kSites = 1500;
constexpr int kRounds = 60;

std::vector<PodIndex> pending(const ClusterState& cluster) {
  std::vector<PodIndex> pods;
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    if (cluster.pod(PodIndex{i}).bound_node.empty() &&
        cluster.pod(PodIndex{i}).phase == PodPhase::kPending)
      pods.push_back(PodIndex{i});
  return pods;
}

bool same(const Choice& a, const Choice& b) {
  return a.winner == b.winner && a.runner_up == b.runner_up && a.winner_total == b.winner_total &&
         a.runner_up_total == b.runner_up_total && a.rejected == b.rejected;
}

}  // namespace

TEST_CASE("the board chooses what the plain scan chooses, whatever happens in between") {
  std::uint64_t compared = 0, placed = 0;
  for (std::uint64_t seed = 1; seed <= kSites; ++seed) {
    Dice dice(seed);
    const RandomSite site = make_random_site(dice);
    const Profile profile =
        make_random_profile(dice, dice.chance(50) ? Compat::k1_20 : Compat::k1_36);
    ClusterState cluster(site.facts, site.rtt, {profile.compat, site.rtt_by});
    auto engine = Engine::make(cluster, profile, nullptr, seed);
    auto scanning = Engine::make(cluster, profile, nullptr, seed);
    REQUIRE(engine);
    REQUIRE(scanning);
    const std::vector<PodIndex> pods = pending(cluster);
    for (int round = 0; round < kRounds && !pods.empty(); ++round) {
      const PodIndex pod = pods[dice.below(pods.size())];
      if (cluster.is_placed(pod)) {
        cluster.unbind(pod);
        continue;
      }
      const Choice choice = engine->choose(pod);
      ++compared;
      REQUIRE_MESSAGE(same(choice, to_choice(scanning->evaluate(pod))), "seed ", seed, " round ",
                      round, " pod ", cluster.pod(pod).name);
      if (choice.winner == kNoNode) continue;
      cluster.bind(pod, choice.winner);
      ++placed;
    }
  }
  MESSAGE(compared, " choices compared, ", placed, " pods placed");
  CHECK(placed > compared / 4);
}
