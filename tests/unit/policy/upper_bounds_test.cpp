// No row scores more than the bound of its block: every score that knows bounds, on random sites.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "support/dice.hpp"
#include "support/policy_probe.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;

struct Asked {
  std::vector<std::int64_t> bounds;  // [words]
  std::vector<std::int64_t> raw;     // [slots]
};

Asked ask(const ScorePolicy& policy, const Site& site, std::string_view pod) {
  const ClassContext context = context_of(site, pod);
  const auto state = policy.prepare(context);
  Asked asked;
  asked.raw.resize(site.state->slots());
  std::vector<std::uint32_t> words(site.state->alive().words());
  std::iota(words.begin(), words.end(), 0U);
  asked.bounds.resize(words.size());
  for (const std::uint32_t word : words) {
    const auto end =
        static_cast<std::uint32_t>(std::min<std::size_t>(64 * word + 64, site.state->slots()));
    policy.score(context, state.get(), {64 * word, end},
                 std::span(asked.raw).subspan(64 * word, end - 64 * word));
  }
  policy.upper_bounds(context, state.get(), site.state->alive(), words, asked.bounds);
  CHECK(*std::max_element(asked.raw.begin(), asked.raw.end()) <= policy.most(state.get()));
  return asked;
}

// How many rows lie above their bound.
int above(const Asked& asked) {
  int count = 0;
  for (std::size_t row = 0; row < asked.raw.size(); ++row)
    if (asked.raw[row] > asked.bounds[row / 64]) ++count;
  return count;
}

// How many blocks have a row that scores as much as the bound.
std::size_t met(const Asked& asked) {
  std::size_t count = 0;
  for (std::size_t word = 0; word < asked.bounds.size(); ++word) {
    const auto first = asked.raw.begin() + static_cast<std::ptrdiff_t>(64 * word);
    const auto last =
        asked.raw.begin() + static_cast<std::ptrdiff_t>(std::min(64 * word + 64, asked.raw.size()));
    if (*std::max_element(first, last) == asked.bounds[word]) ++count;
  }
  return count;
}

std::string numbered(std::string_view prefix, std::size_t number) {
  return std::string(prefix) + std::to_string(number);
}

void random_node(Dice& dice, SiteBuilder& b, std::size_t number, std::int64_t kinds) {
  Node& node = b.node(numbered("n", number));
  const std::int64_t kind = dice.between(1, kinds);
  std::int64_t cpu = 1000 * kind + dice.between(0, 20);
  std::int64_t memory = 2048 * kMi * kind * (1 + kind % 3);
  if (dice.chance(1)) cpu = 0;
  if (dice.chance(1)) memory = std::int64_t{1} << 50;
  node.allocatable = {{std::string(kCpu), cpu}, {std::string(kMemory), memory}};
}

PodDraft& random_pod(Dice& dice, SiteBuilder& b, const std::string& name) {
  PodDraft& pod = b.pod(name);
  if (dice.chance(85)) pod.request(kCpu, dice.between(0, dice.chance(10) ? 20'000 : 900));
  if (dice.chance(85)) pod.request(kMemory, kMi * dice.between(0, dice.chance(10) ? 40'000 : 1500));
  return pod;
}

std::unique_ptr<Site> random_site(Dice& dice) {
  SiteBuilder b;
  const std::size_t nodes = 1 + dice.below(200);
  const std::int64_t kinds = dice.between(1, 12);
  for (std::size_t i = 0; i < nodes; ++i) random_node(dice, b, i, kinds);
  const std::size_t bound = dice.below(3 * nodes);
  for (std::size_t i = 0; i < bound; ++i)
    random_pod(dice, b, numbered("bound-", i)).on(numbered("n", dice.below(nodes)));
  random_pod(dice, b, "new");
  random_pod(dice, b, "other");
  return b.build();
}

struct Score {
  std::string_view name;
  Compat compat = Compat::k1_36;
  PolicyArgs args;
};

std::vector<Score> scores_with_bounds() {
  Score weighted{"NodeResourcesFit", Compat::k1_36, {}};
  weighted.args.resources = {{"cpu", 3}, {"memory", 1}};
  Score reversed{"NodeResourcesFit", Compat::k1_36, {}};
  reversed.args.resources = {{"memory", 2}, {"cpu", 2}};
  Score most{"NodeResourcesFit", Compat::k1_36, {}};
  most.args.strategy = "MostAllocated";
  return {{"NodeResourcesFit", Compat::k1_36, {}},
          weighted,
          reversed,
          most,
          {"NodeResourcesLeastAllocated", Compat::k1_20, {}},
          {"NodeResourcesBalancedAllocation", Compat::k1_36, {}},
          {"NodeResourcesBalancedAllocation", Compat::k1_20, {}},
          {"MostFreeMemory", Compat::k1_36, {}}};
}

}  // namespace

TEST_CASE("no row scores more than the bound of its block, before and after pods come and go") {
  Dice dice(31);
  for (int round = 0; round < 300; ++round) {
    const auto site = random_site(dice);
    std::vector<std::unique_ptr<ScorePolicy>> policies;
    for (const Score& score : scores_with_bounds())
      policies.push_back(score_named(score.name, score.compat, score.args));
    const auto check = [&] {
      for (const auto& policy : policies) {
        INFO(round, " ", policy->name());
        CHECK(above(ask(*policy, *site, "new")) == 0);
      }
    };
    check();
    const NodeIndex node{static_cast<std::uint32_t>(dice.below(site->state->slots()))};
    const ClusterState::Mark mark = site->state->mark();
    site->state->bind(site->pod("other"), node);
    check();
    Node larger = site->state->node(node);
    larger.allocatable.set(kCpu, 64'000);
    site->state->apply({Change::Kind::kReplaceNode, kNoPod, node, &larger});
    check();
    site->state->undo(mark);
    check();
  }
}

TEST_CASE("where the nodes of a kind are used alike, the bound is the score of the best kind") {
  SiteBuilder b;
  for (int i = 0; i < 300; ++i) {
    Node& node = b.node("n" + std::to_string(i));
    const std::int64_t size = 1 + i % 3;
    node.allocatable = {{std::string(kCpu), 16'000 * size},
                        {std::string(kMemory), 64 * 1024 * kMi * size}};
    b.pod("bound-" + std::to_string(i))
        .request(kCpu, 330 * size)
        .request(kMemory, 7000 * kMi * size)
        .on("n" + std::to_string(i));
  }
  b.pod("new").request(kCpu, 1510).request(kMemory, 900 * kMi + 77);
  const auto site = b.build();
  for (const std::string_view name : {"NodeResourcesFit", "NodeResourcesBalancedAllocation"}) {
    const Asked asked = ask(*score_named(name), *site, "new");
    INFO(name);
    CHECK(above(asked) == 0);
    CHECK(met(asked) == asked.bounds.size());
  }
}
