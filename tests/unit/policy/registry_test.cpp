#include <set>

#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

std::string refusal(std::string_view score, const PolicyArgs& args, Compat compat) {
  const auto made = make_score(score, args, compat);
  return made ? "" : made.error().what;
}

}  // namespace

TEST_CASE("the catalogue is sorted and every policy can be made under its name") {
  PolicyArgs args;
  args.shape = {{0, 0}, {100, 10}};
  std::string_view last;
  for (const PolicyInfo& info : policy_catalogue()) {
    CAPTURE(info.name);
    CHECK(last < info.name);
    last = info.name;
    CHECK((info.filter || info.score));
    CHECK(!info.formula.empty());
    CHECK(!info.range.empty());
    CHECK(!info.source.empty());
    for (const Compat compat : {Compat::k1_20, Compat::k1_36}) {
      const bool offered = compat == Compat::k1_20 ? info.in_1_20 : info.in_1_36;
      const auto filter = make_filter(info.name, args, compat);
      const auto score = make_score(info.name, args, compat);
      CHECK((filter || score) == offered);
      if (filter) CHECK((*filter)->name() == info.name);
      if (score) CHECK((*score)->name() == info.name);
      CHECK(bool(filter) == (info.filter && offered));
    }
  }
}

TEST_CASE("names and versions decide what exists") {
  CHECK(make_score("NodeResourcesFit", {}, Compat::k1_36));
  CHECK(!make_score("NodeResourcesFit", {}, Compat::k1_20));
  CHECK(make_filter("NodeResourcesFit", {}, Compat::k1_20));
  CHECK(make_score("NodeResourcesLeastAllocated", {}, Compat::k1_20));
  CHECK(!make_score("NodeResourcesLeastAllocated", {}, Compat::k1_36));
  const auto misspelt = make_filter("NodePort", {}, Compat::k1_36);
  REQUIRE(!misspelt);
  CHECK(misspelt.error().code == Errc::kNotFound);
  CHECK(misspelt.error().hint == "did you mean NodePorts?");
  const auto wrong_kind = make_filter("ImageLocality", {}, Compat::k1_36);
  REQUIRE(!wrong_kind);
  CHECK(wrong_kind.error().what == "'ImageLocality' is a score, not a filter");
  const auto wrong_version = make_score("NodePreferAvoidPods", {}, Compat::k1_36);
  REQUIRE(!wrong_version);
  CHECK(wrong_version.error().what == "Kubernetes 1.36 has no score 'NodePreferAvoidPods'");
  CHECK(wrong_version.error().hint == "use `--compat 1.20`");
}

TEST_CASE("impossible arguments are refused") {
  PolicyArgs args;
  CHECK(refusal("RequestedToCapacityRatio", args, Compat::k1_20) == "shape has no points");
  args.shape = {{50, 1}, {50, 2}};
  CHECK(refusal("RequestedToCapacityRatio", args, Compat::k1_20) ==
        "utilization 50 does not ascend");
  args.shape = {{0, 11}};
  CHECK(refusal("RequestedToCapacityRatio", args, Compat::k1_20) == "shape score is 11");
  args.shape = {{0, 10}, {101, 0}};
  CHECK(refusal("RequestedToCapacityRatio", args, Compat::k1_20) == "utilization is 101");
  args.shape = {{0, 10}, {100, 0}};
  CHECK(refusal("RequestedToCapacityRatio", args, Compat::k1_20).empty());
  args.strategy = "Leastallocated";
  const auto made = make_score("NodeResourcesFit", args, Compat::k1_36);
  REQUIRE(!made);
  CHECK(made.error().hint == "did you mean LeastAllocated?");
  args = {};
  args.resources = {{"cpu", 101}};
  CHECK(refusal("NodeResourcesFit", args, Compat::k1_36) == "weight of resource 'cpu' is 101");
  args.resources = {{"cpu", 100}};
  CHECK(refusal("NodeResourcesFit", args, Compat::k1_36).empty());
  args = {};
  args.hard_pod_affinity_weight = 101;
  CHECK(refusal("InterPodAffinity", args, Compat::k1_36) == "hardPodAffinityWeight is 101");
}

TEST_CASE("every profile is made of policies that exist") {
  for (const Compat compat : {Compat::k1_20, Compat::k1_36})
    for (const std::string_view name : builtin_profile_names()) {
      CAPTURE(name);
      const auto profile = builtin_profile(name, compat);
      REQUIRE(profile);
      CHECK(profile->name == name);
      CHECK(profile->compat == compat);
      CHECK(!profile->scores.empty());
      for (const ProfileEntry& entry : profile->filters)
        CHECK(make_filter(entry.policy, entry.args, compat));
      for (const ProfileEntry& entry : profile->scores)
        CHECK(make_score(entry.policy, entry.args, compat));
    }
}

TEST_CASE("the edge profile filters by everything but the cloud rule, budgets last") {
  const auto edge = builtin_profile("edge", Compat::k1_36);
  REQUIRE(edge);
  std::set<std::string_view> expected, got;
  for (const PolicyInfo& info : policy_catalogue())
    if (info.filter && info.name != "CloudForUnconstrained") expected.insert(info.name);
  for (const ProfileEntry& entry : edge->filters) got.insert(entry.policy);
  CHECK(expected == got);
  CHECK(edge->filters.back().policy == "DelayBudget");
}

TEST_CASE("kube has the weights of its version") {
  const auto weights = [](Compat compat) {
    Scores by_name;
    const auto kube = builtin_profile("kube", compat);
    for (const ProfileEntry& entry : kube->scores) by_name[entry.policy] = entry.weight;
    return by_name;
  };
  CHECK(weights(Compat::k1_20) == Scores{{"ImageLocality", 1},
                                         {"InterPodAffinity", 1},
                                         {"NodeAffinity", 1},
                                         {"NodePreferAvoidPods", 10000},
                                         {"NodeResourcesBalancedAllocation", 1},
                                         {"NodeResourcesLeastAllocated", 1},
                                         {"PodTopologySpread", 2},
                                         {"TaintToleration", 1}});
  CHECK(weights(Compat::k1_36) == Scores{{"ImageLocality", 1},
                                         {"InterPodAffinity", 2},
                                         {"NodeAffinity", 2},
                                         {"NodeResourcesBalancedAllocation", 1},
                                         {"NodeResourcesFit", 1},
                                         {"PodTopologySpread", 2},
                                         {"TaintToleration", 3}});
}

TEST_CASE("an unknown profile is told the nearest name") {
  const auto profile = builtin_profile("low-latecy", Compat::k1_36);
  REQUIRE(!profile);
  CHECK(profile.error().code == Errc::kNotFound);
  CHECK(profile.error().hint == "did you mean low-latency?");
}
