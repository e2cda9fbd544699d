// Pods of which not all can be read, where they are kept nevertheless.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gedge/codec/load.hpp"

namespace gedge {
namespace {

LoadResult load(const std::string& items, bool keeps, bool manifests = false) {
  LoadOptions options;
  options.keeps_unread = keeps;
  FactsLoader loader(options);
  const std::string text =
      R"({"apiVersion":"v1","kind":"PodList","metadata":{},"items":[)" + items + "]}";
  if (manifests)
    loader.add_manifests({"pods", text});
  else
    loader.add_cluster({"pods", text});
  return loader.finish();
}

std::string pod(const std::string& name, const std::string& spec,
                const std::string& status = "{}") {
  return R"({"metadata":{"name":")" + name + R"(","uid":"u-)" + name +
         R"("},"spec":{"nodeName":"n1",)" + spec + R"(},"status":)" + status + "}";
}

const std::string kOdd =
    R"("containers":[{"name":"c","resources":{"requests":{"cpu":"many","memory":"1Gi"}}}])";
const std::string kPlain = R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}])";

TEST_CASE("unread pods: an error, but where they are kept, with what could be read") {
  CHECK_FALSE(load(pod("odd", kOdd), false).loaded);
  CHECK_FALSE(load(pod("odd", kOdd), true, true).loaded);
  const LoadResult result = load(pod("a", kPlain) + "," + pod("odd", kOdd), true);
  REQUIRE(result.loaded);
  const Facts& facts = result.loaded->facts;
  REQUIRE(facts.pods.size() == 2);
  CHECK(facts.spec_of(facts.pods[0]).unread.empty());
  const Pod& odd = facts.pods[1];
  CHECK(odd.uid == "u-odd");
  CHECK(odd.bound_node == "n1");
  const PodSpec& spec = facts.spec_of(odd);
  CHECK(spec.unread == "'cpu' is no quantity: 'many'; write it like 250m, 1.5, 512Mi or 2Gi");
  REQUIRE(spec.containers.size() == 1);
  CHECK(spec.containers[0].requests == Resources{{"memory", std::int64_t{1} << 30}});
}

TEST_CASE("unread nodes: an error, but where they are kept, and no pod comes to them then") {
  const auto load_node = [](bool keeps) {
    LoadOptions options;
    options.keeps_unread = keeps;
    FactsLoader loader(options);
    loader.add_cluster({"nodes", R"({"kind":"Node","metadata":{"name":"n1","labels":{"a":"b"}},)"
                                 R"("spec":{"taints":[{"key":"k","effect":"NoSchedule"}]},)"
                                 R"("status":{"allocatable":{"cpu":"100P","memory":"1Gi"}}})"});
    return loader.finish();
  };
  CHECK_FALSE(load_node(false).loaded);
  const LoadResult result = load_node(true);
  REQUIRE(result.loaded);
  REQUIRE(result.loaded->facts.nodes.size() == 1);
  const Node& node = result.loaded->facts.nodes[0];
  CHECK(node.unread ==
        "'cpu' does not fit 64 bits: '100P'; write a smaller amount; the largest is "
        "9223372036854775807m");
  CHECK(node.unschedulable);
  CHECK(node.taints.size() == 1);
  CHECK(node.labels.find("a") != nullptr);
  CHECK(node.allocatable == Resources{{"memory", std::int64_t{1} << 30}});
}

TEST_CASE("unread pods: many of one template all say so, and others that look like them do not") {
  std::string items;
  for (int i = 0; i < 20; ++i)
    items += (i == 0 ? "" : ",") + pod("p-" + std::to_string(10 + i), i == 13 ? kPlain : kOdd);
  const LoadResult result = load(items, true);
  REQUIRE(result.loaded);
  const Facts& facts = result.loaded->facts;
  REQUIRE(facts.pods.size() == 20);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(facts.spec_of(facts.pods[i]).unread.empty() == (i == 13));
}

TEST_CASE("unread pods: whom they keep away counts, what they want of others does not") {
  const std::string terms = R"([{"topologyKey":"zone","labelSelector":{"matchLabels":{"a":"b"}}},)"
                            R"({"labelSelector":{"matchLabels":{"a":"b"}}}])";
  const std::string affinity = R"("affinity":{"podAffinity":{)"
                               R"("requiredDuringSchedulingIgnoredDuringExecution":)" +
                               terms +
                               R"(},"podAntiAffinity":{)"
                               R"("requiredDuringSchedulingIgnoredDuringExecution":)" +
                               terms + "}}";
  const LoadResult result = load(pod("odd", affinity + "," + kPlain), true);
  REQUIRE(result.loaded);
  const PodSpec& spec = result.loaded->facts.spec_of(result.loaded->facts.pods[0]);
  CHECK_FALSE(spec.unread.empty());
  CHECK(spec.required_affinity.empty());
  REQUIRE(spec.required_anti_affinity.size() == 1);
  CHECK(spec.required_anti_affinity[0].topology_key == "zone");
  CHECK(spec.containers[0].requests.amount("cpu") == 1'000);
}

TEST_CASE("unread pods: a status that cannot be read is said, a name that is none is an error") {
  const LoadResult result = load(pod("odd", kPlain, R"({"startTime":"soon"})"), true);
  REQUIRE(result.loaded);
  const Facts& facts = result.loaded->facts;
  CHECK(facts.spec_of(facts.pods[0]).unread.str().starts_with("'soon' is no time"));
  std::string early = pod("odd", kPlain);
  early.insert(early.find("\"uid\""), R"("creationTimestamp":"once",)");
  CHECK(load(early, true).loaded);
  CHECK_FALSE(load(pod("Odd_", kPlain), true).loaded);
  const LoadResult both = load(pod("odd", kOdd, R"({"startTime":"soon"})"), true);
  REQUIRE(both.loaded);
  const Facts& told = both.loaded->facts;
  CHECK(told.spec_of(told.pods[0]).unread.str().starts_with("'soon' is no time"));
  CHECK(told.spec_of(told.pods[0]).containers.size() == 1);
}

}  // namespace
}  // namespace gedge
