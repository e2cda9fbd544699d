#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"
#include "support/dice.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

const std::vector<std::string> kNamespaces{"default", "shop"};
const std::vector<std::string> kKinds{"Service", "ReplicaSet", "StatefulSet"};
const std::vector<std::string> kNames{"a", "b", "c"};
const std::vector<std::string> kKeys{"app", "tier", "release"};

LabelSelector any_selector(Dice& dice) {
  LabelSelector made;
  if (dice.chance(10)) made.nothing = true;
  for (const std::string& key : dice.some(kKeys, dice.below(3))) {
    const auto op = dice.pick<SelectorOp>(
        {SelectorOp::kIn, SelectorOp::kIn, SelectorOp::kNotIn, SelectorOp::kExists});
    Requirement demanded{key, op, {}};
    if (op != SelectorOp::kExists) demanded.values = dice.some(kNames, 1 + dice.below(2));
    std::sort(demanded.values.begin(), demanded.values.end());
    made.requirements.push_back(std::move(demanded));
  }
  return made;
}

void add_owners(Dice& dice, Facts& facts) {
  for (const std::string& where : kNamespaces)
    for (const std::string& kind : kKinds)
      for (const std::string& name : kNames)
        facts.spread_owners.push_back({kind, where, name, any_selector(dice)});
  dice.shuffle(facts.spread_owners);
}

void add_pods(Dice& dice, SiteBuilder& builder) {
  for (int i = 0; i < 20; ++i) {
    Labels labels;
    for (const std::string& key : dice.some(kKeys, dice.below(4)))
      labels.set(key, dice.pick(kNames));
    PodDraft& draft = builder.pod("pod-" + std::to_string(i), labels);
    draft.in(dice.pick(kNamespaces));
    if (dice.chance(50)) draft.pod.controller = {dice.pick(kKinds), dice.pick(kNames), {}};
  }
}

bool belongs(const SpreadOwner& owner, const PodFacts& pod) {
  const bool controls = owner.kind == pod.controller().kind && owner.name == pod.controller().name;
  return owner.namespace_name == pod.namespace_name() &&
         (controls || owner.selector.matches(pod.labels()));
}

}  // namespace

TEST_CASE("owners: all to which a pod belongs are found, in order, and few others") {
  std::size_t belong = 0, others = 0, left_out = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    SiteBuilder builder;
    builder.node("n");
    add_owners(dice, builder.facts());
    add_pods(dice, builder);
    const auto site = builder.build();
    for (std::uint32_t i = 0; i < site->facts.pods.size(); ++i) {
      const PodFacts& pod = site->state->pod_facts(PodIndex{i});
      const auto found = site->state->spread_owners_of(pod);
      CHECK(std::is_sorted(found.begin(), found.end()));
      CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
      for (const SpreadOwner& owner : site->facts.spread_owners) {
        const bool is_found = std::find(found.begin(), found.end(), &owner) != found.end();
        if (belongs(owner, pod)) {
          CHECK(is_found);
          ++belong;
        } else {
          ++(is_found ? others : left_out);
        }
        if (is_found) CHECK(owner.namespace_name == pod.namespace_name());
      }
    }
  }
  CHECK(belong > 5'000);
  CHECK(left_out > 10 * others);
}

TEST_CASE("owners: a pod among a thousand services is shown its own") {
  SiteBuilder b;
  b.node("n");
  for (int i = 0; i < 1'000; ++i) {
    const std::string name = "s-" + std::to_string(i);
    b.facts().spread_owners.push_back({"Service", "default", name, selector({{"app", name}})});
  }
  b.pod("web", {{"app", "s-7"}, {"tier", "front"}});
  const auto site = b.build();
  const auto found = site->state->spread_owners_of(site->pod_facts("web"));
  REQUIRE(found.size() == 1);
  CHECK(found.front()->name == "s-7");
}
