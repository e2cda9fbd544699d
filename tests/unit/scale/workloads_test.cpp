#include "gedge/scale/workloads.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
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

template <typename T>
void shuffle(std::vector<T>& list, SplitMix& dice) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[dice.below(i)]);
}

MetricSpec cpu_average() {
  MetricSpec metric;
  metric.name = "cpu";
  metric.target = TargetKind::kAverageValue;
  metric.amount = 100;
  return metric;
}

// Of some pods, and of some that nobody knows; in order unless the dice say otherwise.
void add_usages(ScaleFacts& facts, SplitMix& dice) {
  const auto by_name = [](const auto& a, const auto& b) {
    return std::pair(a.namespace_name.str(), a.name.str()) <
           std::pair(b.namespace_name.str(), b.name.str());
  };
  const std::uint64_t left_out = dice.below(4), strange = dice.below(3);
  for (const ScaledPod& pod : facts.pods) {
    if (dice.below(4) < left_out) continue;
    PodUsage usage;
    usage.namespace_name = pod.namespace_name;
    usage.name = dice.below(6) < strange ? pod.name + "-gone" : pod.name.str();
    usage.containers.push_back({"main", {{"cpu", static_cast<std::int64_t>(dice.below(900))}}});
    facts.metrics.usage.push_back(usage);
  }
  std::sort(facts.pods.begin(), facts.pods.end(), by_name);
  std::sort(facts.metrics.usage.begin(), facts.metrics.usage.end(), by_name);
  if (dice.below(3) == 0) shuffle(facts.pods, dice);
  if (dice.below(3) == 0) shuffle(facts.metrics.usage, dice);
}

TEST_CASE("values are joined with the pods of their names, in whatever order both come") {
  ScaleTarget everything;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SplitMix dice(seed);
    ScaleFacts facts = random_site(dice);
    add_usages(facts, dice);
    const WorkloadIndex index(facts);
    INFO("seed " << seed);
    for (const char* space : {"space-0", "space-1", "space-2"}) {
      everything.namespace_name = space;
      std::map<std::string, std::int64_t> left;
      for (const PodUsage& usage : facts.metrics.usage)
        if (usage.namespace_name == space)
          left[usage.name] = usage.containers.front().milli.front().second;
      const std::vector<std::uint32_t> pods = index.select(space, everything.selector);
      const auto values = index.values_of(cpu_average(), everything, pods, Compat::k1_36);
      REQUIRE(values.pods.size() == pods.size());
      for (std::size_t i = 0; i < pods.size(); ++i) {
        const auto known = left.find(facts.pods[pods[i]].name);
        REQUIRE(values.pods[i].has_value == (known != left.end()));
        if (known == left.end()) continue;
        CHECK(values.pods[i].value == known->second);
        left.erase(known);
      }
      std::int64_t sum = 0;
      for (const auto& [name, milli] : left) sum += milli;
      CHECK(values.strays.count == static_cast<std::int32_t>(left.size()));
      CHECK(values.strays.sum_milli == sum);
    }
  }
}

TEST_CASE("the pods of a workload are those of its selector, be they kept or too many to keep") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SplitMix dice(seed);
    ScaleFacts facts = random_site(dice);
    for (int i = 0; i < 200; ++i) {
      ScaleTarget& target = facts.targets.emplace_back();
      target.namespace_name = "space-" + std::to_string(dice.below(3));
      target.name = "web-" + std::to_string(i);
      target.selector = *parse_selector(random_selector(dice));
      target.has_selector = dice.below(5) > 0;
      if (dice.below(8) == 0) continue;
      Autoscaler& autoscaler = facts.autoscalers.emplace_back();
      autoscaler.namespace_name = target.namespace_name;
      autoscaler.target.name = target.name;
    }
    const WorkloadIndex index(facts);
    INFO("seed " << seed);
    std::vector<std::size_t> looked_at(facts.pods.size());
    for (const Autoscaler& autoscaler : facts.autoscalers) {
      const ScaleTarget* const target = index.target_of(autoscaler);
      REQUIRE(target != nullptr);
      CHECK(target->name == autoscaler.target.name);
      if (!target->has_selector) continue;
      for (const std::uint32_t pod : index.select(target->namespace_name, target->selector))
        ++looked_at[pod];
    }
    std::vector<std::uint32_t> room;
    for (const ScaleTarget& target : facts.targets) {
      const auto pods = index.pods_of(target, room);
      CHECK(std::vector<std::uint32_t>(pods.begin(), pods.end()) ==
            index.select(target.namespace_name, target.selector));
    }
    for (std::uint32_t pod = 0; pod < facts.pods.size(); ++pod)
      CHECK(index.autoscalers_of(pod) == looked_at[pod]);
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
