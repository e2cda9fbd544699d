// The reference against the golden vectors V1 to V12 and small sites worked out by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/reference/delay.hpp"
#include "support/reference/planner.hpp"
#include "support/reference/scores.hpp"

namespace {

using namespace gedge;
using reference::Scores;

constexpr std::int64_t kMiB = 1024 * 1024, kGiB = 1024 * kMiB;

/// One node, one pod that is there and one that asks to be.
struct Pair {
  Facts facts;
  RttMatrix rtt;

  Pair(Resources room, Resources before, Resources incoming) {
    facts.nodes.resize(1);
    facts.nodes[0].name = "n";
    facts.nodes[0].allocatable = std::move(room);
    add(std::move(before), "n");
    add(std::move(incoming), "");
  }
  void add(Resources requests, const std::string& node) {
    PodSpec spec;
    spec.containers.push_back({"c", "", std::move(requests), {}, false});
    Pod pod;
    pod.name = node.empty() ? "incoming" : "present";
    pod.bound_node = node;
    pod.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(spec);
    facts.pods.push_back(pod);
  }
  std::int64_t raw(const char* policy, Compat compat, PolicyArgs args = {}) const {
    const auto world = reference::make_world(facts, rtt, "", compat);
    bool known = true;
    const Scores scores = reference::score({policy, 1, std::move(args)}, world, world.seats.back(),
                                           {&facts.nodes[0]}, known);
    REQUIRE(known);
    return scores.at(0).raw;
  }
};

Resources of(std::int64_t milli_cpu, std::int64_t bytes) {
  return {{std::string(kCpu), milli_cpu}, {std::string(kMemory), bytes}};
}

PolicyArgs strategy(const char* name, std::int64_t cpu_weight = 1, std::int64_t memory_weight = 1) {
  PolicyArgs args;
  args.strategy = name;
  args.shape = {{0, 0}, {100, 10}};
  args.resources = {{"cpu", cpu_weight}, {"memory", memory_weight}};
  return args;
}

std::vector<std::int64_t> normalized(const Scores& scores) {
  std::vector<std::int64_t> out;
  for (const reference::Score& s : scores) out.push_back(s.normalized);
  return out;
}

Scores raws(const std::vector<std::int64_t>& values) {
  Scores out;
  for (const std::int64_t value : values) out.push_back({value, 0});
  return out;
}

using List = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("V1 to V6 - resource scores of 1.36 and of 1.20") {
  const Resources node = of(4000, 8 * kGiB);
  const Pair v1(node, of(1000, 2 * kGiB), of(500, kGiB));
  CHECK(v1.raw("NodeResourcesFit", Compat::k1_36) == 62);
  CHECK(v1.raw("NodeResourcesFit", Compat::k1_36, strategy("MostAllocated")) == 37);
  CHECK(v1.raw("NodeResourcesBalancedAllocation", Compat::k1_20) == 100);
  const Pair v2(node, of(2000, 0), of(1000, kGiB));
  CHECK(v2.raw("NodeResourcesLeastAllocated", Compat::k1_20) == 56);
  CHECK(v2.raw("NodeResourcesFit", Compat::k1_36) == 56);
  CHECK(v2.raw("NodeResourcesFit", Compat::k1_36, strategy("MostAllocated")) == 43);
  CHECK(v2.raw("NodeResourcesBalancedAllocation", Compat::k1_20) == 37);
  CHECK(static_cast<std::int64_t>((1 - reference::balance({0.75, 0.125})) * 100.0) == 68);

  const char* balanced = "NodeResourcesBalancedAllocation";
  CHECK(Pair(node, of(1000, kGiB), of(500, 2 * kGiB)).raw(balanced, Compat::k1_36) == 78);
  CHECK(Pair(node, of(2000, kGiB), of(1000, 0)).raw(balanced, Compat::k1_36) == 68);
  CHECK(Pair(node, of(2000, 0), of(0, 4 * kGiB)).raw(balanced, Compat::k1_36) == 87);

  CHECK(v1.raw("NodeResourcesFit", Compat::k1_36, strategy("RequestedToCapacityRatio")) == 37);
  CHECK(v1.raw("RequestedToCapacityRatio", Compat::k1_20, strategy("")) == 38);
  const Pair v6(node, of(1000, 0), of(500, 0));
  CHECK(v6.raw("NodeResourcesFit", Compat::k1_36, strategy("RequestedToCapacityRatio", 1, 3)) ==
        37);
  CHECK(v6.raw("RequestedToCapacityRatio", Compat::k1_20, strategy("", 1, 3)) == 38);
}

TEST_CASE("V7 and V8 - image locality") {
  const auto one = [](std::int64_t size, std::size_t nodes) {
    return reference::image_score(reference::scaled_image(size, nodes, 10), 1);
  };
  CHECK(one(300 * kMiB, 5) == 12);
  CHECK(one(300 * kMiB, 1) == 0);
  CHECK(one(1200 * kMiB, 10) == 100);
  CHECK(reference::image_score(2 * reference::scaled_image(500 * kMiB, 10, 10), 2) == 49);
}

TEST_CASE("V9 to V12 - normalisation") {
  const auto spread = [](std::int32_t skew, bool rounds) {
    List out;
    for (const std::int64_t count : {3, 1, 0}) {
      const double sum = reference::spread_term(count, 3, skew);
      out.push_back(static_cast<std::int64_t>(rounds ? std::round(sum) : sum));
    }
    return out;
  };
  CHECK(spread(1, true) == List{5, 2, 0});
  CHECK(spread(3, true) == List{7, 4, 2});
  CHECK(spread(1, false) == List{4, 1, 0});
  CHECK(spread(3, false) == List{6, 3, 2});
  const auto after_spread = [](const List& values) {
    Scores scores = raws(values);
    reference::normalize_spread(scores, std::vector<bool>(scores.size(), false));
    return normalized(scores);
  };
  CHECK(after_spread({5, 2, 0}) == List{0, 60, 100});
  CHECK(after_spread({7, 4, 2}) == List{28, 71, 100});
  CHECK(after_spread({4, 1, 0}) == List{0, 75, 100});
  CHECK(after_spread({6, 3, 2}) == List{33, 83, 100});

  const auto affinity = [](const List& values, bool zero_joins) {
    Scores scores = raws(values);
    reference::normalize_min_max(scores, zero_joins);
    return normalized(scores);
  };
  CHECK(affinity({-10, 0, 40}, false) == List{0, 20, 100});
  CHECK(affinity({5, 5, 5}, false) == List{0, 0, 0});
  CHECK(affinity({5, 5, 5}, true) == List{100, 100, 100});

  Scores taints = raws({0, 1, 3});
  reference::normalize_by_max(taints, true);
  CHECK(normalized(taints) == List{100, 67, 0});
  taints = raws({0, 0});
  reference::normalize_by_max(taints, true);
  CHECK(normalized(taints) == List{100, 100});
}
