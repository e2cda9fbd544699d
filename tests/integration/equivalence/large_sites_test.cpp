// Sites of some hundred nodes, where rows fill several words of a mask: shared boards, masks of
// barred rows, bounds of blocks and RTT rows against the plain scan over everything.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/plan/engine.hpp"
#include "support/dice.hpp"
#include "support/random_claims.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::uint64_t kSites = 90;
constexpr std::size_t kSitesWithClaims = 40;  // percent
constexpr std::uint32_t kFreshEvery = 3;
constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

std::string node_name(std::size_t i) {
  const std::string digits = std::to_string(i);
  return "node-" + std::string(3 - digits.size(), '0') + digits;
}

struct LargeSite {
  Facts facts;
  RttMatrix rtt;
};

void add_nodes(Dice& dice, std::size_t count, Facts& facts) {
  const std::size_t zones = 2 + dice.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    Node node;
    node.name = node_name(i);
    node.labels.set(kHostname, node_name(i));
    if (!dice.chance(3)) node.labels.set(kZone, "z" + std::to_string(dice.below(zones)));
    if (dice.chance(5)) node.taints.push_back({"gone", "", TaintEffect::kNoSchedule});
    const std::int64_t size = dice.between(1, 3);
    node.allocatable = {{std::string(kCpu), 2'000 * size},
                        {std::string(kMemory), 4 * kGi * size},
                        {std::string(kPods), dice.between(2, 12)}};
    facts.nodes.push_back(std::move(node));
  }
}

// Places on a line; the way back is longer now and then, or was not measured.
RttMatrix make_rtt(Dice& dice, const Facts& facts) {
  std::vector<std::string> names;
  for (const Node& node : facts.nodes) names.push_back(std::string(node.name));
  RttMatrix rtt(names);
  const std::size_t odd = dice.chance(50) ? 0 : 2;  // percent of pairs
  for (std::uint32_t a = 0; a < names.size(); ++a)
    for (std::uint32_t b = a + 1; b < names.size(); ++b) {
      const Rtt there{200 + 40 * (b / 10 - a / 10)};
      if (dice.chance(1)) continue;
      rtt.set(NameIndex{a}, NameIndex{b}, there);
      rtt.set(NameIndex{b}, NameIndex{a}, dice.chance(odd) ? Rtt{there.us + 100} : there);
    }
  rtt.note_symmetry();
  return rtt;
}

PodSpec make_spec(Dice& dice, std::size_t number, std::size_t nodes) {
  PodSpec spec;
  Container container;
  container.name = "main";
  container.image = "app:1";
  container.requests = {{std::string(kCpu), 100 * dice.between(1, 8)},
                        {std::string(kMemory), dice.between(1, 6) * kGi / 4}};
  spec.containers.push_back(std::move(container));
  const std::string app = "app-" + std::to_string(number % 12);
  spec.labels.set("app", app);
  if (dice.chance(40)) {
    spec.budgets.push_back(
        budget(node_name(dice.below(nodes)), dice.between(100, 2'500), PeerKind::kNode));
  }
  if (dice.chance(30))
    spec.required_anti_affinity.push_back(pod_term({{"app", app}}, std::string(kHostname)));
  if (dice.chance(20))
    spec.required_affinity.push_back(
        pod_term({{"app", "app-" + std::to_string(dice.below(12))}}, std::string(kZone)));
  if (dice.chance(30)) spec.spread.push_back(spread({{"app", app}}, std::string(kZone), 1));
  if (dice.chance(10)) spec.spread.push_back(spread({{"app", app}}, std::string(kHostname), 2));
  if (dice.chance(5)) spec.spread.push_back(spread({{"app", app}}, std::string(kZone), 2, false));
  if (dice.chance(8)) {
    PreferredPodTerm near;
    near.weight = 10;
    near.term = pod_term({{"app", app}}, std::string(kZone));
    spec.preferred_affinity.push_back(near);
  }
  return spec;
}

LargeSite make_site(Dice& dice) {
  LargeSite site;
  const std::size_t nodes = 65 + dice.below(260);
  add_nodes(dice, nodes, site.facts);
  site.rtt = make_rtt(dice, site.facts);
  const std::size_t specs = 20 + dice.below(60);
  for (std::size_t i = 0; i < specs; ++i) site.facts.specs.push_back(make_spec(dice, i, nodes));
  const std::size_t pods = 200 + dice.below(300);
  for (std::size_t i = 0; i < pods; ++i) {
    Pod pod;
    pod.name = "pod-" + std::to_string(i);
    pod.spec = SpecIndex{static_cast<std::uint32_t>(dice.below(specs))};
    pod.workload_kind = "Pod";
    pod.workload_name = pod.name;
    site.facts.pods.push_back(std::move(pod));
  }
  if (dice.chance(kSitesWithClaims)) add_random_claims(dice, site.facts, pods);
  site.facts.files.emplace_back();
  site.facts.namespaces.push_back({"default", {}});
  return site;
}

Profile make_profile(Dice& dice) {
  const Compat compat = dice.chance(30) ? Compat::k1_20 : Compat::k1_36;
  const std::vector<std::string_view> names{"kube", "kube", "edge", "edge", "edge-scheduler"};
  Profile profile = *builtin_profile(dice.pick(names), compat);
  profile.spread_ties = dice.chance(20);
  return profile;
}

struct Tally {
  std::size_t placed = 0, rejected = 0, symmetric = 0;
};

bool same(const Choice& a, const Choice& b) {
  return a.winner == b.winner && a.runner_up == b.runner_up && a.winner_total == b.winner_total &&
         a.runner_up_total == b.runner_up_total && a.rejected == b.rejected;
}

// An engine that has just been made remembers nothing.
void check_fresh(ClusterState& cluster, const Profile& profile, std::uint64_t seed, PodIndex pod,
                 const Choice& choice) {
  auto fresh = Engine::make(cluster, profile, nullptr, seed);
  REQUIRE(fresh);
  REQUIRE(same(choice, to_choice(fresh->evaluate(pod))));
}

// Chooses for pod after pod; places what fits, and takes some away again. What policies remember of
// placed pods is the same to `scanning`, which follows them too; now and then an engine scans that
// has just been made, and remembers nothing.
void check_site(std::uint64_t seed, Tally& tally) {
  Dice dice(seed);
  const LargeSite site = make_site(dice);
  const Profile profile = make_profile(dice);
  tally.symmetric += site.rtt.symmetric() ? 1 : 0;
  ClusterState cluster(site.facts, site.rtt, {profile.compat, ""});
  auto engine = Engine::make(cluster, profile, nullptr, seed);
  auto scanning = Engine::make(cluster, profile, nullptr, seed);
  REQUIRE(engine);
  REQUIRE(scanning);
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i) {
    const Choice& choice = engine->choose(PodIndex{i});
    INFO("seed " << seed << ", pod " << i);
    REQUIRE(same(choice, to_choice(scanning->evaluate(PodIndex{i}))));
    if (i % kFreshEvery == 0) check_fresh(cluster, profile, seed, PodIndex{i}, choice);
    for (const std::uint32_t count : choice.rejected) tally.rejected += count > 0 ? 1 : 0;
    if (choice.winner == kNoNode) continue;
    cluster.bind(PodIndex{i}, choice.winner);
    ++tally.placed;
    const PodIndex other{static_cast<std::uint32_t>(dice.below(i + 1))};
    if (dice.chance(10) && cluster.is_placed(other)) cluster.unbind(other);
  }
}

}  // namespace

TEST_CASE("on some hundred nodes, masks and bounds choose what the plain scan chooses") {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kSites; ++seed) check_site(seed, tally);
  MESSAGE("seeds 1 to ", kSites, ": ", tally.placed, " pods placed, ", tally.rejected,
          " filters rejected rows, ", tally.symmetric, " symmetric matrices");
  CHECK(tally.placed > 100 * kSites);
  CHECK(tally.rejected > 100 * kSites);
  CHECK(tally.symmetric > 10);
  CHECK(tally.symmetric < kSites - 10);
}
