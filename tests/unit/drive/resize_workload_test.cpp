#include "gedge/drive/resize_workload.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/sim/scripted_api.hpp"

namespace gedge {
namespace {

struct FixedClock final : Clock {
  Micros now() const override { return Micros(1'000'000); }
};

std::string list(const std::string& kind, const std::string& items) {
  return R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{"resourceVersion":"5"},)" +
         R"("items":[)" + items + "]}";
}

/// One Deployment, one pod; answers by itself.
struct Server final : ApiTransport {
  ScriptedApi api;
  std::vector<std::string> patched, bodies;
  std::vector<unsigned> answers{200};  // to patches, by turns; 0: nobody knows
  bool takes_effect = true;            // even where nobody knows
  bool is_gone = false;
  int version = 1, looks = 0;
  std::string cpu = "1";

  void send(std::uint64_t ticket, ApiRequest request) override {
    const ApiVerb verb = request.verb;
    const std::string target = request.target.substr(0, request.target.find('?'));
    const std::string body = request.body;
    api.send(ticket, std::move(request));
    if (verb == ApiVerb::kPatch)
      patch(ticket, target, body);
    else
      api.say(ticket, 200, read(target));
  }
  void patch(std::uint64_t ticket, const std::string& target, const std::string& body) {
    const unsigned status = patched.size() < answers.size() ? answers[patched.size()] : 200;
    patched.push_back(target);
    bodies.push_back(body);
    ++version;
    if (status == 200 || (status == 0 && takes_effect)) cpu = "200m";
    if (status != 0) return api.say(ticket, status, R"({"message":"as told"})");
    ApiAnswer nothing;
    nothing.error = {Errc::kTimeout, "no answer", {}, {}};
    api.say(ticket, nothing);
  }
  std::string read(const std::string& target) {
    const bool is_pod = target.ends_with("/pods");
    const std::string meta = R"({"metadata":{"name":"web","namespace":"shop","uid":")" +
                             std::string(is_pod ? "p" : "u") +
                             R"(",)"
                             R"("resourceVersion":")" +
                             std::to_string(version) + R"(","labels":{"app":"web"}})";
    const std::string spec =
        R"({"containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]})";
    if (target.ends_with("/deployments")) {
      ++looks;
      return list("DeploymentList",
                  meta +
                      R"(,"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{)"
                      R"("metadata":{"labels":{"app":"web"}},"spec":)" +
                      spec + "}}}");
    }
    if (target.ends_with("/pods") && target.find("metrics") == std::string::npos)
      return list("PodList",
                  is_gone ? "" : meta + R"(,"spec":)" + spec + R"(,"status":{"phase":"Running"}})");
    if (target == "/api/v1/nodes")
      return list("NodeList", R"({"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4",)"
                              R"("memory":"8Gi"}}})");
    return list("PodMetricsList", "");
  }
  void cancel(std::uint64_t ticket) override { api.cancel(ticket); }
  Status wait(Nanos most, const ApiListener& listener) override { return api.wait(most, listener); }
  void wake() override { api.wake(); }
};

// As if much was known.
PlanResize planner(ResizeWay way) {
  return [way](const WorkloadLook& look) -> Result<ResizePlan> {
    REQUIRE(look.facts.targets.size() == 1);
    Recommendation known;
    known.namespace_name = "shop";
    ContainerRecommendation& container = known.containers.emplace_back();
    container.name = "c";
    container.days = 8;
    container.cpu.emplace();
    container.cpu->lower = 100;
    container.cpu->target = 200;
    container.cpu->upper = 300;
    return plan_resize(look.facts, look.facts.targets.front(), known, {way, 3'600});
  };
}

ResizeRun run(Server& server, ResizeWay way = ResizeWay::kTemplate) {
  FixedClock clock;
  auto result = resize_workload(server, clock, "shop", planner(way));
  REQUIRE(result);
  return *std::move(result);
}

}  // namespace

TEST_CASE("resize workload: the template is patched as it was read, and once") {
  Server server;
  const ResizeRun first = run(server);
  REQUIRE(first.objects.size() == 1);
  CHECK(first.objects.front().outcome == ResizeOutcome::kDone);
  CHECK(server.patched ==
        std::vector<std::string>{"/apis/apps/v1/namespaces/shop/deployments/web"});
  CHECK(server.bodies.front() ==
        R"({"metadata":{"uid":"u","resourceVersion":"1"},"spec":{"template":{"spec":{)"
        R"("containers":[{"name":"c","resources":{"requests":{"cpu":"200m"}}}]}}}})");
  CHECK(run(server).objects.empty());
  CHECK(server.patched.size() == 1);
}

TEST_CASE("resize workload: pods are resized through their subresource") {
  Server server;
  CHECK(run(server, ResizeWay::kInPlace).objects.front().outcome == ResizeOutcome::kDone);
  CHECK(server.patched == std::vector<std::string>{"/api/v1/namespaces/shop/pods/web/resize"});
}

TEST_CASE("resize workload: after a conflict it is done as it is by then") {
  Server server;
  server.answers = {409, 409, 200};
  CHECK(run(server).objects.front().outcome == ResizeOutcome::kDone);
  CHECK(server.looks == 3);
  CHECK(server.bodies.back().find(R"("resourceVersion":"3")") != std::string::npos);
}

TEST_CASE("resize workload: conflicts without end are given up") {
  Server server;
  server.answers.assign(100, 409);
  const ResizeRun done = run(server);
  CHECK(done.objects.front().outcome == ResizeOutcome::kConflict);
  CHECK(server.patched.size() == 5);
}

TEST_CASE("resize workload: what nobody knows of is settled by a look") {
  Server server;
  server.answers = {0};
  CHECK(run(server).objects.front().outcome == ResizeOutcome::kDone);
  CHECK(server.patched.size() == 1);
  Server lost;
  lost.answers = {0, 200};
  lost.takes_effect = false;
  CHECK(run(lost).objects.front().outcome == ResizeOutcome::kDone);
  CHECK(lost.patched.size() == 2);
}

TEST_CASE("resize workload: what is refused is not asked again, and the server's words are kept") {
  Server server;
  server.answers.assign(10, 422);
  const ResizeRun done = run(server, ResizeWay::kInPlace);
  CHECK(done.objects.front().outcome == ResizeOutcome::kRefused);
  CHECK(done.objects.front().why.find("as told") != std::string::npos);
  CHECK(server.patched.size() == 1);
}

TEST_CASE("resize workload: a pod that went meanwhile is gone, not done") {
  Server server;
  server.answers = {409};
  FixedClock clock;
  int looks = 0;
  const PlanResize plan = planner(ResizeWay::kInPlace);
  const auto result =
      resize_workload(server, clock, "shop", [&](const WorkloadLook& look) -> Result<ResizePlan> {
        server.is_gone = ++looks == 1;
        return plan(look);
      });
  REQUIRE(result);
  CHECK(result->objects.front().outcome == ResizeOutcome::kGone);
}

TEST_CASE("resize workload: nothing is sent where it is held") {
  Server server;
  FixedClock clock;
  const auto result =
      resize_workload(server, clock, "shop", [](const WorkloadLook& look) -> Result<ResizePlan> {
        ResizePlan plan;
        plan.objects.push_back(
            {"Deployment", "shop", "web", look.facts.targets.front().uid, "1", {}});
        plan.held = Error{Errc::kConflict, "too little is known", {}, {}};
        return plan;
      });
  REQUIRE(result);
  CHECK(server.patched.empty());
  CHECK(result->objects.front().outcome == ResizeOutcome::kPlanned);
}

}  // namespace gedge
