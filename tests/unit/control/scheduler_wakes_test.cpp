// What wakes a pod that has no place: not the flush that comes after five minutes anyway.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Facts a_pod(const std::string& name, const std::string& app, std::int64_t cpu,
            const std::string& node = "") {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  PodSpec& spec = facts.specs[0];
  spec.labels.set("app", app);
  Container container;
  container.name = "c";
  container.requests.set("cpu", cpu);
  spec.containers = std::vector<Container>{container};
  facts.pods[0].uid = "uid-" + name;
  facts.pods[0].bound_node = node;
  return facts;
}

/// n0, and n1 that nobody may use.
Scheduler site() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts;
  facts.nodes = {sim_node("n0"), sim_node("n1")};
  facts.nodes[1].unschedulable = true;
  scheduler.put(std::move(facts));
  return scheduler;
}

LabelSelector of_app(const std::string& app) {
  LabelSelector selector;
  selector.requirements.push_back({"app", SelectorOp::kIn, {app}});
  return selector;
}

/// "late", which shares its node with no pod of that app.
Facts apart_from(const std::string& app) {
  Facts late = a_pod("late", "web", 100);
  PodAffinityTerm term;
  term.topology_key = "kubernetes.io/hostname";
  term.selector = of_app(app);
  late.specs[0].required_anti_affinity = std::vector<PodAffinityTerm>{term};
  return late;
}

/// "late" finds no place now, and one on n0 soon after `change`.
void check_wakes(Scheduler& scheduler, Facts late, Facts change) {
  scheduler.put(std::move(late));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.take_binds().empty());
  REQUIRE(scheduler.advance(20 * kSecond));
  REQUIRE(scheduler.parked() == 1);
  scheduler.put(std::move(change));
  REQUIRE(scheduler.advance(21 * kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  CHECK(binds[0].pod.name == "late");
  CHECK(binds[0].node == "n0");
  CHECK(scheduler.counts().flushed == 0);
}

}  // namespace

TEST_CASE("wakes: who waits for nothing that happens is tried again after five minutes") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("here", "x", 100, "n0"));
  scheduler.put(apart_from("x"));
  for (std::uint64_t flushes = 0; flushes < 3; ++flushes) {
    const Nanos begin = 300 * kSecond * static_cast<std::int64_t>(flushes);
    REQUIRE(scheduler.advance(begin + kSecond));
    REQUIRE(scheduler.advance(begin + 299 * kSecond));
    CHECK(scheduler.parked() == 1);
    CHECK(scheduler.counts().flushed == flushes);
    CHECK(scheduler.counts().attempts == flushes + 1);
    CHECK(*scheduler.next() == begin + 301 * kSecond);
  }
}

TEST_CASE("wakes: a pod loses the label that kept another one away") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("here", "x", 100, "n0"));
  check_wakes(scheduler, apart_from("x"), a_pod("here", "y", 100, "n0"));
}

TEST_CASE("wakes: a pod asks for less than before") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("here", "x", 4'000, "n0"));
  check_wakes(scheduler, a_pod("late", "web", 500), a_pod("here", "x", 3'000, "n0"));
}

TEST_CASE("wakes: a pod that was about to be bound is bound elsewhere, by somebody else") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("first", "x", 4'000));
  REQUIRE(scheduler.advance(Nanos{0}));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  REQUIRE(binds[0].node == "n0");
  check_wakes(scheduler, a_pod("late", "web", 500), a_pod("first", "x", 4'000, "n1"));
}

TEST_CASE("wakes: a pod that is being deleted counts no more where pods are spread") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("here", "web", 100, "n0"));
  Facts late = a_pod("late", "web", 100);
  TopologySpread spread;
  spread.topology_key = "kubernetes.io/hostname";
  spread.selector = of_app("web");
  late.specs[0].spread = std::vector<TopologySpread>{spread};
  Facts going = a_pod("here", "web", 100, "n0");
  going.pods[0].terminating = true;
  check_wakes(scheduler, std::move(late), std::move(going));
}

TEST_CASE("wakes: a pod loses its label before it is told to be bound") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("first", "x", 100));
  REQUIRE(scheduler.advance(Nanos{0}));
  REQUIRE(scheduler.take_binds().size() == 1);
  check_wakes(scheduler, apart_from("x"), a_pod("first", "y", 100));
}

TEST_CASE("wakes: what cannot be read of a pod wakes nobody, however often it is told") {
  Scheduler scheduler = site();
  scheduler.put(a_pod("here", "x", 4'000, "n0"));
  scheduler.put(a_pod("late", "web", 500));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.advance(20 * kSecond));
  REQUIRE(scheduler.parked() == 1);
  for (int i = 0; i < 3; ++i) {
    Facts unread = a_pod("here", "x", 0, "n0");
    unread.specs[0].unread = "'many' is no quantity";
    scheduler.put(std::move(unread));
    REQUIRE(scheduler.advance((21 + i) * kSecond));
  }
  CHECK(scheduler.parked() == 1);
  CHECK(scheduler.counts().attempts == 1);
}
