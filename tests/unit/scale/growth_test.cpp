#include "gedge/scale/growth.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace gedge;

const GrowRule kRule{"cpu", 250, 2'000, ResizeWay::kTemplate};

ScaleTarget web(Resources requests, Resources limits = {}) {
  ScaleTarget made;
  made.kind = "Deployment";
  made.name = "web";
  made.uid = "u";
  made.version = "7";
  made.made_of.containers.push_back({"side", {{"cpu", 100}}, {}, {}});
  made.made_of.containers.push_back({"main", std::move(requests), {}, std::move(limits)});
  made.rollout.kind = RolloutRules::Kind::kRolling;
  made.rollout.unavailable = 1;
  return made;
}

ScaleFacts one_node(std::int64_t cpu) {
  ScaleFacts facts;
  facts.nodes.push_back({{"cpu", cpu}, {"memory", std::int64_t{1} << 33}});
  return facts;
}

HomeSize size_of(const ScaleTarget& workload, const GrowRule& rule = kRule) {
  const auto size = home_size(rule, workload, {});
  REQUIRE(size);
  return *size;
}

// As a server would merge it.
void carry_out(const ObjectResize& resize, ScaleTarget& workload) {
  for (const ContainerResize& change : resize.containers)
    for (ScaledContainer& container : workload.made_of.containers) {
      if (container.name != change.name) continue;
      for (const ResourceResize& one : change.resources) {
        container.requests.set(one.resource, one.request);
        if (one.drops_limit) container.limits = {};
        if (one.limit) container.limits.set(one.resource, *one.limit);
      }
    }
  if (resize.grown) workload.grown = *resize.grown;
}

void resize(const ScaleFacts& bounds, ScaleTarget& workload, std::int64_t amount) {
  const ResizePlan plan = plan_growth(bounds, workload, size_of(workload), amount);
  REQUIRE_FALSE(plan.held);
  REQUIRE(plan.objects.size() == 1);
  CHECK(plan.objects.front().version == workload.version);
  carry_out(plan.objects.front(), workload);
}

TEST_CASE("growth: the container that requests most of it is as large as it was declared") {
  const HomeSize size = size_of(web({{"cpu", 500}}, {{"cpu", 700}}));
  CHECK(size == HomeSize{"main", "cpu", 500, 500, 700, 500, {}, 700});
  CHECK(grown_note(size).empty());
  const auto none = home_size({"memory", 1, 2, ResizeWay::kTemplate}, web({{"cpu", 500}}), {});
  REQUIRE_FALSE(none);
  CHECK(none.error().what == "pods of Deployment web request no memory");
}

TEST_CASE("growth: what a workload was declared with comes back, to the last limit") {
  // A ratio of limit and request that no amount keeps exactly.
  for (const std::optional<std::int64_t> limit :
       {std::optional<std::int64_t>(1'000), std::optional<std::int64_t>(333),
        std::optional<std::int64_t>()}) {
    CAPTURE(limit.value_or(0));
    Resources limits;
    if (limit) limits.set("cpu", *limit);
    const ScaleTarget declared = web({{"cpu", 333}}, limits);
    ScaleTarget workload = declared;
    for (const std::int64_t amount : {583, 2'000, 833, 583}) {
      resize(one_node(8'000), workload, amount);
      const HomeSize size = size_of(workload);
      CHECK(size.base == 333);
      CHECK(size.amount == amount);
      CHECK(size.base_limit == limit);
      const ScaledContainer& main = workload.made_of.containers[1];
      CHECK(main.requests.amount("cpu") == amount);
      CHECK(main.limits.find("cpu").has_value() == limit.has_value());
      if (limit) CHECK(main.limits.amount("cpu") >= amount);
    }
    CHECK_FALSE(workload.grown.empty());
    resize(one_node(8'000), workload, 333);
    CHECK(workload.grown.empty());
    CHECK(workload.made_of.containers[1].requests == declared.made_of.containers[1].requests);
    CHECK(workload.made_of.containers[1].limits == declared.made_of.containers[1].limits);
    CHECK(workload.made_of.containers[0].requests.amount("cpu") == 100);
  }
}

TEST_CASE("growth: a limit that a LimitRange made necessary goes when it is needed no more") {
  ScaleFacts bounds = one_node(8'000);
  bounds.limits.emplace_back().unless_said = {{"cpu", 600}};
  ScaleTarget workload = web({{"cpu", 500}});
  resize(bounds, workload, 750);
  CHECK(workload.made_of.containers[1].limits.amount("cpu") == 750);
  CHECK_FALSE(size_of(workload).base_limit);
  resize(bounds, workload, 500);
  CHECK(workload.made_of.containers[1].limits.empty());
}

TEST_CASE("growth: an annotation is believed only about the template as it is") {
  ScaleTarget workload = web({{"cpu", 500}});
  resize(one_node(8'000), workload, 750);
  CHECK(workload.grown == "container=main resource=cpu base=500m now=750m");
  workload.made_of.containers[1].requests.set("cpu", 800);
  CHECK(size_of(workload) == HomeSize{"main", "cpu", 800, 800, {}, 800, {}});
  workload.made_of.containers[1].requests.set("cpu", 750);
  const auto other = home_size({"memory", 1, 2, ResizeWay::kTemplate}, workload, {});
  REQUIRE_FALSE(other);
  CHECK(other.error().what == "Deployment web has grown by cpu");
  for (const char* const odd :
       {"x", "container=main resource=cpu base=0 now=750m", "container=main resource=cpu now=750m",
        "container=main resource=cpu base=1 now=750m",
        "container=main resource=cpu base=a now=750m",
        "container=side resource=cpu base=500m now=750m",
        "container=main resource=cpu base=500m limit=499m now=750m",
        "container=main resource=cpu base=-500m now=750m",
        "container=main resource=cpu base=500m limit=x now=750m"}) {
    CAPTURE(odd);
    workload.grown = odd;
    CHECK(size_of(workload).base == 750);
  }
}

TEST_CASE("growth: a limit that somebody has changed since is that of another template") {
  ScaleTarget workload = web({{"cpu", 500}}, {{"cpu", 1'000}});
  resize(one_node(8'000), workload, 750);
  CHECK(workload.grown == "container=main resource=cpu base=500m limit=1 now=750m now-limit=1500m");
  CHECK(size_of(workload).base == 500);
  CHECK_FALSE(is_put_back(workload));
  workload.made_of.containers[1].limits.set("cpu", 3'000);
  CHECK(size_of(workload) == HomeSize{"main", "cpu", 750, 750, 3'000, 750, {}, 3'000});
  workload.made_of.containers[1].limits = {};
  CHECK(size_of(workload) == HomeSize{"main", "cpu", 750, 750, {}, 750, {}, {}});
  workload.made_of.containers[1].limits.set("cpu", 1'000);
  workload.made_of.containers[1].requests.set("cpu", 500);
  CHECK(is_put_back(workload));
  workload.made_of.containers[1].requests.set("cpu", 600);
  CHECK_FALSE_MESSAGE(is_put_back(workload), "another one, as somebody wants it");
}

TEST_CASE("growth: what nobody would have grown to is no growth, and no sum goes beyond the last") {
  ScaleTarget workload = web({{"cpu", 1'001}});
  workload.grown = "container=main resource=cpu base=1m now=1001m";
  CHECK(size_of(workload).base == 1'001);
  workload.made_of.containers[1].requests.set("cpu", 1'000);
  workload.made_of.containers[1].limits.set("cpu", 2'000);
  workload.grown = "container=main resource=cpu base=1m limit=2 now=1 now-limit=2";
  CHECK(size_of(workload).base == 1);
  CHECK(size_of(workload).base_limit == 2'000);
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  std::string why;
  const HomeSize size = size_of(web({{"cpu", 500}}));
  CHECK(most_growth(one_node(8'000), workload, {"cpu", kAny, kAny, ResizeWay::kTemplate}, size,
                    why) == 500);
  CHECK(most_growth(one_node(8'000), workload, {"cpu", kAny, 900, ResizeWay::kTemplate}, size,
                    why) == 900);
  CHECK(most_growth(one_node(8'000), workload, {"cpu", 1, kAny, ResizeWay::kTemplate}, size, why) ==
        7'900);
}

TEST_CASE("growth: memory grows by bytes") {
  const std::int64_t mi = std::int64_t{1} << 20;
  ScaleTarget workload = web({{"memory", 512 * mi}});
  const GrowRule rule{"memory", 256 * mi, 1'024 * mi, ResizeWay::kTemplate};
  const ResizePlan plan = plan_growth(one_node(8'000), workload, size_of(workload, rule), 768 * mi);
  REQUIRE(plan.objects.size() == 1);
  CHECK(plan.objects.front().grown == "container=main resource=memory base=512Mi now=768Mi");
  CHECK(plan.objects.front().containers.front().resources.front().request == 768 * mi);
}

TEST_CASE("growth: no further than the rule, a LimitRange and the nodes let it") {
  const ScaleTarget workload = web({{"cpu", 500}}, {{"cpu", 1'000}});
  const HomeSize size = size_of(workload);
  std::string why;
  CHECK(most_growth(one_node(8'000), workload, kRule, size, why) == 2'000);
  CHECK(why.empty());
  CHECK(most_growth(one_node(1'100), workload, kRule, size, why) == 1'000);
  CHECK(why.find("no node can give a pod 1350m of cpu") != std::string::npos);
  ScaleFacts bounds = one_node(8'000);
  bounds.limits.emplace_back().name = "small";
  bounds.limits.back().most = {{"cpu", 1'400}};
  // The limit of a container may shrink to its request before that is refused.
  CHECK(most_growth(bounds, workload, kRule, size, why) == 1'250);
  CHECK(why.find("LimitRange small forbids 1500m") != std::string::npos);
  CHECK(most_growth(one_node(600), workload, kRule, size, why) == 500);
  // The last step is a short one.
  CHECK(most_growth(one_node(8'000), workload, {"cpu", 400, 1'000, ResizeWay::kTemplate}, size,
                    why) == 1'000);
  CHECK(most_growth(one_node(1'050), workload, {"cpu", 400, 1'000, ResizeWay::kTemplate}, size,
                    why) == 900);
  CHECK(most_growth(one_node(8'000), workload, {"cpu", 250, 400, ResizeWay::kTemplate}, size,
                    why) == 500);
}

TEST_CASE("growth: who is smaller than a LimitRange wants grows to that at once, or further") {
  const ScaleTarget workload = web({{"cpu", 500}});
  const HomeSize size = size_of(workload);
  ScaleFacts bounds = one_node(8'000);
  ContainerLimits& limits = bounds.limits.emplace_back();
  limits.name = "large";
  limits.least = {{"cpu", 1'300}};
  std::string why;
  CHECK_MESSAGE(most_growth(bounds, workload, kRule, size, why) == 2'000, "750 is too little");
  CHECK(why.empty());
  limits.most = {{"cpu", 1'900}};
  CHECK_MESSAGE(most_growth(bounds, workload, kRule, size, why) == 1'800, "1300 and two steps");
  CHECK(why.find("forbids 2 of cpu") != std::string::npos);
  limits.least = {{"cpu", 1'950}};
  CHECK(most_growth(bounds, workload, kRule, size, why) == 500);
  limits.least = {{"cpu", 2'100}};
  limits.most = {};
  CHECK(most_growth(bounds, workload, kRule, size, why) == 500);
  CHECK(why.find("LimitRange large forbids 2 of cpu") != std::string::npos);
}

TEST_CASE("growth: no less than a LimitRange wants of a container, and of a pod") {
  const ScaleTarget workload = web({{"cpu", 500}});
  HomeSize size = size_of(workload);
  ScaleFacts bounds = one_node(8'000);
  CHECK(least_growth(bounds, workload, size) == 500);
  ContainerLimits& limits = bounds.limits.emplace_back();
  limits.least = {{"cpu", 400}};
  CHECK(least_growth(bounds, workload, size) == 500);
  limits.least = {{"cpu", 700}};
  CHECK(least_growth(bounds, workload, size) == 700);
  limits.pod_least = {{"cpu", 900}};
  CHECK_MESSAGE(least_growth(bounds, workload, size) == 800, "the other container has 100");
  limits.namespace_name = "another";
  CHECK(least_growth(bounds, workload, size) == 500);
}

TEST_CASE("growth: pods say by themselves how large they are, and each is changed by itself") {
  const GrowRule rule{"cpu", 250, 2'000, ResizeWay::kInPlace};
  ScaleTarget workload = web({{"cpu", 500}}, {{"cpu", 1'000}});
  const auto pod = [](const std::string& name, std::int64_t cpu) {
    ScaledPod made;
    made.name = name;
    made.uid = name + "-uid";
    made.version = "3";
    made.containers.push_back({"main", {{"cpu", cpu}}});
    return made;
  };
  const ScaledPod a = pod("a", 1'000), b = pod("b", 750), old = pod("old", 400);
  const std::vector<const ScaledPod*> both{&a, &b}, one{&a}, others{&old};
  const auto size = home_size(rule, workload, both);
  REQUIRE(size);
  CHECK(*size == HomeSize{"main", "cpu", 500, 1'000, 1'000, 750, {750, 1'000}, 1'000});
  CHECK_MESSAGE(units_of(2, *size) == 3, "3.5");
  CHECK_MESSAGE(units_of(4, *size) == 7, "7.5, with two that come");
  CHECK(units_of(1, *size) == 1);
  CHECK(units_of(std::numeric_limits<std::int32_t>::max(), *size) ==
        std::numeric_limits<std::int32_t>::max());
  CHECK(home_size(rule, workload, one)->least == 1'000);
  CHECK(*home_size(rule, workload, others) ==
        HomeSize{"main", "cpu", 500, 500, 1'000, 500, {500}, 1'000});
  CHECK(*home_size(rule, workload, {}) == HomeSize{"main", "cpu", 500, 500, 1'000, 500, {}, 1'000});
  const ResizePlan plan = plan_growth_of_pods(one_node(8'000), workload, both, *size, 1'000);
  CHECK(plan.way == ResizeWay::kInPlace);
  REQUIRE(plan.objects.size() == 1);
  const ObjectResize& change = plan.objects.front();
  CHECK(change.kind == "Pod");
  CHECK(change.uid == "b-uid");
  CHECK(change.version == "3");
  CHECK_FALSE(change.grown);
  CHECK(change.containers.front().resources.front().request_before == 750);
  CHECK(change.containers.front().resources.front().request == 1'000);
  CHECK(change.containers.front().resources.front().limit == 2'000);
  CHECK(plan_growth_of_pods(one_node(8'000), workload, both, *size, 500).objects.size() == 2);
  CHECK(plan_growth_of_pods(one_node(800), workload, both, *size, 750).held);
  workload.grown = "container=main resource=cpu base=250m now=500m now-limit=1";
  const auto mixed = home_size(rule, workload, both);
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().what == "Deployment web has grown by its template");
}

TEST_CASE("growth: a pod is of the workload that made it, whatever its labels are") {
  ScaleTarget workload = web({{"cpu", 500}});
  ScaledPod pod;
  pod.labels = {{"pod-template-hash", "5b8"}};
  CHECK_FALSE(is_made_by(pod, workload));
  pod.controller = {"ReplicaSet", "web-5b8", "r"};
  CHECK(is_made_by(pod, workload));
  pod.controller.name = "web-5b9";
  CHECK_FALSE(is_made_by(pod, workload));
  pod.controller = {"StatefulSet", "web", "u"};
  CHECK_FALSE(is_made_by(pod, workload));
  workload.kind = "StatefulSet";
  CHECK(is_made_by(pod, workload));
  pod.controller.uid = "another";
  CHECK_FALSE(is_made_by(pod, workload));
}

TEST_CASE("growth: pods of a template that is not carried out say by themselves what they have") {
  ScaleTarget workload = web({{"cpu", 1'500}});
  workload.grown = "container=main resource=cpu base=1 now=1500m";
  std::vector<ScaledPod> pods(10);
  std::vector<const ScaledPod*> all;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    pods[i].containers.push_back({"main", {{"cpu", i < 2 ? 1'500 : 1'000}}});
    all.push_back(&pods[i]);
  }
  CHECK(units_of(10, *home_size(kRule, workload, all)) == 15);
  workload.rollout.is_partial = true;
  const auto held = home_size(kRule, workload, all);
  CHECK(units_of(10, *held) == 11);
  CHECK(held->amount == 1'500);
  CHECK(held->least == 1'500);
  workload.grown.clear();
  workload.made_of.containers.back().requests.set("cpu", 1'000);
  CHECK_MESSAGE(units_of(10, *home_size(kRule, workload, all)) == 11, "on their way back");
}

TEST_CASE("growth: a pod that was put off has what it was declared with, and no more") {
  const GrowRule rule{"cpu", 250, 2'000, ResizeWay::kInPlace};
  std::vector<ScaledPod> pods(2);
  for (ScaledPod& pod : pods) pod.containers.push_back({"main", {{"cpu", 1'000}}});
  pods.back().unresized = "Deferred";
  const std::vector<const ScaledPod*> both{&pods.front(), &pods.back()};
  const auto size = home_size(rule, web({{"cpu", 500}}), both);
  CHECK(size->sizes == std::vector<std::int64_t>{500, 1'000});
  CHECK(units_of(2, *size) == 3);
}

TEST_CASE("growth: a controller that replaces no pods, or all at once, is left alone") {
  ScaleTarget workload = web({{"cpu", 500}});
  CHECK(lacks_rollout(workload).empty());
  workload.rollout.is_partial = true;
  CHECK(lacks_rollout(workload).find("is paused") != std::string::npos);
  workload.rollout = {RolloutRules::Kind::kRecreate, 3, false, false, false};
  CHECK(lacks_rollout(workload).find("all of its pods at once") != std::string::npos);
  workload.rollout = {};
  CHECK(lacks_rollout(workload).find("replaces no pods") != std::string::npos);
}

}  // namespace
