#include "gedge/scale/workloads.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace {

using namespace gedge;

ScaleFacts random_site(SplitMix& dice) {
  ScaleFacts facts;
  const std::size_t count = dice.below(60);
  for (std::size_t i = 0; i < count; ++i) {
    ScaledPod pod;
    pod.namespace_name = "space-" + std::to_string(dice.below(3));
    pod.name = "pod-" + std::to_string(i);
    for (const char* key : {"app", "tier", "zone"})
      if (dice.below(3) > 0) pod.labels.set(key, "v" + std::to_string(dice.below(4)));
    facts.pods.push_back(pod);
  }
  return facts;
}

std::string random_selector(SplitMix& dice) {
  const std::string value = "v" + std::to_string(dice.below(4));
  switch (dice.below(7)) {
    case 0:
      return "app=" + value;
    case 1:
      return "tier!=" + value;
    case 2:
      return "zone in (" + value + ")";
    case 3:
      return "zone in (v0, v1),app=" + value;
    case 4:
      return "app,tier notin (" + value + ")";
    case 5:
      return "!zone,tier==" + value;
    default:
      return "";
  }
}

TEST_CASE("the pods of a selector are those that a look at every pod finds") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SplitMix dice(seed);
    const ScaleFacts facts = random_site(dice);
    const WorkloadIndex index(facts);
    for (int i = 0; i < 10; ++i) {
      const std::string text = random_selector(dice);
      const std::string space = "space-" + std::to_string(dice.below(3));
      INFO("seed " << seed << ", " << text);
      const auto selector = parse_selector(text);
      REQUIRE(selector);
      std::vector<std::uint32_t> expected;
      for (std::uint32_t pod = 0; pod < facts.pods.size(); ++pod)
        if (facts.pods[pod].namespace_name == space && selector->matches(facts.pods[pod].labels))
          expected.push_back(pod);
      CHECK(index.select(space, *selector) == expected);
    }
  }
}

TEST_CASE("external values are added up over the labels that match") {
  ScaleFacts facts;
  facts.metrics.external = {{"queue", Labels{{"of", "a"}}, {1'000, 7, Micros{0}}},
                            {"queue", Labels{{"of", "b"}}, {2'000, 5, Micros{0}}},
                            {"other", Labels{{"of", "a"}}, {4'000, 0, Micros{0}}}};
  const WorkloadIndex index(facts);
  MetricSpec metric;
  metric.kind = MetricKind::kExternal;
  metric.name = "queue";
  const auto both = index.external_value(metric);
  REQUIRE(both);
  CHECK(both->milli == 3'000);
  CHECK(both->oldest == 5);
  CHECK(both->newest == 7);
  metric.selector = *parse_selector("of=b");
  const auto one = index.external_value(metric);
  REQUIRE(one);
  CHECK(one->milli == 2'000);
  CHECK(one->newest == 5);
  metric.selector = *parse_selector("of=c");
  CHECK_FALSE(index.external_value(metric));
}

}  // namespace
