#include "gedge/scale/resize.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace {

using namespace gedge;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
const std::string kCpuName(kCpu), kMemoryName(kMemory);

RequestRange range(std::int64_t lower, std::int64_t target, std::int64_t upper) {
  RequestRange made;
  made.lower = lower;
  made.target = made.uncapped = target;
  made.upper = upper;
  return made;
}

struct Site {
  ScaleFacts facts;
  ScaleTarget workload;
  Recommendation recommendation;

  Site() {
    workload.kind = "Deployment";
    workload.name = "web";
    workload.uid = "u";
    workload.version = "7";
    workload.selector.requirements.push_back({"app", SelectorOp::kEquals, {"web"}});
    recommendation.namespace_name = workload.namespace_name;
    facts.nodes.push_back({{kCpuName, 8'000}, {kMemoryName, 8'192 * kMi}});
  }
  ScaledContainer& declare(const std::string& name, Resources requests, Resources limits = {}) {
    workload.made_of.containers.push_back({name, std::move(requests), {}, std::move(limits)});
    return workload.made_of.containers.back();
  }
  ContainerRecommendation& know(const std::string& name, std::optional<RequestRange> cpu,
                                std::optional<RequestRange> memory = {}) {
    ContainerRecommendation one;
    one.name = name;
    one.days = 2;
    one.cpu = cpu;
    one.memory = memory;
    recommendation.containers.push_back(one);
    return recommendation.containers.back();
  }
  ScaledPod& pod(const std::string& name, Resources requests) {
    ScaledPod made;
    made.name = name;
    made.uid = name + "-uid";
    made.version = "3";
    made.labels = {{"app", "web"}};
    made.phase = PodPhase::kRunning;
    made.containers.push_back({"main", std::move(requests)});
    facts.pods.push_back(made);
    return facts.pods.back();
  }
  ResizePlan plan(ResizeWay way = ResizeWay::kTemplate) const {
    return plan_resize(facts, workload, recommendation, {way, 24 * 3'600});
  }
};

// As a server would merge it.
void carry_out(const ObjectResize& resize, ScaledTemplate& object) {
  for (const ContainerResize& change : resize.containers)
    for (ScaledContainer& container : object.containers)
      for (const ResourceResize& one : change.resources) {
        if (container.name != change.name) continue;
        container.requests.set(one.resource, one.request);
        if (one.limit) container.limits.set(one.resource, *one.limit);
      }
}

}  // namespace

TEST_CASE("resize: what is out of bounds gets its target, and its limit keeps the ratio") {
  Site site;
  site.declare("main", {{kCpuName, 1'000}, {kMemoryName, 300 * kMi}}, {{kCpuName, 1'500}});
  site.know("main", range(100, 200, 400), range(200 * kMi, 300 * kMi, 400 * kMi));
  const ResizePlan plan = site.plan();
  CHECK_FALSE(plan.held);
  REQUIRE(plan.objects.size() == 1);
  const ObjectResize& web = plan.objects.front();
  CHECK(web.kind == "Deployment");
  CHECK(web.uid == "u");
  CHECK(web.version == "7");
  REQUIRE(web.containers.size() == 1);
  REQUIRE(web.containers.front().resources.size() == 1);
  const ResourceResize& cpu = web.containers.front().resources.front();
  CHECK(cpu.resource == kCpu);
  CHECK(cpu.request_before == 1'000);
  CHECK(cpu.request == 200);
  CHECK(cpu.limit == 300);
}

TEST_CASE("resize: a limit without a request, or equal to it, becomes the request") {
  Site site;
  site.declare("main", {{kMemoryName, 64 * kMi}}, {{kMemoryName, 64 * kMi}});
  site.know("main", {}, range(100 * kMi, 200 * kMi, 400 * kMi));
  CHECK(site.plan().objects.front().containers.front().resources.front().limit == 200 * kMi);
}

TEST_CASE("resize: a limit that a LimitRange gives is left to it while it suffices") {
  Site site;
  site.declare("main", {{kCpuName, 50}});
  site.know("main", range(100, 200, 400));
  ContainerLimits limits;
  limits.unless_said = {{kCpuName, 200}};
  site.facts.limits.push_back(limits);
  CHECK_FALSE(site.plan().objects.front().containers.front().resources.front().limit);
  site.facts.limits.front().unless_said.set(kCpuName, 150);
  CHECK(site.plan().objects.front().containers.front().resources.front().limit == 200);
}

TEST_CASE("resize: with too little known of one container nothing is done at all") {
  Site site;
  site.declare("main", {{kCpuName, 1'000}});
  site.declare("side", {{kCpuName, 1'000}});
  site.know("main", range(100, 200, 400));
  site.know("side", range(100, 200, 400)).days = 0.99;
  ResizePlan plan = site.plan();
  REQUIRE(plan.held);
  CHECK(plan.held->what.find("container side: 23 h") != std::string::npos);
  CHECK(plan.objects.front().containers.size() == 2);
  // One that stays as it is need not be known well.
  site.workload.made_of.containers.back().requests.set(kCpuName, 300);
  CHECK_FALSE(site.plan().held);
}

TEST_CASE("resize: what no node could hold, or a LimitRange forbids, is held") {
  Site site;
  site.declare("main", {{kCpuName, 1'000}});
  site.declare("unmeasured", {{kCpuName, 7'000}});
  site.know("main", range(1'500, 2'000, 4'000));
  REQUIRE(site.plan().held);
  CHECK(site.plan().held->what == "no node can give a pod 9 of cpu and 0 of memory");
  site.facts.nodes.push_back({{kCpuName, 9'000}, {kMemoryName, kMi}});
  CHECK_FALSE(site.plan().held);
  ContainerLimits limits;
  limits.name = "small";
  limits.most = {{kCpuName, 1'999}};
  site.facts.limits.push_back(limits);
  REQUIRE(site.plan().held);
  CHECK(site.plan().held->what == "LimitRange small forbids 2 of cpu for container main");
  site.facts.limits.front().most = {};
  site.facts.limits.front().pod_most = {{kCpuName, 8'999}};
  REQUIRE(site.plan().held);
  CHECK(site.plan().held->what.find("forbids a pod with 9 of cpu") != std::string::npos);
  site.facts.limits.clear();
  site.facts.nodes.clear();
  CHECK(site.plan().held->what == "no node is known");
}

TEST_CASE("resize: a template without requests is judged by what its pods were given") {
  Site site;
  site.declare("main", {});
  RequestRange cpu = range(100, 200, 400);
  cpu.request = 300;
  site.know("main", cpu);
  CHECK(site.plan().objects.empty());
  site.recommendation.containers.front().cpu->request = 500;
  CHECK(site.plan().objects.size() == 1);
}

TEST_CASE("resize: pods are judged each by itself, and those that end stay as they are") {
  Site site;
  site.know("main", range(100, 200, 400));
  site.pod("web-a", {{kCpuName, 300}});
  site.pod("web-b", {{kCpuName, 500}});
  site.pod("web-c", {{kCpuName, 500}}).deleting = true;
  site.pod("web-d", {{kCpuName, 500}}).phase = PodPhase::kSucceeded;
  site.pod("web-e", {{kCpuName, 500}}).labels = {{"app", "other"}};
  const ResizePlan plan = site.plan(ResizeWay::kInPlace);
  REQUIRE(plan.objects.size() == 1);
  CHECK(plan.objects.front().name == "web-b");
  CHECK(plan.objects.front().uid == "web-b-uid");
}

TEST_CASE("resize: what is not held keeps to LimitRanges and nodes, and is done once") {
  int carried_out = 0, held = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    SplitMix random(seed);
    const auto below = [&](std::uint64_t most) {
      return static_cast<std::int64_t>(random.below(most));
    };
    Site site;
    site.facts.nodes = {{{kCpuName, 1'000 + below(4'000)}, {kMemoryName, 1'000 * kMi}}};
    ContainerLimits limits;
    if (below(2) != 0) limits.least.set(kCpuName, below(400));
    if (below(2) != 0) limits.most.set(kCpuName, 400 + below(2'000));
    if (below(2) != 0) limits.pod_most.set(kCpuName, 500 + below(4'000));
    if (below(2) != 0) limits.unless_said.set(kCpuName, below(2'000));
    site.facts.limits.push_back(limits);
    for (const char* const name : {"a", "b"}) {
      ScaledContainer& container = site.declare(name, {});
      if (below(4) != 0) container.requests.set(kCpuName, below(2'000));
      if (below(2) != 0)
        container.limits.set(kCpuName, container.requests.amount(kCpu) + below(2'000));
      const std::int64_t target = 50 + below(1'500);
      site.know(name, range(target / 2, target, target * 2)).days = below(10) == 0 ? 0.5 : 3;
    }
    const ResizePlan plan = site.plan();
    if (plan.held) {
      ++held;
      continue;
    }
    std::int64_t sum = 0;
    for (const ObjectResize& object : plan.objects) {
      carry_out(object, site.workload.made_of);
      ++carried_out;
      for (const ContainerResize& container : object.containers)
        for (const ResourceResize& one : container.resources) {
          CAPTURE(seed);
          CHECK(one.request >= limits.least.amount(kCpu));
          CHECK(one.limit.value_or(one.request) >= one.request);
          CHECK(one.limit.value_or(one.request) <= limits.most.find(kCpu).value_or(kAnyRequest));
        }
      for (const ScaledContainer& container : site.workload.made_of.containers)
        sum += container.requests.amount(kCpu);
    }
    CHECK(sum <= site.facts.nodes.front().amount(kCpu));
    CHECK(sum <= limits.pod_most.find(kCpu).value_or(kAnyRequest));
    CHECK(site.plan().objects.empty());
  }
  CHECK(carried_out > 200);
  CHECK(held > 200);
}
