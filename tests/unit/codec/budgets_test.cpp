// Delay budgets in labels and annotations (surface.md 4), and GS-Scheduler's variable.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/objects.hpp"

namespace gedge {
namespace {

std::vector<DelayBudget> budgets(const std::string& metadata) {
  const Facts facts = test::manifest_facts("kind: Pod\nmetadata: {name: p, " + metadata + "}\n");
  return facts.spec_of(facts.pods.at(0)).budgets;
}

std::string errors(const std::string& metadata) {
  return test::manifest_errors("kind: Pod\nmetadata: {name: p, " + metadata + "}\n");
}

std::vector<DelayBudget> annotated(const std::string& text) {
  return budgets("annotations: {gedge.io/delay-budget: \"" + text + "\"}");
}

std::string annotation_error(const std::string& text) {
  const std::string all = errors("annotations: {gedge.io/delay-budget: \"" + text + "\"}");
  const std::string place = "app.yaml:2:58: ";
  REQUIRE_MESSAGE(all.substr(0, place.size()) == place, all);
  return all.substr(place.size(), all.size() - place.size() - 1);
}

TEST_CASE("budgets: labels are milliseconds, whole or not, rounded down to microseconds") {
  const auto all = budgets(
      R"(labels: {delay_edge-1: "25", delay_db: "2.5", delay_x: "0.0019", delay_zero: "0",
      app: a})");
  REQUIRE(all.size() == 4);
  CHECK(all[0].from == "db");
  CHECK(all[0].limit_us == 2500);
  CHECK(all[1].name == "edge-1");
  CHECK(all[1].kind == PeerKind::kAny);
  CHECK(all[1].limit_us == 25'000);
  CHECK(all[1].place.line == 2);
  CHECK(all[2].limit_us == 1);
  CHECK(all[3].limit_us == 0);
}

TEST_CASE("budgets: a label that YAML reads as a number is refused with the quoted form") {
  const LoadResult result =
      test::Objects()
          .manifests("kind: Pod\nmetadata:\n  name: p\n  labels:\n    delay_edge-1: 25\n")
          .finish();
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].what == "'delay_edge-1' must be text, not a number ('25')");
  CHECK(result.errors[0].hint == "quote it: \"25\"");
  CHECK(result.errors[0].where.line == 5);
  CHECK(result.errors[0].where.column == 19);
}

TEST_CASE("budgets: labels that are no number of milliseconds") {
  for (const char* value :
       {"fast", "25ms", "1e3", "NaN", "inf", "2..5", "1.2.3", "99999999999999999999"})
    CHECK_MESSAGE(errors("labels: {delay_a: \"" + std::string(value) + "\"}") ==
                      "app.yaml:2:39: delay budget '" + std::string(value) +
                          "' is no number of milliseconds\n",
                  value);
  CHECK(errors("labels: {delay_a: \"-5\"}") == "app.yaml:2:39: '-5' is no label value\n");
  CHECK(errors("labels: {delay_a: \"\"}") ==
        "app.yaml:2:39: delay budget '' is no number of milliseconds\n");
  CHECK(errors("labels: {delay_: \"5\"}") == "app.yaml:2:30: 'delay_' is no label key\n");
}

TEST_CASE("budgets: the annotation names what a label cannot") {
  const auto all = annotated(
      "edge-1=25ms, deployment/redis=10ms,zone/berlin = 0.5s "
      ",any:statefulset/db=800us,prod/pod/web-0=1ms,"
      "node/n=2ms,external/seattle=3ms,any:shop/deployment/cart=4ms,workload/any=5ms");
  REQUIRE(all.size() == 9);
  CHECK(all[0].kind == PeerKind::kAny);
  CHECK(all[0].limit_us == 25'000);
  CHECK(all[1].kind == PeerKind::kWorkload);
  CHECK(all[1].workload_kind == "Deployment");
  CHECK(all[1].from == "deployment/redis");
  CHECK_FALSE(all[1].nearest);
  CHECK(all[2].kind == PeerKind::kZone);
  CHECK(all[2].limit_us == 500'000);
  CHECK(all[3].nearest);
  CHECK(all[3].from == "any:statefulset/db");
  CHECK(all[3].workload_kind == "StatefulSet");
  CHECK(all[3].limit_us == 800);
  CHECK(all[4].kind == PeerKind::kPod);
  CHECK(all[4].namespace_name == "prod");
  CHECK(all[4].name == "web-0");
  CHECK(all[5].kind == PeerKind::kNode);
  CHECK(all[6].kind == PeerKind::kExternal);
  CHECK(all[7].nearest);
  CHECK(all[7].namespace_name == "shop");
  CHECK(all[8].kind == PeerKind::kWorkload);
  CHECK(all[8].workload_kind.empty());
  CHECK(annotated("").empty());
  CHECK(annotated("edge-1=1ms,").size() == 1);
}

TEST_CASE("budgets: annotations that cannot be read") {
  CHECK(annotation_error("edge-1=25") == "delay budget 'edge-1=25' has no unit");
  CHECK(annotation_error("edge-1") == "delay budget 'edge-1' has no limit");
  CHECK(annotation_error("edge-1=-5ms") == "delay budget: '-5ms' is no time");
  CHECK(annotation_error("edge-1=fast") == "delay budget: 'fast' is no time");
  CHECK(annotation_error("edge-1=") == "delay budget: '' is no time");
  CHECK(annotation_error("=5ms") == "delay budget: '' names nothing");
  CHECK(annotation_error("any:=5ms") == "delay budget: 'any:' names nothing");
  CHECK(annotation_error("deployment/=5ms") == "delay budget: 'deployment/' names nothing");
  CHECK(annotation_error("a/b/c/d=5ms") == "delay budget: 'a/b/c/d' names nothing");
  CHECK(annotation_error("deploymnet/x=5ms") == "delay budget: unknown kind 'deploymnet'");
  CHECK(annotation_error("a=b=5ms") == "delay budget: 'a=b' is no name");
  CHECK(annotation_error("a=5ms;b=5ms") == "delay budget: 'a=5ms;b' is no name");
  CHECK(annotation_error("a;b=5ms") == "delay budget: 'a;b' is no name");
  CHECK(annotation_error("a=1ms,,b=1ms") == "delay budget: nothing between two commas");
  CHECK(annotation_error("prod/node/x=5ms") ==
        "delay budget: 'prod/node/x' has a namespace, but such things have none");
  const LoadResult result = test::Objects()
                                .manifests(
                                    "kind: Pod\nmetadata: {name: p, annotations: "
                                    "{gedge.io/delay-budget: \"deploymnet/x=5ms\"}}\n")
                                .finish();
  CHECK(result.errors.at(0).hint == "did you mean deployment?");
}

TEST_CASE("budgets: an annotation of gedge's that it does not read is warned about") {
  const Facts facts = test::manifest_facts(
      "kind: Pod\nmetadata: {name: p, annotations: {gedge.io/delay-budgets: \"a=5ms\"}}\n");
  REQUIRE(facts.warnings.size() == 1);
  CHECK(facts.warnings[0].code == "UnknownAnnotation");
  CHECK(facts.warnings[0].message ==
        "gedge reads no annotation 'gedge.io/delay-budgets', it is ignored; the one for delay "
        "budgets is 'gedge.io/delay-budget'");
  CHECK(facts.warnings[0].where.line == 2);
}

TEST_CASE("budgets: those of a workload itself are warned about where its template has none") {
  const auto warnings = [](const std::string& own, const std::string& of_template) {
    return test::manifest_facts("kind: Deployment\nmetadata: {name: web, " + own +
                                "}\nspec: {template: {metadata: {labels: {app: web" + of_template +
                                "}}}}\n")
        .warnings;
  };
  for (const char* own :
       {"labels: {delay_a: \"1\"}", "annotations: {gedge.io/delay-budget: \"a=1ms\"}"}) {
    const auto found = warnings(own, "");
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == "BudgetOutsideTemplate");
    CHECK(found[0].message.find("on the Deployment itself is ignored; it belongs on its pod "
                                "template") != std::string::npos);
    CHECK(found[0].where.line == 2);
    CHECK(warnings(own, ", delay_a: \"1\"").empty());
  }
  REQUIRE(warnings("annotations: {gedge.io/delaybudget: \"a=1ms\"}", "").size() == 1);
}

TEST_CASE("budgets: the template's budgets count, the workload's own do not") {
  const Facts facts = test::manifest_facts(R"(
kind: Deployment
metadata: {name: web, labels: {delay_a: "1"}}
spec:
  template:
    metadata: {labels: {delay_b: "2"}}
)");
  const auto& all = facts.spec_of(facts.pods.at(0)).budgets;
  REQUIRE(all.size() == 1);
  CHECK(all[0].from == "b");
}

TEST_CASE("budgets: GS-Scheduler's source node in the first container") {
  const auto source = [](const std::string& value) {
    const Facts facts = test::manifest_facts(
        "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    env:\n"
        "    - {name: OTHER, value: x}\n    - {name: gschConfig, value: '" +
        value +
        "'}\n  - name: b\n    env: [{name: gschConfig, value: '{\"sourceNode\": \"no\"}'}]\n");
    return facts.spec_of(facts.pods.at(0)).latency_source + "|" + test::warning_codes(facts);
  };
  CHECK(source(
            R"({"scope": "local", "priority": "GLowLatencyPriority", "option":
               {"source_node": "n1"}})") == "n1|");
  CHECK(source(R"({"option": {"sourceNode": "n2"}})") == "n2|");
  CHECK(source(R"({"sourceNode": "n3"})") == "n3|");
  CHECK(source(R"({"priority": "GMostRequestedPriority"})") == "|");
  CHECK(source("{oops") == "|GschConfigUnreadable");
}

}  // namespace
}  // namespace gedge
