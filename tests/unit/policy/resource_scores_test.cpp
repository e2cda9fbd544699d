// V1 to V6 are the vectors of the specification that the conformance suite does not hold.
#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

// A node of 4000m and 8 GiB with `before` on it, and the pod "new" that brings it to `after`.
std::unique_ptr<Site> site_of(std::int64_t cpu_before, std::int64_t memory_before,
                              std::int64_t cpu_after, std::int64_t memory_after, Compat compat) {
  SiteBuilder b;
  b.options().compat = compat;
  b.node("n");
  b.pod("old").on("n").request("cpu", cpu_before).request("memory", memory_before);
  b.pod("new")
      .request("cpu", cpu_after - cpu_before)
      .request("memory", memory_after - memory_before);
  return b.build();
}

std::int64_t score(const Site& site, std::string_view policy, Compat compat,
                   const PolicyArgs& args = {}) {
  return raw_scores(*score_named(policy, compat, args), site, "new").at("n");
}

std::int64_t fit_score(const Site& site, std::string strategy, PolicyArgs args = {}) {
  args.strategy = std::move(strategy);
  return score(site, "NodeResourcesFit", Compat::k1_36, args);
}

PolicyArgs with_shape(std::vector<std::pair<std::int64_t, std::int64_t>> shape,
                      std::vector<WeightedResource> resources = {}) {
  PolicyArgs args;
  args.shape = std::move(shape);
  args.resources = std::move(resources);
  return args;
}

}  // namespace

TEST_CASE("V1 and V2 - least and most allocated") {
  const auto v1 = site_of(0, 0, 1'500, 3 * kGiB, Compat::k1_36);
  CHECK(fit_score(*v1, "LeastAllocated") == 62);
  CHECK(fit_score(*v1, "MostAllocated") == 37);
  const auto v2 = site_of(0, 0, 3'000, kGiB, Compat::k1_36);
  CHECK(fit_score(*v2, "LeastAllocated") == 56);
  CHECK(fit_score(*v2, "MostAllocated") == 43);
  const auto old = site_of(0, 0, 3'000, kGiB, Compat::k1_20);
  CHECK(score(*old, "NodeResourcesLeastAllocated", Compat::k1_20) == 56);
  CHECK(score(*old, "NodeResourcesMostAllocated", Compat::k1_20) == 43);
}

TEST_CASE("V1 and V2 - balanced under 1.20 and the term B of 1.36") {
  const auto v1 = site_of(0, 0, 1'500, 3 * kGiB, Compat::k1_20);
  CHECK(score(*v1, "NodeResourcesBalancedAllocation", Compat::k1_20) == 100);
  const auto v2 = site_of(0, 0, 3'000, kGiB, Compat::k1_20);
  CHECK(score(*v2, "NodeResourcesBalancedAllocation", Compat::k1_20) == 37);
  // From an empty node, B without the pod is 100: 50 + (50 + B - 100) / 2.
  const auto v1_new = site_of(0, 0, 1'500, 3 * kGiB, Compat::k1_36);
  CHECK(score(*v1_new, "NodeResourcesBalancedAllocation", Compat::k1_36) == 75);  // B = 100
  const auto v2_new = site_of(0, 0, 3'000, kGiB, Compat::k1_36);
  CHECK(score(*v2_new, "NodeResourcesBalancedAllocation", Compat::k1_36) == 59);  // B = 68
}

TEST_CASE("V3 to V5 - balanced scores what the pod changes") {
  const auto balanced = [](std::int64_t c0, std::int64_t m0, std::int64_t c1, std::int64_t m1) {
    const auto site = site_of(c0, m0, c1, m1, Compat::k1_36);
    return score(*site, "NodeResourcesBalancedAllocation", Compat::k1_36);
  };
  CHECK(balanced(1'000, kGiB, 1'500, 3 * kGiB) == 78);
  CHECK(balanced(2'000, kGiB, 3'000, kGiB) == 68);
  CHECK(balanced(2'000, 0, 2'000, 4 * kGiB) == 87);
}

TEST_CASE("V6 - a broken line over utilization") {
  const auto shape = std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {100, 10}};
  const auto v1 = site_of(0, 0, 1'500, 3 * kGiB, Compat::k1_36);
  CHECK(fit_score(*v1, "RequestedToCapacityRatio", with_shape(shape)) == 37);
  const auto no_memory = site_of(0, 0, 1'500, 0, Compat::k1_36);
  const PolicyArgs weighted = with_shape(shape, {{"cpu", 1}, {"memory", 3}});
  CHECK(fit_score(*no_memory, "RequestedToCapacityRatio", weighted) == 37);
  const auto v1_old = site_of(0, 0, 1'500, 3 * kGiB, Compat::k1_20);
  CHECK(score(*v1_old, "RequestedToCapacityRatio", Compat::k1_20, with_shape(shape)) == 38);
  const auto no_memory_old = site_of(0, 0, 1'500, 0, Compat::k1_20);
  CHECK(score(*no_memory_old, "RequestedToCapacityRatio", Compat::k1_20, weighted) == 38);
}

TEST_CASE("the broken line is flat outside its points and truncates between them") {
  const PolicyArgs falling = with_shape({{20, 10}, {50, 3}}, {{"cpu", 1}});
  const auto at = [&](std::int64_t cpu) {
    return fit_score(*site_of(0, 0, cpu, 0, Compat::k1_36), "RequestedToCapacityRatio", falling);
  };
  CHECK(at(760) == 100);   // 19 %
  CHECK(at(800) == 100);   // 20 %
  CHECK(at(840) == 98);    // 100 - 70 * 1 / 30
  CHECK(at(2'000) == 30);  // 50 %
  CHECK(at(4'000) == 30);  // 100 %
  CHECK(at(4'001) == 30);  // beyond
}

TEST_CASE("missing requests count 100m and 200 MiB, explicit zeros do not") {
  SiteBuilder b;
  b.node("n").allocatable = {{"cpu", 1'000}, {"memory", std::int64_t{2'000} << 20}};
  b.pod("old").on("n");
  b.pod("new").request("cpu", 0).request("memory", 0);
  b.pod("plain");
  const auto site = b.build();
  const auto least = score_named("NodeResourcesFit");
  CHECK(raw_scores(*least, *site, "new").at("n") == 90);
  CHECK(raw_scores(*least, *site, "plain").at("n") == 80);
}

TEST_CASE("beyond capacity least is 0 and most differs between the versions") {
  const auto over = [](Compat compat) { return site_of(0, 0, 4'001, 8 * kGiB, compat); };
  const PolicyArgs cpu = with_shape({}, {{"cpu", 1}});
  CHECK(fit_score(*over(Compat::k1_36), "LeastAllocated", cpu) == 0);
  CHECK(fit_score(*over(Compat::k1_36), "MostAllocated", cpu) == 100);
  CHECK(score(*over(Compat::k1_20), "NodeResourcesMostAllocated", Compat::k1_20, cpu) == 0);
  const auto full = site_of(0, 0, 4'000, 0, Compat::k1_20);
  CHECK(score(*full, "NodeResourcesMostAllocated", Compat::k1_20, cpu) == 100);
}

TEST_CASE("a resource that the node lacks leaves the mean under 1.36 only") {
  SiteBuilder b;
  b.node("n");
  b.node("m").allocatable.set("g.io/x", 4);
  b.pod("new").request("cpu", 1'000).request("g.io/x", 1);
  b.pod("without").request("cpu", 1'000);
  const auto site = b.build();
  const PolicyArgs args = with_shape({}, {{"cpu", 1}, {"g.io/x", 3}});
  const auto now = score_named("NodeResourcesFit", Compat::k1_36, args);
  CHECK(raw_scores(*now, *site, "new") == Scores{{"m", 75}, {"n", 75}});
  CHECK(raw_scores(*now, *site, "without") == Scores{{"m", 75}, {"n", 75}});
  const auto then = score_named("NodeResourcesLeastAllocated", Compat::k1_20, args);
  CHECK(raw_scores(*then, *site, "new") == Scores{{"m", 75}, {"n", 18}});
  CHECK(raw_scores(*then, *site, "without") == Scores{{"m", 93}, {"n", 18}});
}

TEST_CASE("balanced allocation ignores pods that ask for nothing under 1.36") {
  SiteBuilder b;
  b.node("n");
  b.pod("new");
  const auto site = b.build();
  CHECK(score(*site, "NodeResourcesBalancedAllocation", Compat::k1_36) == 0);
  CHECK(score(*site, "NodeResourcesBalancedAllocation", Compat::k1_20) == 99);  // 100m, 200 MiB
}

TEST_CASE("balanced allocation takes the standard deviation of three resources") {
  SiteBuilder b;
  b.node("n").allocatable.set("g.io/x", 4);
  b.pod("new").request("cpu", 1'000).request("memory", 4 * kGiB).request("g.io/x", 3);
  const auto site = b.build();
  const PolicyArgs args = with_shape({}, {{"cpu", 1}, {"memory", 1}, {"g.io/x", 1}});
  // Fractions .25, .5, .75: deviation sqrt(.125 / 3) = .204, B = 79; B of the empty node is 100.
  CHECK(score(*site, "NodeResourcesBalancedAllocation", Compat::k1_36, args) == 64);
}

TEST_CASE("scores of the largest amounts stay within 0 to 100") {
  SiteBuilder b;
  b.node("n").allocatable = {{"cpu", kHuge}, {"memory", kHuge}};
  b.node("full").allocatable = {{"cpu", kHuge}, {"memory", kHuge}};
  b.pod("old").on("full").request("cpu", kHuge).request("memory", kHuge);
  b.pod("new").request("cpu", kHuge / 2).request("memory", kHuge / 2);
  const auto site = b.build();
  CHECK(raw_scores(*score_named("NodeResourcesFit"), *site, "new") ==
        Scores{{"full", 0}, {"n", 50}});
  PolicyArgs most;
  most.strategy = "MostAllocated";
  CHECK(raw_scores(*score_named("NodeResourcesFit", Compat::k1_36, most), *site, "new") ==
        Scores{{"full", 100}, {"n", 49}});
  CHECK(raw_scores(*score_named("NodeResourcesBalancedAllocation"), *site, "new") ==
        Scores{{"full", 75}, {"n", 75}});
  CHECK(raw_scores(*score_named("NodeResourcesBalancedAllocation", Compat::k1_20), *site, "new") ==
        Scores{{"full", 0}, {"n", 100}});
}

TEST_CASE("resource scores see what was bound since they were prepared") {
  SiteBuilder b;
  b.node("n");
  b.pods("new", 2).request("cpu", 1'000).request("memory", 2 * kGiB);
  const auto site = b.build();
  const auto policy = score_named("NodeResourcesFit");
  const ClassContext context = context_of(*site, "new-0");
  const auto state = policy->prepare(context);
  std::int64_t raw = 0;
  policy->score(context, state.get(), {0, 1}, std::span(&raw, 1));
  CHECK(raw == 75);
  site->state->bind(site->pod("new-1"), site->node("n"));
  policy->score(context, state.get(), {0, 1}, std::span(&raw, 1));
  CHECK(raw == 50);
}
