#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

Evidences fit(const Site& site, std::string_view pod, Compat compat = Compat::k1_36,
              const PolicyArgs& args = {}) {
  return rejections(*filter_named("NodeResourcesFit", compat, args), site, pod);
}

}  // namespace

TEST_CASE("a request that is exactly free fits, one more does not") {
  SiteBuilder b;
  b.node("a");  // 4000m, 8 GiB
  b.pod("there").on("a").request("cpu", 1'000).request("memory", 2 * kGiB);
  b.pod("fits").request("cpu", 3'000).request("memory", 6 * kGiB);
  b.pod("cpu").request("cpu", 3'001);
  b.pod("memory").request("memory", 6 * kGiB + 1);
  b.pod("too-big").request("cpu", 4'001);
  const auto site = b.build();
  CHECK(fit(*site, "fits").empty());
  const Evidence cpu = fit(*site, "cpu").at("a").at(0);
  CHECK(cpu.reason == Reason::kInsufficient);
  CHECK(cpu.verdict == Verdict::kUnschedulable);
  CHECK(cpu.subject == "cpu");
  CHECK(cpu.measured == 4'001);
  CHECK(cpu.limit == 4'000);
  CHECK(cpu.unit == Unit::kMilliCpu);
  const Evidence memory = fit(*site, "memory").at("a").at(0);
  CHECK(memory.measured == 8 * kGiB + 1);
  CHECK(memory.unit == Unit::kBytes);
  CHECK(fit(*site, "too-big").at("a").at(0).verdict == Verdict::kUnresolvable);
  CHECK(fit(*site, "too-big", Compat::k1_20).at("a").at(0).verdict == Verdict::kUnschedulable);
}

TEST_CASE("one resource that no eviction frees makes the node unresolvable") {
  SiteBuilder b;
  b.node("a");
  b.pod("there").on("a").request("memory", 8 * kGiB);
  b.pod("new").request("cpu", 5'000).request("memory", 1);
  const auto site = b.build();
  const auto evidence = fit(*site, "new").at("a");
  REQUIRE(evidence.size() == 2);
  CHECK(evidence[0].subject == "cpu");
  CHECK(evidence[1].subject == "memory");
  CHECK(evidence[0].verdict == Verdict::kUnresolvable);
  CHECK(evidence[1].verdict == Verdict::kUnresolvable);
}

TEST_CASE("pods without requests need a pod slot and nothing else") {
  SiteBuilder b;
  b.node("a").allocatable.set("pods", 2);
  b.node("b").allocatable.set("pods", 1);
  b.pod("x").on("a").request("cpu", 9'000);
  b.pod("y").on("b");
  b.pod("plain");
  const auto site = b.build();
  const Evidences rejected = fit(*site, "plain", Compat::k1_20);
  CHECK(rejected.count("a") == 0);
  const Evidence slots = rejected.at("b").at(0);
  CHECK(slots.reason == Reason::kTooManyPods);
  CHECK(slots.measured == 2);
  CHECK(slots.limit == 1);
  CHECK(slots.unit == Unit::kCount);
}

TEST_CASE("an overcommitted node rejects what asks for other resources under 1.20 only") {
  SiteBuilder b;
  b.node("a");
  b.pod("there").on("a").request("cpu", 5'000);
  b.pod("memory").request("memory", 1);
  const auto site = b.build();
  CHECK(fit(*site, "memory", Compat::k1_20).at("a").at(0).subject == "cpu");
  CHECK(fit(*site, "memory", Compat::k1_36).empty());
}

TEST_CASE("extended resources come last, by name, and may be ignored") {
  SiteBuilder b;
  b.node("a").allocatable.set("z.io/y", 2);
  b.node("b");
  b.pod("there").on("a").request("z.io/y", 1);
  b.pod("new").request("z.io/y", 2).request("a.io/x", 1).request("cpu", 9'000);
  b.pod("zero").request("a.io/x", 0);
  const auto site = b.build();
  const auto evidence = fit(*site, "new").at("a");
  REQUIRE(evidence.size() == 3);
  CHECK(evidence[0].subject == "cpu");
  CHECK(evidence[1].subject == "a.io/x");
  CHECK(evidence[2].subject == "z.io/y");
  CHECK(evidence[2].measured == 3);
  CHECK(evidence[2].limit == 2);
  CHECK(evidence[2].unit == Unit::kCount);
  CHECK(fit(*site, "zero").empty());

  PolicyArgs args;
  args.ignored_resources = {"a.io/x"};
  args.ignored_resource_groups = {"z.io"};
  CHECK(fit(*site, "new", Compat::k1_36, args).at("a").size() == 1);
  args.ignored_resource_groups = {"a.io", "z"};
  CHECK(fit(*site, "new", Compat::k1_36, args).at("a").size() == 2);
}

TEST_CASE("a request of zero of an extended resource asks for something under 1.20") {
  SiteBuilder b;
  b.node("a");
  b.pod("there").on("a").request("cpu", 5'000);
  b.pod("zero").request("a.io/x", 0);
  const auto site = b.build();
  CHECK(fit(*site, "zero", Compat::k1_20).count("a") == 1);
  CHECK(fit(*site, "zero", Compat::k1_36).empty());
}

TEST_CASE("the largest amounts neither overflow nor fit twice") {
  SiteBuilder b;
  b.node("a").allocatable.set("memory", kHuge);
  b.pod("there").on("a").request("memory", kHuge);
  b.pod("new").request("memory", kHuge);
  b.pod("none").request("memory", 0);
  const auto site = b.build();
  const Evidence why = fit(*site, "new").at("a").at(0);
  CHECK(why.measured == kHuge);
  CHECK(why.limit == kHuge);
  CHECK(fit(*site, "none", Compat::k1_20).empty());
}
