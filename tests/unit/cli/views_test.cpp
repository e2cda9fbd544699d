#include <doctest/doctest.h>

#include "render/answer_views.hpp"
#include "render/explain_view.hpp"
#include "render/plan_view.hpp"
#include "render/reason_text.hpp"

using namespace gedge;
using namespace gedge::cli;

namespace {

Decision placed(std::string pod, std::string node, std::int64_t score,
                std::vector<BudgetReport> budgets = {}) {
  Decision decision;
  decision.namespace_name = "default";
  decision.pod = std::move(pod);
  decision.chosen = ScoredNode{std::move(node), score};
  decision.budgets = std::move(budgets);
  return decision;
}

Decision refused(std::string pod, std::string message, std::string namespace_name = "default") {
  Decision decision;
  decision.namespace_name = std::move(namespace_name);
  decision.pod = std::move(pod);
  decision.message = std::move(message);
  return decision;
}

std::string table_of(const Plan& plan, const TableOptions& options = {}, std::size_t width = 0,
                     bool color = false) {
  Stream out = Stream::in_memory(width, color);
  REQUIRE(print_plan(out, plan, options));
  return out.text();
}

std::string summary_of(const Plan& plan, const std::string& explain = "", bool every_reason = false,
                       const std::string& home = "default") {
  Stream err = Stream::in_memory();
  print_plan_summary(err, plan, {explain, home}, every_reason);
  return err.text();
}

}  // namespace

TEST_CASE("views: of several budgets the one with the least slack is shown") {
  const Decision decision =
      placed("cam", "a", 1, {{"x", 10'000, 2'000}, {"y", 30'000, 28'000}, {"z", 5'000, 1'000}});
  CHECK(tightest_budget(decision)->from == "y");
  CHECK(tightest_budget(placed("cam", "a", 1, {{"x", 10'000, 2'000}, {"y", 99'000, std::nullopt}}))
            ->from == "y");
  CHECK(tightest_budget(placed("cam", "a", 1)) == nullptr);
  Decision unplaced = refused("cam", "no");
  unplaced.budgets = {{"x", 10'000, std::nullopt}, {"y", 5'000, std::nullopt}};
  CHECK(tightest_budget(unplaced)->from == "y");
}

TEST_CASE("views: pods come by namespace and name and not in queue order") {
  Plan plan;
  plan.decisions = {placed("b", "n1", 5), placed("a", "n2", 7)};
  CHECK(table_of(plan, {.headers = false}) == "a\tn2\t7\t-\t-\t-\nb\tn1\t5\t-\t-\t-\n");
  plan.decisions.push_back(refused("c", "no", "another"));
  CHECK(table_of(plan, {.headers = false}).starts_with("another\tc\t-\t"));
  CHECK(table_of(plan).starts_with("NAMESPACE\tPOD\tNODE\t"));
}

TEST_CASE("views: near and violated budgets are coloured and read the same without") {
  Plan plan;
  plan.decisions = {placed("near", "n", 1, {{"x", 10'000, 9'001}}),
                    placed("over", "n", 1, {{"x", 10'000, 12'000}}),
                    placed("fine", "n", 1, {{"x", 10'000, 9'000}})};
  const std::string colored = table_of(plan, {}, 80, true);
  CHECK(colored.find("\x1b[33m1.0 ms\x1b[0m") != std::string::npos);
  CHECK(colored.find("\x1b[31m-2.0 ms\x1b[0m") != std::string::npos);
  CHECK(colored.find("  1.0 ms\n") != std::string::npos);
}

TEST_CASE("views: the summary groups pods by reason and names the first three") {
  Plan plan;
  for (const char* pod : {"a", "b", "c", "d", "e"})
    plan.decisions.push_back(refused(pod, "0/2 nodes are available: 2 Too many pods."));
  plan.decisions.push_back(placed("f", "n", 1));
  CHECK(summary_of(plan, "gedge explain POD -f x.yaml") ==
        "1 of 6 pods placed; a, b, c and 2 more are unschedulable:\n"
        "  0/2 nodes are available: 2 Too many pods.\n"
        "  see: gedge explain a -f x.yaml\n");
  CHECK(summary_of(plan, "gedge explain POD -n shop", false, "shop")
            .ends_with("\n  see: gedge explain default/a -n shop\n"));
  plan.decisions.push_back(refused("g", "0/2 nodes are available: 2 Insufficient cpu.", "shop"));
  CHECK(summary_of(plan) ==
        "1 of 7 pods placed; 6 are unschedulable:\n"
        "  default/a, default/b, default/c and 2 more:\n"
        "    0/2 nodes are available: 2 Too many pods.\n"
        "  shop/g:\n"
        "    0/2 nodes are available: 2 Insufficient cpu.\n");
}

TEST_CASE("views: ten reasons are enough unless every one is wanted") {
  Plan plan;
  for (int i = 0; i < 15; ++i)
    plan.decisions.push_back(refused("p" + std::to_string(i), "reason " + std::to_string(i)));
  CHECK(summary_of(plan).ends_with("    reason 9\n  ... and 5 more reasons\n"));
  CHECK(summary_of(plan, "", true).ends_with("    reason 14\n"));
}

TEST_CASE("views: all placed says nothing") {
  Plan plan;
  plan.decisions = {placed("a", "n", 1)};
  CHECK(summary_of(plan).empty());
}

TEST_CASE("views: a reason is measured against its limit in its own unit") {
  const auto words = [](Reason reason, std::string subject, std::int64_t measured,
                        std::int64_t limit, Unit unit) {
    return short_reason(
        {reason, Verdict::kUnschedulable, measured, limit, unit, std::move(subject)},
        Compat::k1_36);
  };
  CHECK(words(Reason::kInsufficient, "cpu", 4'200, 4'000, Unit::kMilliCpu) == "cpu 4200m > 4000m");
  CHECK(words(Reason::kInsufficient, "memory", std::int64_t{9} << 30, std::int64_t{8} << 30,
              Unit::kBytes) == "memory 9Gi > 8Gi");
  CHECK(words(Reason::kOverBudget, "edge-1", 10'001, 10'000, Unit::kMicros) ==
        "edge-1 10.001 > 10.000 ms");
  CHECK(words(Reason::kGpuCard, "gpu", 300, 500, Unit::kThousandths) == "gpu 300m < 500m");
  CHECK(words(Reason::kTooManyPods, "", 111, 110, Unit::kCount) == "pods 111 > 110");
  CHECK(words(Reason::kUnmeasuredRtt, "edge-9", kNoNumber, 10'000, Unit::kMicros) ==
        "edge-9 unmeasured");
  CHECK(words(Reason::kUntoleratedTaint, "dedicated: gpu", kNoNumber, kNoNumber, Unit::kNone) ==
        "taint dedicated: gpu");
  CHECK(words(Reason::kModule, "says no", kNoNumber, kNoNumber, Unit::kNone) == "says no");
}

TEST_CASE("views: filters that reject nothing are named below the matrix") {
  Profile profile;
  profile.filters = {{"NodeName", 1, {}}, {"DelayBudget", 1, {}}};
  Explanation explanation;
  explanation.namespace_name = "default";
  explanation.pod = "cam";
  explanation.message = "0/1 nodes are available: 1 over.";
  NodeExplanation node;
  node.node = "far";
  node.rejections = {
      {"DelayBudget",
       {Reason::kOverBudget, Verdict::kUnresolvable, 20'000, 10'000, Unit::kMicros, "edge-1"}},
      {"DelayBudget",
       {Reason::kUnmeasuredRtt, Verdict::kUnresolvable, kNoNumber, 1'000, Unit::kMicros,
        "edge-2"}}};
  explanation.nodes = {node};
  explanation.changes = {{{"rtt/edge-1,far=10ms", "rtt/edge-2,far=1ms"}, false, "far"}};
  Stream out = Stream::in_memory();
  print_explanation(out, explanation, profile, "", true);
  CHECK(out.text() ==
        "cam is unschedulable: 0/1 nodes are available: 1 over.\n"
        "\n"
        "Filters (1 node, 0 feasible)\n"
        "NODE\tDelayBudget\tVERDICT\n"
        "far\tedge-1 20.0 > 10.0 ms, edge-2 unmeasured\trejected\n"
        "ok on every node: NodeName\n"
        "\n"
        "What would change this\n"
        "  far becomes feasible with rtt/edge-1,far=10ms and rtt/edge-2,far=1ms\n"
        "  other pods may lose their place: gedge plan --what-if EDIT shows which\n");

  explanation.changes = {{{"rtt/edge-1,far=1ms"}, false, "far", Shown::kEvaluation}};
  Stream unplanned = Stream::in_memory(), bound = Stream::in_memory(), none = Stream::in_memory();
  print_explanation(unplanned, explanation, profile, "", true);
  CHECK(
      unplanned.text().ends_with("rtt/edge-1,far=1ms, at its turn in the queue; no plan that was "
                                 "tried puts it there\n"));
  print_explanation(bound, explanation, profile, "near", true);
  CHECK(bound.text().ends_with("rtt/edge-1,far=1ms, placed anew; no plan moves a bound pod\n"));
  explanation.changes.clear();
  print_explanation(none, explanation, profile, "", true);
  CHECK(none.text().ends_with("What would change this\n  no set of edits that was tried\n"));
}

TEST_CASE("views: a terminal too narrow for the filters gets one row a reason with numbers whole") {
  Profile profile;
  profile.filters = {{"NodeResourcesFit", 1, {}}, {"DelayBudget", 1, {}}};
  Explanation explanation;
  explanation.pod = "cam";
  NodeExplanation near, far;
  near.node = "near", near.feasible = true;
  far.node = "far";
  far.rejections = {
      {"NodeResourcesFit",
       {Reason::kInsufficient, Verdict::kUnschedulable, 4'200, 4'000, Unit::kMilliCpu, "cpu"}},
      {"DelayBudget",
       {Reason::kOverBudget, Verdict::kUnresolvable, 20'000, 10'000, Unit::kMicros,
        "deployment/a-rather-long-name-of-a-workload"}}};
  explanation.nodes = {far, near};
  Stream out = Stream::in_memory(70);
  print_explanation(out, explanation, profile, "", true);
  const std::string text = out.text();
  CHECK(text.find("\nNODE  VERDICT   POLICY") != std::string::npos);
  CHECK(text.find("  cpu 4200m > 4000m\n") != std::string::npos);
  CHECK(text.find(" 20.0 > 10.0 ms\nnear  feasible  -") != std::string::npos);
  for (std::size_t start = text.find("NODE"), end; start < text.find("\n\nWhat"); start = end + 1) {
    end = text.find('\n', start);
    CHECK(end - start <= 70);
  }
  Stream wide = Stream::in_memory(200);
  print_explanation(wide, explanation, profile, "", true);
  CHECK(wide.text().find("NODE  NodeResourcesFit   DelayBudget") != std::string::npos);
}

TEST_CASE("views: a terminal too narrow for the scores gets one row a policy and the best nodes") {
  Profile profile;
  profile.scores = {{"NodeResourcesBalancedAllocation", 1, {}}, {"LatencySlack", 5, {}}};
  Explanation explanation;
  explanation.pod = "cam";
  explanation.chosen = ScoredNode{"node-0", 500};
  for (int i = 0; i < 9; ++i) {
    NodeExplanation node;
    node.node = "node-" + std::to_string(i);
    node.feasible = true;
    node.scores = {{"NodeResourcesBalancedAllocation", 0, 0, 1}, {"LatencySlack", 0, 100 - i, 5}};
    node.total = 5 * (100 - i);
    explanation.nodes.push_back(node);
  }
  Stream out = Stream::in_memory(60);
  print_explanation(out, explanation, profile, "", true);
  const std::string text = out.text();
  CHECK(text.find("\nPOLICY") != std::string::npos);
  CHECK(text.find("  node-0  node-1") != std::string::npos);
  CHECK(text.find("and 4 nodes with lower totals") != std::string::npos);
  for (std::size_t start = text.find("\nPOLICY") + 1, end; start < text.find("and 4 nodes");
       start = end + 1) {
    end = text.find('\n', start);
    CHECK(end - start <= 60);
  }
  Stream pipe = Stream::in_memory();
  print_explanation(pipe, explanation, profile, "", true);
  CHECK(pipe.text().find("NODE\tNodeResourcesBalancedAllocation x1\t") != std::string::npos);
}

TEST_CASE("views: a bound pod is said to be bound") {
  Explanation explanation;
  explanation.pod = "cam";
  explanation.chosen = ScoredNode{"b", 500};
  Stream out = Stream::in_memory();
  print_explanation(out, explanation, {}, "a", true);
  CHECK(out.text().starts_with(
      "cam is bound to a; placed anew, with everything else as it is:\ncam -> b   score 500"));
  Stream beside = Stream::in_memory();
  print_why_not(beside, explanation, {}, "a", "c", true);
  CHECK(beside.text().starts_with("cam is bound to a; "));
}

TEST_CASE("views: names come in the order that is asked for and without those that wait") {
  Plan plan;
  plan.decisions = {placed("b", "n1", 5), placed("a", "n2", 7), refused("c", "no")};
  CHECK(table_of(plan, {.names = true}) == "pod/b\npod/a\n");
  CHECK(table_of(plan, {.sort_by = "pod", .names = true}) == "pod/a\npod/b\n");
  CHECK(table_of(plan, {.sort_by = "node", .names = true}) == "pod/b\npod/a\n");
  Stream out = Stream::in_memory();
  CHECK_FALSE(print_plan(out, plan, {.sort_by = "nodes", .names = true}));
}

TEST_CASE("views: what-if and violations have a namespace where the plan has one") {
  WhatIf what_if;
  what_if.differences = {{Outcome::kMoved, "shop", "web-0", "a", "b"}};
  const auto shown = [&](bool all, const TableOptions& options) {
    Stream out = Stream::in_memory();
    REQUIRE(print_what_if(out, what_if, all, options));
    return out.text();
  };
  CHECK(shown(true, {}) == "CHANGE\tPOD\tBEFORE\tAFTER\n~ moved\tweb-0\ta\tb\n");
  CHECK(shown(true, {.headers = false, .namespaces = true}) == "shop\t~ moved\tweb-0\ta\tb\n");
  what_if.differences.clear();
  CHECK(shown(true, {}) == "no pod changes\n");
  CHECK(shown(false, {}) == "no pod that is shown changes\n");
  Stream out = Stream::in_memory();
  REQUIRE(print_violations(out, {{"a", "x", "n", "Rule", "text"}, {"b", "x", "n", "Rule", "text"}},
                           {}));
  CHECK(out.text() ==
        "NAMESPACE\tPOD\tNODE\tRULE\tVIOLATION\na\tx\tn\tRule\ttext\n"
        "b\tx\tn\tRule\ttext\n");
}

TEST_CASE("views: scores go from the best node to the last and mark the choice") {
  Profile profile;
  profile.scores = {{"LatencySlack", 5, {}}};
  Explanation explanation;
  explanation.pod = "cam";
  explanation.chosen = ScoredNode{"b", 500};
  explanation.runner_up = ScoredNode{"a", 500};
  for (const auto& [name, normalized] :
       {std::pair{"a", 100}, std::pair{"b", 100}, std::pair{"c", 20}}) {
    NodeExplanation node;
    node.node = name;
    node.feasible = true;
    node.scores = {{"LatencySlack", normalized, normalized, 5}};
    node.total = 5 * normalized;
    explanation.nodes.push_back(node);
  }
  Stream out = Stream::in_memory();
  print_explanation(out, explanation, profile, "", true);
  CHECK(out.text().find("NODE\tLatencySlack x5\tTOTAL\tRANK\n"
                        "b\t100\t500\tchosen\n"
                        "a\t100\t500\trunner-up\n"
                        "c\t20\t100\t-\n") != std::string::npos);
}
