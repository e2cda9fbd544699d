// The two ways of choosing a node: the plain scan over all rows, and the board that looks only at
// rows that changed. Random pods are bound and taken away in between.
#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

#include "gedge/plan/engine.hpp"
#include "random_profile.hpp"
#include "support/random_claims.hpp"
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

namespace {

// A node as it might be after an edit.
Node edited(Dice& dice, const Node& node) {
  Node other = node;
  switch (dice.below(7)) {
    case 0:
      other.allocatable.set(kCpu, other.allocatable.amount(kCpu) + dice.between(-500, 1000));
      break;
    case 1:
      other.labels.set("topology.kubernetes.io/zone", dice.pick<std::string>({"z1", "z2", "z9"}));
      break;
    case 2:
      other.labels.erase("rack");
      other.labels.set("disk", dice.pick<std::string>({"ssd", "hdd"}));
      break;
    case 3:
      other.taints.push_back(
          {"gpu", "yes",
           dice.pick<TaintEffect>({TaintEffect::kNoSchedule, TaintEffect::kPreferNoSchedule})});
      break;
    case 4:
      other.taints.clear();
      other.unschedulable = false;
      break;
    case 5:
      other.unschedulable = true;
      break;
    default:
      other.images.clear();
      break;
  }
  return other;
}

// Changes one thing: a node's facts, a node that goes, an RTT, a pod that is placed or taken away.
void change_something(Dice& dice, ClusterState& cluster, std::deque<Node>& nodes) {
  const NodeIndex node{static_cast<std::uint32_t>(dice.below(cluster.slots()))};
  Change change;
  change.node = node;
  const std::size_t what = dice.below(10);
  if (what < 5) {
    change.kind = Change::Kind::kReplaceNode;
    change.facts = &nodes.emplace_back(edited(dice, cluster.node(node)));
    if (cluster.alive().test(node)) cluster.apply(change);
  } else if (what < 6) {
    change.kind = Change::Kind::kRemoveNode;
    if (cluster.alive().test(node) && cluster.pods_on(node).empty()) cluster.apply(change);
  } else if (what < 7) {
    if (cluster.rtt().size() < 2) return;
    change.kind = Change::Kind::kSetRtt;
    change.from = NameIndex{0};
    change.to = NameIndex{static_cast<std::uint32_t>(1 + dice.below(cluster.rtt().size() - 1))};
    change.rtt = Rtt{dice.pick<std::uint32_t>({100, 5000, 30'000})};
    cluster.apply(change);
  } else if (cluster.pod_count() > 0) {
    const PodIndex pod{static_cast<std::uint32_t>(dice.below(cluster.pod_count()))};
    if (cluster.is_placed(pod))
      cluster.unbind(pod);
    else if (cluster.alive().test(node))
      cluster.bind(pod, node);
  }
}

// Some steps back, though not behind `start`.
void undo_something(Dice& dice, ClusterState& cluster, Engine& engine, ClusterState::Mark start) {
  for (std::size_t steps = dice.below(8); steps > 0 && cluster.mark() > start; --steps) {
    cluster.undo(cluster.mark() - 1);
    engine.follow();
  }
}

}  // namespace

TEST_CASE("the board follows edited nodes and RTTs, and their undoing") {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= kSites; ++seed) {
    Dice dice(seed);
    RandomSite site = make_random_site(dice);
    if (dice.chance(20)) add_random_claims(dice, site.facts, site.facts.pods.size());
    const Profile profile =
        make_random_profile(dice, dice.chance(50) ? Compat::k1_20 : Compat::k1_36);
    ClusterState cluster(site.facts, site.rtt, {profile.compat, site.rtt_by});
    auto engine = Engine::make(cluster, profile, nullptr, seed);
    REQUIRE(engine);
    const std::vector<PodIndex> pods = pending(cluster);
    std::deque<Node> nodes;
    const ClusterState::Mark start = cluster.mark();
    for (int round = 0; round < kRounds && !pods.empty(); ++round) {
      if (dice.chance(10)) {
        undo_something(dice, cluster, *engine, start);
      } else {
        change_something(dice, cluster, nodes);
        engine->follow();
      }
      const PodIndex pod = pods[dice.below(pods.size())];
      if (cluster.is_placed(pod)) continue;
      const Choice& choice = engine->choose(pod);
      ++compared;
      auto scanning = Engine::make(cluster, profile, nullptr, seed);
      REQUIRE(scanning);
      REQUIRE_MESSAGE(same(choice, to_choice(scanning->evaluate(pod))), "seed ", seed, " round ",
                      round, " pod ", cluster.pod(pod).name);
    }
  }
  MESSAGE(compared, " choices compared");
  CHECK(compared > kSites);
}

TEST_CASE("the board chooses what the plain scan chooses, whatever happens in between") {
  std::uint64_t compared = 0, placed = 0;
  for (std::uint64_t seed = 1; seed <= kSites; ++seed) {
    Dice dice(seed);
    RandomSite site = make_random_site(dice);
    if (dice.chance(20)) add_random_claims(dice, site.facts, site.facts.pods.size());
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
      const Choice& choice = engine->choose(pod);
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
