// Policies that break the contract while they are asked: the run ends with an error that names
// them.
#include "gedge/plan/edit.hpp"
#include "module_support.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

// A profile in which one policy of the module decides alone.
Profile only(const Modules& modules, const std::string& policy) {
  Profile profile;
  profile.name = "only";
  profile.scheduler_name = "default-scheduler";
  for (const ModulePolicy& known : modules.policies()) {
    if (known.info.name != policy) continue;
    (known.info.filter ? profile.filters : profile.scores).push_back({policy, 1, {}});
    return profile;
  }
  FAIL("no policy ", policy);
  return profile;
}

std::unique_ptr<Site> three_nodes() {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name);
  b.pods("web", 2, {{"app", "web"}}).request(kCpu, 100);
  return b.build();
}

struct Run {
  Modules modules;
  Result<Plan> plan;
};

Run run(const std::string& policy, ModuleChecks checks = ModuleChecks::kFirstEvaluation) {
  Modules modules = loaded({module_path("conduct")}, checks);
  const auto site = three_nodes();
  auto plan = make_plan(request_of(site->facts, site->matrix, only(modules, policy), &modules));
  return {std::move(modules), std::move(plan)};
}

// What the plan failed with.
std::string failure_of(const std::string& policy) {
  const Run done = run(policy);
  REQUIRE_FALSE_MESSAGE(done.plan, policy);
  const Error& error = done.plan.error();
  CHECK(error.code == Errc::kInvalidInput);
  CHECK(error.where.origin == module_path("conduct"));
  CHECK(error.what.find("policy '" + policy + "' ") == 0);
  CHECK_FALSE(error.hint.empty());
  REQUIRE(done.modules.failure());
  CHECK(done.modules.failure()->what == error.what);
  return error.what.substr(policy.size() + 10);
}

bool is_fine(const std::string& policy) {
  const Run done = run(policy);
  return done.plan && done.plan->decisions.size() == 2 && !done.modules.failure();
}

}  // namespace

TEST_CASE("modules: verdicts other than 0 and 1 end the run") {
  CHECK(failure_of("VerdictTwo") == "gave node 'c' the verdict 2, which is outside 0..1");
  CHECK(failure_of("VerdictMissing") == "gave node 'c' no verdict");
  CHECK(failure_of("FilterReturns") == "returned 7 from `filter`");
}

TEST_CASE("modules: scores outside their range end the run") {
  CHECK(failure_of("Score101") == "gave node 'a' the score 101, which is outside 0..100");
  CHECK(failure_of("ScoreBelow") == "gave node 'a' the score -1, which is outside 0..100");
  CHECK(failure_of("ScoreBelowMax") ==
        "gave node 'a' the score -1, which is outside 0..9007199254740992");
  CHECK(failure_of("ScoreHuge") ==
        "gave node 'a' the score -9007199254740993, which is outside "
        "-9007199254740992..9007199254740992");
  CHECK(failure_of("ScoreNan") ==
        "gave node 'a' the score -9223372036854775808, which is outside 0..9007199254740992");
  CHECK(is_fine("ScoreAtLimit"));
  CHECK(failure_of("ScoreMissing") == "gave node 'a' no score");
  CHECK(failure_of("ScoreReturns") == "returned -3 from `score`");
}

TEST_CASE("modules: writing beyond the rows in question ends the run") {
  CHECK(failure_of("FilterBeyond") == "wrote beyond the rows that its `filter` was asked for");
  CHECK(failure_of("FilterBefore") == "wrote beyond the rows that its `filter` was asked for");
}

TEST_CASE("modules: two answers to one question end the run") {
  CHECK(failure_of("FilterAlternates").find(", and asked again, ") != std::string::npos);
  CHECK(failure_of("ScoreAlternates").find(", and asked again, ") != std::string::npos);
  CHECK(failure_of("PreparesAnew").find(", and asked again, ") != std::string::npos);
  CHECK(is_fine("PreparesAlike"));
  // Each half of a range is a range, too.
  CHECK(failure_of("FilterByRange") == "gave node 'b' the verdict 1, and asked again, 0");
}

TEST_CASE("modules: a policy that turns later is found where every evaluation is checked") {
  CHECK(is_fine("ScoreTurnsLate"));
  const Run done = run("ScoreTurnsLate", ModuleChecks::kEveryEvaluation);
  REQUIRE_FALSE(done.plan);
  CHECK(done.plan.error().what.find("policy 'ScoreTurnsLate' gave node ") == 0);
}

TEST_CASE("modules: an exception ends the run, not the process") {
  CHECK(failure_of("ScoreThrows") == "threw an exception in `score`: out of ideas");
}

TEST_CASE("modules: a policy reads what it declares and nothing else") {
  CHECK(failure_of("ReadsUsage") == "read requested without saying that it does");
  CHECK(failure_of("ReadsPodLabel") == "read the pod's label 'app' without saying that it does");
  CHECK(failure_of("ReadsPodRequest") == "read request without saying that it does");
  CHECK(failure_of("PreparesUsage") == "read requested in `prepare` without saying that it does");
  CHECK(is_fine("PreparesAnything"));
}

TEST_CASE("modules: a reason is one line of text, and the same one each time") {
  CHECK(failure_of("ReasonOfTwoLines") == "gave a reason that is not one line of text: node 'a'");
  CHECK(failure_of("ReasonNotUtf8") == "gave a reason that is not one line of text: node 'a'");
  CHECK(failure_of("ReasonAlternates") == "gave two reasons for rejecting node 'a'");
  const Run done = run("ReasonNull");
  REQUIRE(done.plan);
  CHECK(done.plan->decisions[0].message ==
        "0/3 nodes are available: 3 node(s) were rejected by ReasonNull.");
}

TEST_CASE("modules: explanations and what-ifs end with the same error as plans") {
  const auto site = three_nodes();
  for (const bool with_changes : {false, true}) {
    const Modules modules = loaded({module_path("conduct")});
    const PlanRequest request =
        request_of(site->facts, site->matrix, only(modules, "Score101"), &modules);
    const auto explanation = explain(request, "default", "web-0", with_changes);
    REQUIRE_FALSE(explanation);
    CHECK(explanation.error().what.find("policy 'Score101' ") == 0);
  }
  const Modules modules = loaded({module_path("conduct")});
  const PlanRequest request =
      request_of(site->facts, site->matrix, only(modules, "VerdictTwo"), &modules);
  const auto answer = why_not(request, "default", "web-0", "b");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().what.find("policy 'VerdictTwo' ") == 0);
}

TEST_CASE("modules: a what-if ends where only the edited run breaks the contract") {
  const auto site = three_nodes();
  const auto edit = parse_edit("node/a:label.trap=yes");
  REQUIRE(edit);
  for (const bool replan : {false, true}) {
    const Modules modules = loaded({module_path("conduct")});
    const PlanRequest request =
        request_of(site->facts, site->matrix, only(modules, "VerdictTrap"), &modules);
    REQUIRE(make_plan(request));
    const auto answer = what_if(request, {*edit}, replan);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().what ==
          "policy 'VerdictTrap' gave node 'a' the verdict 3, which is outside 0..1");
    // Whoever goes on with the same modules gets the same error, never a plan.
    CHECK_FALSE(make_plan(request));
  }
}
