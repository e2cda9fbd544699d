// A workload as a whole: what its pods are made of, and how its controller replaces them.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "gedge/codec/workload_sample.hpp"

namespace gedge::codec {
namespace {

std::string workload(const std::string& kind, const std::string& spec, const std::string& status) {
  return R"({"apiVersion":"apps/v1","kind":")" + kind +
         R"(","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"9",)"
         R"("generation":4,"annotations":{"gedge.io/grown":"now=2"}},"spec":{"replicas":5,)"
         R"("selector":{"matchLabels":{"app":"web"}},)" +
         spec +
         R"("template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c",)"
         R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"3"}}}]}}},"status":{)" +
         status + "}}";
}

ScaleReading read(const std::string& body, const std::string& kind = "Deployment",
                  unsigned status = 200) {
  ApiAnswer answer;
  answer.status = status;
  answer.body = body;
  return workload_reading(answer, {"apps/v1", kind, "web"});
}

constexpr const char* kSettled =
    R"("observedGeneration":4,"replicas":5,"updatedReplicas":5,"readyReplicas":4)";

RolloutRules rollout(const std::string& spec, const std::string& status = kSettled) {
  const ScaleReading reading = read(workload("Deployment", spec, status));
  REQUIRE(reading.kind == ScaleReading::Kind::kFound);
  return reading.scale.rollout;
}

TEST_CASE("workload reading: as its scale, with what its pods are made of") {
  const ScaleReading reading = read(workload("Deployment", "", kSettled));
  REQUIRE(reading.kind == ScaleReading::Kind::kFound);
  const ScaleTarget& web = reading.scale;
  CHECK(web.namespace_name == "shop");
  CHECK(web.uid == "u");
  CHECK(web.version == "9");
  CHECK(web.spec_replicas == 5);
  CHECK(web.status_replicas == 5);
  CHECK(web.has_selector);
  CHECK(web.grown == "now=2");
  REQUIRE(web.made_of.containers.size() == 1);
  CHECK(web.made_of.containers.front().requests.amount("cpu") == 2'000);
  CHECK(web.made_of.containers.front().limits.amount("cpu") == 3'000);
}

TEST_CASE("workload reading: what is none is not taken for one") {
  CHECK(read(R"({"message":"gone"})", "Deployment", 404).kind == ScaleReading::Kind::kMissing);
  CHECK(read("", "Deployment", 503).kind == ScaleReading::Kind::kUnreadable);
  CHECK(read("<html>").kind == ScaleReading::Kind::kUnreadable);
  CHECK(read("{}").kind == ScaleReading::Kind::kUnreadable);
  CHECK(read(workload("StatefulSet", "", "")).kind == ScaleReading::Kind::kUnreadable);
}

TEST_CASE("rollout: how many pods of a Deployment may lack meanwhile") {
  using Kind = RolloutRules::Kind;
  CHECK(rollout("").kind == Kind::kRolling);
  for (const auto& [text, unavailable] : std::initializer_list<std::pair<std::string, int>>{
           {"", 1},
           {R"("rollingUpdate":{})", 1},
           {R"("rollingUpdate":{"maxUnavailable":0})", 0},
           {R"("rollingUpdate":{"maxUnavailable":2})", 2},
           {R"("rollingUpdate":{"maxUnavailable":9})", 5},
           {R"("rollingUpdate":{"maxUnavailable":"50%"})", 2},
           {R"("rollingUpdate":{"maxUnavailable":"19%"})", 0},
           {R"("rollingUpdate":{"maxUnavailable":"some"})", 0},
           {R"("rollingUpdate":{"maxUnavailable":"19%","maxSurge":0})", 1},
           {R"("rollingUpdate":{"maxUnavailable":"19%","maxSurge":"0%"})", 1},
           {R"("rollingUpdate":{"maxUnavailable":"19%","maxSurge":"1%"})", 0},
           {R"("rollingUpdate":{"maxUnavailable":"9000000000000000000%"})", 5}}) {
    const std::string given = text;
    CAPTURE(given);
    CHECK(rollout(R"("strategy":{)" + text + "},").unavailable == unavailable);
  }
  CHECK(rollout(R"("strategy":{"type":"Recreate"},)").kind == Kind::kRecreate);
  CHECK_FALSE(rollout("").is_partial);
  CHECK(rollout(R"("paused":true,)").is_partial);
}

TEST_CASE("rollout: it goes on until the controller has seen the last change and made it") {
  CHECK_FALSE(rollout("").is_under_way);
  CHECK(rollout("", "").is_under_way);
  CHECK(rollout("", R"("observedGeneration":3,"replicas":5,"updatedReplicas":5)").is_under_way);
  CHECK(rollout("", R"("observedGeneration":4,"replicas":6,"updatedReplicas":5)").is_under_way);
  CHECK_FALSE_MESSAGE(
      rollout("", R"("observedGeneration":4,"replicas":2,"updatedReplicas":2)").is_under_way,
      "more of them are to come, all alike");
  const std::string half = R"("observedGeneration":4,"replicas":6,"updatedReplicas":5,)";
  const auto progressing = [&](const std::string& is) {
    return rollout("", half + R"("conditions":[{"type":"Progressing","status":")" + is + R"("}])");
  };
  CHECK(progressing("True").is_under_way);
  CHECK_FALSE(progressing("True").is_stuck);
  CHECK_FALSE_MESSAGE(progressing("False").is_under_way, "nobody knows when it ever will");
  CHECK(progressing("False").is_stuck);
  const auto failing = [&](const std::string& is) {
    return rollout("", half + R"("conditions":[{"type":"ReplicaFailure","message":"quota",)" +
                           R"("status":")" + is + R"("}])");
  };
  CHECK(failing("True").failure == "quota");
  CHECK(failing("False").failure.empty());
  CHECK_FALSE(failing("True").is_stuck);
}

TEST_CASE("rollout: what somebody holds is not under way, and what moves on says so") {
  const std::string half = R"("observedGeneration":4,"replicas":6,"updatedReplicas":2)";
  const RolloutRules paused = rollout(R"("paused":true,)", half);
  CHECK_FALSE_MESSAGE(paused.is_under_way, "it stays so until somebody says so");
  CHECK(paused.is_partial);
  CHECK(rollout(R"("paused":false,)", half).is_under_way);
  CHECK_MESSAGE(rollout(R"("paused":true,)", "").is_under_way, "nobody has seen that yet");
  CHECK(paused.progress == RolloutRules::Progress{4, 2, 6});
}

TEST_CASE("rollout: of a StatefulSet one at a time, and not where somebody holds it") {
  const auto of = [](const std::string& spec, const std::string& revisions) {
    const ScaleReading reading = read(
        workload("StatefulSet", spec, R"("observedGeneration":4,)" + revisions), "StatefulSet");
    REQUIRE(reading.kind == ScaleReading::Kind::kFound);
    return reading.scale.rollout;
  };
  const std::string same = R"("currentRevision":"a","updateRevision":"a")";
  const RolloutRules usual = of("", same);
  CHECK(usual.kind == RolloutRules::Kind::kRolling);
  CHECK(usual.unavailable == 1);
  CHECK_FALSE(usual.is_under_way);
  CHECK(usual.is_ordered);
  CHECK(of(R"("podManagementPolicy":"OrderedReady",)", same).is_ordered);
  CHECK_FALSE(of(R"("podManagementPolicy":"Parallel",)", same).is_ordered);
  CHECK(of("", R"("currentRevision":"a","updateRevision":"b")").is_under_way);
  CHECK(of(R"("updateStrategy":{"type":"OnDelete"},)", same).kind == RolloutRules::Kind::kNone);
  const std::string held = R"("updateStrategy":{"rollingUpdate":{"partition":2}},)";
  CHECK(of(held, same).is_partial);
  const std::string differ = R"("replicas":5,"currentRevision":"a","updateRevision":"b",)";
  CHECK(of(held, differ + R"("updatedReplicas":2)").is_under_way);
  CHECK_FALSE_MESSAGE(of(held, differ + R"("updatedReplicas":3)").is_under_way,
                      "two of five stay as they are");
  CHECK(of("", differ + R"("updatedReplicas":5)").is_under_way);
  CHECK(of("", differ + R"("updatedReplicas":3)").progress == RolloutRules::Progress{4, 3, 5});
  const ScaleReading other = read(workload("ReplicaSet", "", ""), "ReplicaSet");
  CHECK(other.scale.rollout.kind == RolloutRules::Kind::kNone);
}

}  // namespace
}  // namespace gedge::codec
