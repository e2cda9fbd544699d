// What a scheduler keeps of pods and nodes that it has read as a server lists them.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "gedge/codec/load.hpp"
#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "unit/control/live_bytes.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr int kNodes = 100, kPods = 2'000;

std::string node(int i) {
  const std::string name = "node-" + std::to_string(i);
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")" + name + R"(","uid":"n-)" +
         std::to_string(i) + R"(","labels":{"kubernetes.io/hostname":")" + name +
         R"(","kubernetes.io/os":"linux","topology.kubernetes.io/zone":"z)" +
         std::to_string(i % 10) + R"("}},"status":{"allocatable":{"cpu":"64","memory":"256Gi",)" +
         R"("pods":"250"},"conditions":[{"type":"Ready","status":"True"}]}})";
}

std::string replica(int i) {
  const std::string set = "web-" + std::to_string(i % 10);
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":")" + set +
         "-5d4f8c7b9-" + std::to_string(10'000 + i) +
         R"(","uid":"0a1b2c3d-0000-4000-8000-0000000)" + std::to_string(10'000 + i) +
         R"(","labels":{"app":")" + set + R"(","pod-template-hash":"5d4f8c7b9"},)" +
         R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + set +
         R"(-5d4f8c7b9","uid":"s","controller":true}]},"spec":{"nodeName":"node-)" +
         std::to_string(i % kNodes) +
         R"(","containers":[{"name":"c","image":"example.invalid/c",)" +
         R"("resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]},)" +
         R"("status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z"}})";
}

void put(Scheduler& scheduler, const char* kind, int count,
         const std::function<std::string(int)>& object) {
  std::string text = R"({"apiVersion":"v1","kind":")" + std::string(kind) + R"(","items":[)";
  for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + object(i);
  text += "]}";
  FactsLoader loader(LoadOptions{});
  loader.add_cluster({"list", text, 0});
  LoadResult result = loader.finish();
  REQUIRE(result.loaded);
  scheduler.put(std::move(result.loaded->facts));
}

std::int64_t kept(int nodes, int pods) {
  const std::int64_t before = live_bytes();
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  put(scheduler, "NodeList", nodes, node);
  put(scheduler, "PodList", pods, replica);
  REQUIRE(scheduler.advance(Nanos{1}));
  CHECK(scheduler.cluster().pod_count() == static_cast<std::size_t>(pods));
  return live_bytes() - before;
}

TEST_CASE("scheduler: at most 600 bytes are kept of a replica, and 1.5 KB of a node") {
  const std::int64_t few = kept(kNodes, kPods);
  CHECK((kept(kNodes, 3 * kPods) - few) / (2 * kPods) <= 600);
  CHECK((kept(5 * kNodes, kPods) - few) / (4 * kNodes) <= 1'500);
}

}  // namespace
