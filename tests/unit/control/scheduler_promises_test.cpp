// Nodes that are promised to pods for which others have to go: when others may have that place.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Facts a_pod(const std::string& name, std::int64_t cpu) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  Container container;
  container.name = "c";
  container.requests.set("cpu", cpu);
  facts.specs[0].containers = std::vector<Container>{container};
  facts.pods[0].uid = "uid-" + name;
  return facts;
}

// It is as important as the one that goes, and nowhere but on n0.
Facts the_probe() {
  Facts facts = a_pod("probe", 1'500);
  facts.specs[0].node_selector.set("kubernetes.io/hostname", "n0");
  facts.specs[0].tolerations = std::vector<Toleration>{{"", true, {}, {}}};
  return facts;
}

Facts the_big_one() {
  Facts facts = a_pod("big", 3'000);
  facts.pods[0].priority = 1'000;
  return facts;
}

Facts the_lesser_one() {
  Facts facts = a_pod("lesser", 2'500);
  facts.pods[0].bound_node = "n0";
  return facts;
}

void put_node(Scheduler& scheduler, Node node) {
  Facts facts;
  facts.nodes.push_back(std::move(node));
  scheduler.put(std::move(facts));
}

// n0 is promised to `big`; nobody has said yet whether `lesser` goes for it.
Scheduler asked() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  put_node(scheduler, sim_node("n0"));
  scheduler.put(the_lesser_one());
  scheduler.put(the_big_one());
  REQUIRE(scheduler.advance(kSecond));
  const std::vector<Nomination> nominations = scheduler.take_nominations();
  REQUIRE(nominations.size() == 1);
  REQUIRE(nominations[0].node == "n0");
  return scheduler;
}

// n0 is promised to `big`, for which `lesser` goes.
Scheduler promised() {
  Scheduler scheduler = asked();
  REQUIRE(scheduler.take_evictions().size() == 1);
  Facts going = the_lesser_one();
  going.pods[0].terminating = true;
  scheduler.put(std::move(going));
  return scheduler;
}

// "big@n1 probe@n0", what is bound until nothing more is to be done within half a minute.
std::string bound_after(Scheduler& scheduler, Nanos now) {
  const Nanos end = now + 30 * kSecond;
  std::string bound;
  for (int turns = 0; turns < 100 && now <= end; ++turns) {
    REQUIRE(scheduler.advance(now));
    for (const BindRequest& bind : scheduler.take_binds())
      bound += (bound.empty() ? "" : " ") + bind.pod.name.str() + '@' + bind.node.str();
    const auto next = scheduler.next();
    if (!next) break;
    now = std::max(now, *next);
  }
  return bound;
}

}  // namespace

TEST_CASE("a promise that nobody can redeem is taken back, and others have the place") {
  Scheduler scheduler = promised();
  Node node = sim_node("n0");
  node.taints.push_back({"node.kubernetes.io/unreachable", "", TaintEffect::kNoSchedule});
  put_node(scheduler, std::move(node));
  scheduler.remove(FactKind::kPod, "default", "lesser");
  scheduler.put(the_probe());
  CHECK(bound_after(scheduler, 5 * kSecond) == "probe@n0");
  const std::vector<Nomination> nominations = scheduler.take_nominations();
  REQUIRE(nominations.size() == 1);
  CHECK(nominations[0].pod.name == "big");
  CHECK(nominations[0].uid == "uid-big");
  CHECK(nominations[0].node.empty());
  CHECK(scheduler.counts().preemptions == 1);
}

TEST_CASE("a promise keeps others away until the pod that has it goes") {
  Scheduler scheduler = promised();
  scheduler.put(the_probe());
  REQUIRE(bound_after(scheduler, 3 * kSecond).empty());
  scheduler.put(the_big_one());  // told again, before the cluster knew of the promise
  REQUIRE(bound_after(scheduler, 40 * kSecond).empty());
  SUBCASE("it went") { scheduler.remove(FactKind::kPod, "default", "big"); }
  SUBCASE("it is going, which may take long") {
    Facts going = the_big_one();
    going.pods[0].terminating = true;
    scheduler.put(std::move(going));
  }
  SUBCASE("another one has its name") {
    Facts next = the_big_one();
    next.pods[0].uid = "next";
    scheduler.put(std::move(next));
  }
  SUBCASE("the cluster has it, and takes it back") {
    Facts told = the_big_one();
    told.pods[0].nominated_node = "n0";
    scheduler.put(std::move(told));
    REQUIRE(bound_after(scheduler, 80 * kSecond).empty());
    scheduler.put(the_big_one());
  }
  SUBCASE("somebody binds it elsewhere") {
    Facts bound = the_big_one();
    bound.pods[0].bound_node = "elsewhere";
    scheduler.put(std::move(bound));
  }
  CHECK(bound_after(scheduler, 120 * kSecond) == "probe@n0");
}

TEST_CASE("what was promised to a pod that finds another place is free at once") {
  Scheduler scheduler = promised();
  Node node = sim_node("n0");
  for (int i = 1; i <= 3; ++i) {  // in vain, so that it waits longer than who comes after it
    node.labels.set("change", std::to_string(i));
    put_node(scheduler, node);
    REQUIRE(bound_after(scheduler, i * 20 * kSecond).empty());
  }
  scheduler.put(the_probe());
  REQUIRE(scheduler.advance(62 * kSecond));
  REQUIRE(scheduler.parked() == 2);
  put_node(scheduler, sim_node("n1"));
  CHECK(bound_after(scheduler, 63 * kSecond) == "big@n1 probe@n0");
}

TEST_CASE("a promise to a pod that went keeps nobody else from being helped") {
  Scheduler scheduler = promised();
  for (const char* name : {"lesser", "big"}) scheduler.remove(FactKind::kPod, "default", name);
  Facts others = the_lesser_one();
  others.pods[0].name = "lesser-2";
  others.pods[0].uid = "uid-lesser-2";
  scheduler.put(std::move(others));
  Facts next = the_big_one();
  next.pods[0].name = "big-2";
  next.pods[0].uid = "uid-big-2";
  scheduler.put(std::move(next));
  REQUIRE(scheduler.advance(2 * kSecond));
  const std::vector<Nomination> nominations = scheduler.take_nominations();
  REQUIRE(nominations.size() == 1);
  CHECK(nominations[0].pod.name == "big-2");
  CHECK(nominations[0].node == "n0");
  const std::vector<EvictRequest> evictions = scheduler.take_evictions();
  REQUIRE(evictions.size() == 1);
  CHECK(evictions[0].pod.name == "lesser-2");
}

// "big" has the label that "friend" wants in its zone, and n0 is promised to it; whoever has that
// label already is on n1, which is nearly full.
TEST_CASE("whom only a promised pod would draw to a node goes where the others are") {
  Scheduler scheduler = promised();
  for (const auto& [name, zone, cpu] :
       {std::tuple("n0", "a", 4'000), std::tuple("n1", "b", 4'000), std::tuple("n2", "a", 1'000)}) {
    Node node = sim_node(name);
    node.labels.set("zone", zone);
    node.allocatable.set("cpu", cpu);
    put_node(scheduler, std::move(node));
  }
  Facts here = a_pod("here", 3'500);
  here.pods[0].bound_node = "n1";
  scheduler.put(std::move(here));
  Facts close = a_pod("friend", 100);
  PodAffinityTerm term;
  term.topology_key = "zone";
  term.selector.requirements.push_back({"app", SelectorOp::kIn, {"web"}});
  close.specs[0].labels.set("app", "friend");
  close.specs[0].required_affinity = std::vector<PodAffinityTerm>{term};
  Facts lesser = the_lesser_one();
  lesser.specs[0].labels.set("app", "lesser");
  lesser.pods[0].terminating = true;
  scheduler.put(std::move(lesser));
  scheduler.put(std::move(close));
  REQUIRE(scheduler.advance(20 * kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  CHECK(binds[0].pod.name == "friend");
  CHECK(binds[0].node == "n1");
}

TEST_CASE("a promise that only a pod that stays could redeem is taken back") {
  Scheduler scheduler = asked();
  const std::vector<EvictRequest> evictions = scheduler.take_evictions();
  REQUIRE(evictions.size() == 1);
  EvictAnswer answer = EvictAnswer::kFailed;
  Nanos asked_again{0};
  SUBCASE("it is asked again after the backoff, where nobody knows why") {
    asked_again = 2 * kSecond;
  }
  SUBCASE("or after a minute, where the server does not let us ask") {
    answer = EvictAnswer::kRefused;
    asked_again = 61 * kSecond;
  }
  scheduler.answer(evictions[0].ticket, answer, kSecond);
  const std::vector<Nomination> nominations = scheduler.take_nominations();
  REQUIRE(nominations.size() == 1);
  CHECK(nominations[0].pod.name == "big");
  CHECK(nominations[0].node.empty());
  scheduler.put(the_probe());
  Facts lesser = the_lesser_one();  // leaves room enough for the probe, and not for `big`
  lesser.specs[0].containers.edit().front().requests.set("cpu", 2'400);
  scheduler.put(std::move(lesser));
  for (Nanos now = kSecond; now < asked_again; now += kSecond / 4) {
    REQUIRE(scheduler.advance(now));
    REQUIRE(scheduler.take_evictions().empty());
  }
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  CHECK(binds[0].pod.name == "probe");
  scheduler.answer(binds[0].ticket, BindAnswer::kBound, asked_again);
  REQUIRE(scheduler.advance(asked_again + kSecond));
  CHECK(scheduler.take_evictions().size() == 2);
  CHECK(scheduler.counts().flushed == 0);
}

// Zone "a" is n0, which is promised to `big`; zone "b" is n1, and `here` is on it: too much for
// `big`.
Scheduler promised_in_zones() {
  Scheduler scheduler = promised();
  for (const auto& [name, zone] : {std::pair("n0", "a"), std::pair("n1", "b")}) {
    Node node = sim_node(name);
    node.labels.set("zone", zone);
    put_node(scheduler, std::move(node));
  }
  Facts here = a_pod("here", 1'500);
  here.pods[0].bound_node = "n1";
  scheduler.put(std::move(here));
  Facts lesser = the_lesser_one();
  lesser.specs[0].labels.set("app", "lesser");
  lesser.pods[0].terminating = true;
  scheduler.put(std::move(lesser));
  REQUIRE(scheduler.advance(10 * kSecond));
  REQUIRE(scheduler.parked() == 1);
  scheduler.take_unschedulable();
  return scheduler;
}

TEST_CASE("a promised pod carries no spread before it is there") {
  Scheduler scheduler = promised_in_zones();
  TopologySpread even;
  even.topology_key = "zone";
  even.selector.requirements.push_back({"app", SelectorOp::kIn, {"web"}});
  Facts next = a_pod("next", 2'000);  // more than is free on n0
  next.specs[0].spread = std::vector<TopologySpread>{even};
  scheduler.put(std::move(next));
  REQUIRE(scheduler.advance(20 * kSecond));
  CHECK(scheduler.take_binds().empty());
  const std::vector<Unschedulable> told = scheduler.take_unschedulable();
  REQUIRE(told.size() == 1);
  CHECK(told[0].message ==
        "it fits only beside pods that are promised nodes, and are not on them yet");
  scheduler.remove(FactKind::kPod, "default", "lesser");
  CHECK(bound_after(scheduler, 21 * kSecond) == "big@n0 next@n1");
}

TEST_CASE("a group is not placed in part where one of it needs a promised pod") {
  Scheduler scheduler = promised_in_zones();
  Node small = sim_node("n2");  // too small for `big`, and of the zone that is promised to it
  small.labels.set("zone", "a");
  small.allocatable.set("cpu", 1'000);
  put_node(scheduler, std::move(small));
  Facts groups;
  groups.pod_groups.push_back({"default", "g", 2});
  scheduler.put(std::move(groups));
  for (const char* name : {"g-0", "g-1"}) {
    Facts member = a_pod(name, 100);
    member.specs[0].labels.set("app", "g");
    member.specs[0].labels.set("scheduling.x-k8s.io/pod-group", "g");
    if (std::string(name) == "g-1") {
      PodAffinityTerm term;
      term.topology_key = "zone";
      term.selector.requirements.push_back({"app", SelectorOp::kIn, {"web"}});
      member.specs[0].required_affinity = std::vector<PodAffinityTerm>{term};
      member.specs[0].node_selector.set("zone", "a");
    }
    scheduler.put(std::move(member));
  }
  REQUIRE(scheduler.advance(20 * kSecond));
  CHECK(scheduler.take_binds().empty());
  const std::vector<Unschedulable> told = scheduler.take_unschedulable();
  CHECK(std::count_if(told.begin(), told.end(), [](const Unschedulable& pod) {
          return pod.pod.name.str().starts_with("g-") &&
                 pod.message ==
                     "it fits only beside pods that are promised nodes, and are not on "
                     "them yet";
        }) == 2);
  scheduler.remove(FactKind::kPod, "default", "lesser");
  const std::string bound = bound_after(scheduler, 21 * kSecond);
  CHECK(bound.find("big@n0") != std::string::npos);
  CHECK(bound.find("g-0@") != std::string::npos);
  CHECK(bound.find("g-1@") != std::string::npos);
}
