// Budgets in a circle, where the reference has no answer: pods wait for each other, so they are
// decided jointly. The verifier, which shares nothing with the planner, judges what came out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "gedge/verify/verify.hpp"
#include "integration/equivalence/cases.hpp"

namespace {

using namespace gedge;

constexpr std::uint64_t kFirstSeed = 1'000'000, kSites = 4'000;
constexpr int kEnough = 200;

bool has_filter(const Profile& profile, const std::string& name) {
  return std::any_of(profile.filters.begin(), profile.filters.end(),
                     [&](const ProfileEntry& entry) { return entry.policy == name; });
}

/// The verifier knows no arguments of a profile, and resources that are ignored may be overdrawn.
test::Case plain_case(std::uint64_t seed, test::SiteOptions options) {
  test::Case out = test::make_case(seed, options);
  out.profiles.resize(1);
  for (ProfileEntry& entry : out.profiles.front().filters) {
    entry.args.ignored_resources.clear();
    entry.args.ignored_resource_groups.clear();
  }
  return out;
}

bool is_cyclic(const test::Case& from) {
  const auto world =
      reference::make_world(from.site.facts, from.site.rtt, from.site.rtt_by, from.compat());
  const auto pending = std::count_if(world.seats.begin(), world.seats.end(),
                                     [](const reference::Seat& seat) { return seat.pending; });
  return reference::decision_order(world).size() != static_cast<std::size_t>(pending);
}

/// Broken rules of `plan` that the profile asked for, one a line.
std::string violations(const test::Case& from, const Plan& plan) {
  VerifyInput input{from.site.facts, from.site.rtt, from.site.rtt_by, from.compat(), {}, false};
  for (const Decision& d : plan.decisions)
    if (d.chosen) input.placements.push_back({d.namespace_name, d.pod, d.chosen->node});
  std::string out;
  for (const Violation& v : verify(input))
    if (has_filter(from.profiles.front(), v.rule) || v.rule == "Placement")
      out +=
          v.namespace_name + "/" + v.pod + " on " + v.node + ": " + v.rule + ": " + v.text + "\n";
  return out;
}

}  // namespace

TEST_CASE("plans with circular budgets hold") {
  int cyclic = 0, placed = 0, all_placed = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSites; ++seed) {
    const test::Case site = plain_case(seed, {true});
    if (!has_filter(site.profiles.front(), "DelayBudget") || !is_cyclic(site)) continue;
    const Result<Plan> plan = make_plan(test::request_of(site));
    REQUIRE(plan);
    ++cyclic;
    placed += plan->placed() != 0 ? 1 : 0;
    all_placed += plan->placed() == plan->decisions.size() ? 1 : 0;
    const std::string broken = violations(site, *plan);
    CHECK_MESSAGE(broken.empty(), "seed " << seed << "\n" << broken);
  }
  std::printf("%d sites with circular budgets, %d with a pod placed, %d with all placed\n", cyclic,
              placed, all_placed);
  CHECK(cyclic >= kEnough);
  CHECK(all_placed > 0);
}

TEST_CASE("plans of random sites hold") {
  int placed = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSites; ++seed) {
    const test::Case site = plain_case(seed, {});
    const Result<Plan> plan = make_plan(test::request_of(site));
    REQUIRE(plan);
    placed += static_cast<int>(plan->placed());
    const std::string broken = violations(site, *plan);
    CHECK_MESSAGE(broken.empty(), "seed " << seed << "\n" << broken);
  }
  std::printf("%d placements verified\n", placed);
  CHECK(placed > 0);
}
