#include "gedge/plan/planner.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "gedge/plan/edit.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

PlanRequest request_for(const Site& site, std::string_view profile = "edge") {
  PlanRequest request;
  request.facts = &site.facts;
  request.rtt = &site.matrix;
  request.profiles = {*builtin_profile(profile, Compat::k1_36)};
  return request;
}

// "pod=node pod=-": in the order of the decisions.
std::string text(const Plan& plan) {
  std::string all;
  for (const Decision& d : plan.decisions)
    all += (all.empty() ? "" : " ") + d.pod + "=" + (d.chosen ? d.chosen->node : "-");
  return all;
}

const Decision& decision(const Plan& plan, std::string_view pod) {
  for (const Decision& d : plan.decisions)
    if (d.pod == pod) return d;
  FAIL("no decision about ", std::string(pod));
  return plan.decisions.front();
}

}  // namespace

TEST_CASE("planner: the fuller node loses, and equal nodes fill in name order") {
  SiteBuilder b;
  b.node("b");
  b.node("a");
  b.node("c");
  b.pods("web", 4).request(kCpu, 1000).request(kMemory, std::int64_t{1} << 30);
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site));
  REQUIRE(plan);
  CHECK(text(*plan) == "web-0=a web-1=b web-2=c web-3=a");
  CHECK(plan->decisions[0].runner_up->node == "b");
}

TEST_CASE(
    "planner: a pod that fits nowhere is told in kube-scheduler's words, each node counted once "
    "beside it") {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name);
  b.pod("big").request(kCpu, 9000).request(kMemory, std::int64_t{100} << 30);
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site, "kube"));
  REQUIRE(plan);
  const Decision& d = decision(*plan, "big");
  CHECK_FALSE(d.chosen);
  CHECK(d.message == "0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient memory.");
  REQUIRE(d.rejected_by.size() == 1);
  CHECK(d.rejected_by[0] == std::pair<SharedText, std::uint32_t>("NodeResourcesFit", 3));
}

TEST_CASE("planner: the limit of a delay budget passes and one microsecond more does not") {
  SiteBuilder b;
  for (const char* name : {"cam", "near", "far"}) b.node(name);
  b.rtt("cam", "near", 10'000).rtt("cam", "far", 10'001).rtt("near", "far", 1);
  PodDraft& detect = b.pods("detect", 2);
  detect.spec.budgets = {budget("cam", 10'000)};
  detect.request(kCpu, 3000);
  b.pod("hog").on("cam").request(kCpu, 4000);
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site));
  REQUIRE(plan);
  CHECK(text(*plan) == "detect-0=near detect-1=-");
  CHECK(plan->decisions[0].budgets[0].rtt_us == 10'000);
  CHECK_FALSE(plan->decisions[1].budgets[0].rtt_us);
}

TEST_CASE("planner: pods of a cluster that nobody would place are left out, and told") {
  SiteBuilder b;
  b.node("a").allocatable.set(kCpu, 1000);
  b.pod("gated").request(kCpu, 1000);
  b.pod("going").request(kCpu, 1000);
  b.pod("web").request(kCpu, 1000);
  const auto site = b.build();
  for (Pod& pod : site->facts.pods) {
    if (pod.name == "gated") site->facts.specs[raw(pod.spec)].gated = true;
    if (pod.name == "going") pod.terminating = true;
  }
  const auto plan = make_plan(request_for(*site, "kube"));
  REQUIRE(plan);
  CHECK(text(*plan) == "web=a");
  REQUIRE(plan->warnings.size() == 2);
  CHECK(plan->warnings[0].message == "pod default/gated waits for scheduling gates; not planned");
  CHECK(plan->warnings[1].message == "pod default/going is being deleted; not planned");
}

TEST_CASE("planner: a cycle of budgets is decided jointly where a greedy choice fails") {
  // a prefers the big node x, but b only fits on y, and x is too far from y.
  SiteBuilder b;
  b.node("x").allocatable.set(kCpu, 16'000);
  b.node("y").allocatable.set(kCpu, 4'000);
  b.node("z").allocatable.set(kCpu, 4'000);
  b.rtt("x", "y", 50'000).rtt("x", "z", 50'000).rtt("y", "z", 1'000);
  PodDraft& first = b.pod("a").request(kCpu, 1000);
  first.spec.budgets = {budget("b", 5'000)};
  PodDraft& second = b.pod("b").request(kCpu, 1000);
  second.spec.budgets = {budget("a", 5'000)};
  second.spec.node_selector.set("kubernetes.io/hostname", "y");
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site));
  REQUIRE(plan);
  CHECK(plan->placed() == 2);
  CHECK(decision(*plan, "b").chosen->node == "y");
  CHECK(decision(*plan, "a").chosen->node != "x");
  CHECK(plan->warnings.empty());
}

TEST_CASE(
    "planner: a cycle that cannot be met is reported and nothing is placed against a budget") {
  SiteBuilder b;
  b.node("x");
  b.node("y");
  b.rtt("x", "y", 50'000);
  PodDraft& first = b.pod("a");
  first.spec.budgets = {budget("b", 5'000)};
  first.spec.node_selector.set("kubernetes.io/hostname", "x");
  PodDraft& second = b.pod("b");
  second.spec.budgets = {budget("a", 5'000)};
  second.spec.node_selector.set("kubernetes.io/hostname", "y");
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site));
  REQUIRE(plan);
  CHECK(plan->placed() == 0);
  REQUIRE(plan->warnings.size() == 1);
  CHECK(plan->warnings[0].code == "BudgetCycle");
  for (const Decision& d : plan->decisions) CHECK_FALSE(d.message.empty());
}

TEST_CASE("planner: in a cycle a budget towards the nearest replica holds at the end") {
  SiteBuilder b;
  b.node("x").allocatable.set(kPods, 1);
  b.node("y");
  b.node("z");
  b.rtt("x", "y", 50'000).rtt("x", "z", 50'000).rtt("y", "z", 1'000);
  PodDraft& mesh = b.pods("mesh", 2);
  mesh.spec.budgets = {budget("mesh", 5'000, PeerKind::kWorkload)};
  mesh.spec.budgets[0].nearest = true;
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site));
  REQUIRE(plan);
  CHECK(plan->placed() == 2);
  for (const Decision& d : plan->decisions) CHECK(d.chosen->node != "x");
}

TEST_CASE("planner: a profile without the delay filter keeps the plain queue order") {
  SiteBuilder b;
  b.node("n");
  b.pod("a").spec.budgets = {budget("b", 1)};
  b.pod("b");
  const auto site = b.build();
  CHECK(text(*make_plan(request_for(*site, "kube"))) == "a=n b=n");
  CHECK(text(*make_plan(request_for(*site, "edge"))) == "b=n a=n");
}

TEST_CASE("planner: a new replica may not break the budget of a placed client") {
  SiteBuilder b;
  b.node("near");
  b.node("far").allocatable.set(kCpu, 64'000);
  b.node("home");
  b.rtt("home", "near", 1'000).rtt("home", "far", 90'000).rtt("near", "far", 90'000);
  b.pod("client").on("home").spec.budgets = {budget("redis", 5'000)};
  b.pods("redis", 1);
  const auto site = b.build();
  const auto plan = make_plan(request_for(*site));
  REQUIRE(plan);
  CHECK(decision(*plan, "redis-0").chosen->node != "far");
}

TEST_CASE("planner: progress can stop the run") {
  SiteBuilder b;
  b.node("a");
  b.pods("web", 3);
  const auto site = b.build();
  PlanRequest request = request_for(*site);
  request.progress = [](std::size_t done, std::size_t total) { return done < 1 || total != 3; };
  const auto plan = make_plan(request);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == Errc::kConflict);
}

TEST_CASE(
    "explain: rejections and feasible nodes add up to all nodes, in name order, with the plan's "
    "decision") {
  SiteBuilder b;
  b.node("b");
  b.node("a").unschedulable = true;
  b.node("c").taints.push_back({"dedicated", "ml", TaintEffect::kNoSchedule});
  b.pods("web", 2).request(kCpu, 100);
  const auto site = b.build();
  const auto why = explain(request_for(*site), "default", "web-1", false);
  REQUIRE(why);
  REQUIRE(why->nodes.size() == 3);
  CHECK(why->nodes[0].node == "a");
  CHECK(why->nodes[0].rejections[0].policy == "NodeUnschedulable");
  CHECK(why->nodes[1].feasible);
  CHECK(why->nodes[1].total == why->chosen->score);
  CHECK(why->nodes[2].rejections[0].policy == "TaintToleration");
  const auto plan = make_plan(request_for(*site));
  CHECK(decision(*plan, "web-1").chosen->score == why->chosen->score);
}

TEST_CASE("explain: the smallest change is named, and it holds") {
  SiteBuilder b;
  b.node("a");
  b.node("b").taints.push_back({"dedicated", "ml", TaintEffect::kNoSchedule});
  b.pod("big").request(kCpu, 4200);
  const auto site = b.build();
  const PlanRequest request = request_for(*site);
  const auto why = explain(request, "default", "big", true);
  REQUIRE(why);
  REQUIRE(why->changes.size() == 1);
  CHECK(why->changes[0].edits == std::vector<std::string>{"node/a:cpu=+200m"});
  CHECK(why->changes[0].node == "a");
  const auto result = what_if(request, {*parse_edit("node/a:cpu=+200m")}, false);
  REQUIRE(result);
  CHECK(decision(result->after, "big").chosen->node == "a");
  const auto less = what_if(request, {*parse_edit("node/a:cpu=+199m")}, false);
  CHECK_FALSE(decision(less->after, "big").chosen);
}

TEST_CASE("explain: where one edit does not suffice, two are named") {
  SiteBuilder b;
  b.node("a").taints.push_back({"dedicated", "ml", TaintEffect::kNoSchedule});
  b.pod("big").request(kCpu, 4200);
  const auto site = b.build();
  const auto why = explain(request_for(*site), "default", "big", true);
  REQUIRE(why);
  REQUIRE(why->changes.size() == 1);
  CHECK(why->changes[0].edits.size() == 2);
}

TEST_CASE("explain: a placed pod is told what would let the runner-up win, and it does") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.pod("old").on("b").request(kCpu, 1000).request(kMemory, std::int64_t{1} << 30);
  b.pod("web").request(kCpu, 500).request(kMemory, std::int64_t{1} << 29);
  const auto site = b.build();
  const PlanRequest request = request_for(*site);
  const auto why = explain(request, "default", "web", true);
  REQUIRE(why);
  CHECK(why->chosen->node == "a");
  REQUIRE(why->changes.size() == 1);
  CHECK(why->changes[0].wins);
  CHECK(why->changes[0].node == "b");
  std::vector<Edit> edits;
  for (const std::string& edit : why->changes[0].edits) edits.push_back(*parse_edit(edit));
  const auto result = what_if(request, edits, true);
  CHECK(decision(result->after, "web").chosen->node == "b");
}

TEST_CASE("why-not: a rejected node is told what it lacks, the chosen one nothing") {
  SiteBuilder b;
  b.node("a");
  b.node("b").unschedulable = true;
  b.pod("web");
  const auto site = b.build();
  const auto no = why_not(request_for(*site), "default", "web", "b");
  REQUIRE(no);
  REQUIRE(no->changes.size() == 1);
  // Uncordoned it is as good as the other node, whose name comes first.
  const std::vector<std::string>& texts = no->changes[0].edits;
  CHECK(std::count(texts.begin(), texts.end(), "node/b:taint-=node.kubernetes.io/unschedulable") ==
        1);
  CHECK(texts.size() == 2);
  CHECK(no->changes[0].wins);
  CHECK(no->changes[0].shown == Shown::kReplan);
  std::vector<Edit> edits;
  for (const std::string& text : texts) edits.push_back(*parse_edit(text));
  const auto after = what_if(request_for(*site), edits, true);
  REQUIRE(after);
  CHECK(decision(after->after, "web").chosen->node == "b");
  const auto yes = why_not(request_for(*site), "default", "web", "a");
  REQUIRE(yes);
  CHECK(yes->changes.empty());
  CHECK(why_not(request_for(*site), "default", "web", "x").error().code == Errc::kNotFound);
}

TEST_CASE("what-if: only what lost its place moves, and the rest stays") {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name);
  b.pods("web", 3).request(kCpu, 1000);
  const auto site = b.build();
  const auto result = what_if(request_for(*site), {*parse_edit("node/b:drain")}, false);
  REQUIRE(result);
  REQUIRE(result->differences.size() == 1);
  CHECK(result->differences[0].outcome == Outcome::kMoved);
  CHECK(result->differences[0].pod == "web-1");
  CHECK(result->differences[0].before == "b");
}

TEST_CASE("what-if: lost, placed and unschedulable pods are told apart") {
  SiteBuilder b;
  b.node("a").allocatable.set(kPods, 2);
  b.pod("old").on("a");
  b.pod("one").pod.priority = 5;
  b.pod("two");
  const auto site = b.build();
  const auto freed = what_if(request_for(*site), {*parse_edit("pod/default/old:delete")}, false);
  REQUIRE(freed);
  REQUIRE(freed->differences.size() == 2);
  CHECK(freed->differences[0].outcome == Outcome::kLost);
  CHECK(freed->differences[1].outcome == Outcome::kPlaced);
  const auto shrunk = what_if(request_for(*site), {*parse_edit("node/a:pods=1")}, false);
  REQUIRE(shrunk);
  REQUIRE(shrunk->differences.size() == 1);
  CHECK(shrunk->differences[0].outcome == Outcome::kUnschedulable);
  CHECK(shrunk->differences[0].pod == "one");
}
