// Who goes for others, where the profile says whether anybody does and what budgets keep.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Profile profile(bool keeps_budgets) {
  Profile made = *builtin_profile("kube", Compat::k1_36);
  made.keeps_budgets = keeps_budgets;
  return made;
}

Scheduler scheduler_of(Profile profile) {
  LiveOptions options;
  options.profiles = {std::move(profile)};
  return Scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
}

void put_node(Scheduler& scheduler, const std::string& name) {
  Facts facts;
  facts.nodes = {sim_node(name)};
  scheduler.put(std::move(facts));
}

struct Wish {
  std::int64_t cpu = 1'000;
  std::int32_t priority = 0;
  std::string node = {};
  bool terminating = false;
};

// Of the template `app`, by which budgets know it.
void put(Scheduler& scheduler, const std::string& name, const std::string& app, const Wish& wish) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  Container container;
  container.name = "c";
  container.requests.set("cpu", wish.cpu);
  facts.specs[0].containers = std::vector<Container>{container};
  facts.specs[0].labels.set("app", app);
  Pod& pod = facts.pods[0];
  pod.uid = "uid-" + name;
  pod.bound_node = wish.node;
  pod.priority = wish.priority;
  pod.terminating = wish.terminating;
  scheduler.put(std::move(facts));
}

void put_budget(Scheduler& scheduler, const std::string& app, std::int32_t allowed) {
  Facts facts;
  PodDisruptionBudget budget;
  budget.namespace_name = "default";
  budget.name = app;
  budget.selector.requirements.push_back({"app", SelectorOp::kIn, {app}});
  budget.disruptions_allowed = allowed;
  facts.disruption_budgets = {budget};
  scheduler.put(std::move(facts));
}

/// "a b", who is asked to go.
std::string asked(Scheduler& scheduler, Nanos now = kSecond) {
  REQUIRE(scheduler.advance(now));
  std::string names;
  for (const EvictRequest& eviction : scheduler.take_evictions())
    names += (names.empty() ? "" : " ") + eviction.pod.name.str() +
             (eviction.within_budgets ? " within budgets" : "");
  return names;
}

// Two nodes, one pod on each, and both under a budget that allows nobody to go.
void guard_both(Scheduler& scheduler) {
  put_node(scheduler, "n0");
  put_node(scheduler, "n1");
  put(scheduler, "a", "web", {.cpu = 3'000, .node = "n0"});
  put(scheduler, "b", "web", {.cpu = 3'000, .node = "n1"});
  put_budget(scheduler, "web", 0);
}

}  // namespace

TEST_CASE("budgets: where every node has one that would be violated, only prefer has a victim") {
  for (const bool keeps : {false, true}) {
    Scheduler scheduler = scheduler_of(profile(keeps));
    guard_both(scheduler);
    put(scheduler, "vip", "vip", {.cpu = 2'000, .priority = 10});
    CHECK(asked(scheduler) == (keeps ? "" : "a"));
    CHECK(scheduler.counts().preemptions == (keeps ? 0 : 1));
  }
}

TEST_CASE("budgets: keep takes whom no budget keeps, and says that the server is to see to it") {
  Scheduler scheduler = scheduler_of(profile(true));
  guard_both(scheduler);
  put_node(scheduler, "n2");
  put(scheduler, "c", "batch", {.cpu = 3'000, .priority = 5, .node = "n2"});
  put(scheduler, "vip", "vip", {.cpu = 2'000, .priority = 10});
  CHECK(asked(scheduler) == "c within budgets");
}

// By the order of kube-scheduler `small`, the more important one, takes what the budget allows, and
// `large` violates it; that `small` stays and `large` goes is within it all the same.
TEST_CASE("budgets: who waits because keep has no victim is tried when a budget allows more") {
  for (const bool is_removed : {false, true}) {
    Scheduler scheduler = scheduler_of(profile(true));
    guard_both(scheduler);
    put(scheduler, "vip", "vip", {.cpu = 2'000, .priority = 10});
    REQUIRE(asked(scheduler).empty());
    const std::uint64_t tried = scheduler.counts().attempts;
    put_budget(scheduler, "web", 0);
    put_budget(scheduler, "other", 1);
    CHECK(asked(scheduler, 20 * kSecond).empty());
    CHECK(scheduler.counts().attempts == tried);  // neither helps
    if (is_removed)
      scheduler.remove(FactKind::kDisruptionBudget, "default", "web");
    else
      put_budget(scheduler, "web", 1);
    CHECK(asked(scheduler, 40 * kSecond) == "a within budgets");
  }
}

TEST_CASE("budgets: where they only prefer, one that allows more wakes nobody") {
  Scheduler scheduler = scheduler_of(profile(false));
  put_node(scheduler, "n0");
  put(scheduler, "a", "web", {.cpu = 3'000, .node = "n0"});
  put_budget(scheduler, "web", 0);
  put(scheduler, "late", "late", {.cpu = 2'000});
  REQUIRE(asked(scheduler).empty());
  const std::uint64_t tried = scheduler.counts().attempts;
  put_budget(scheduler, "web", 1);
  CHECK(asked(scheduler, 20 * kSecond).empty());
  CHECK(scheduler.counts().attempts == tried);
}

TEST_CASE("budgets: what counts is who goes, and not whom a budget was taken from in trying") {
  for (const std::int32_t allowed : {1, 0}) {
    Scheduler scheduler = scheduler_of(profile(true));
    put_node(scheduler, "n0");
    put(scheduler, "small", "web", {.cpu = 1'000, .priority = 2, .node = "n0"});
    put(scheduler, "large", "web", {.cpu = 3'000, .priority = 1, .node = "n0"});
    put_budget(scheduler, "web", allowed);
    put(scheduler, "vip", "vip", {.cpu = 3'000, .priority = 10});
    CHECK(asked(scheduler) == (allowed == 1 ? "large within budgets" : ""));
  }
}

TEST_CASE("budgets: whoever is going already takes nothing from one") {
  Scheduler scheduler = scheduler_of(profile(true));
  put_node(scheduler, "n0");
  put(scheduler, "going", "web", {.cpu = 2'000, .node = "n0", .terminating = true});
  put(scheduler, "other", "batch", {.cpu = 2'000, .node = "n0"});
  put_budget(scheduler, "web", 0);
  put(scheduler, "vip", "vip", {.cpu = 4'000, .priority = 10});
  CHECK(asked(scheduler) == "other within budgets");
}

TEST_CASE("without DefaultPreemption nobody goes, and a promise from before is taken back") {
  Scheduler scheduler = scheduler_of(profile(false));
  put_node(scheduler, "n0");
  put(scheduler, "a", "web", {.cpu = 3'000, .node = "n0"});
  put(scheduler, "vip", "vip", {.cpu = 2'000, .priority = 10});
  REQUIRE(asked(scheduler) == "a");
  REQUIRE(scheduler.take_nominations().size() == 1);
  Profile mild = profile(false);
  mild.preempts = false;
  REQUIRE(scheduler.use({mild}));
  CHECK(asked(scheduler, 2 * kSecond).empty());
  const std::vector<Nomination> taken_back = scheduler.take_nominations();
  REQUIRE(taken_back.size() == 1);
  CHECK(taken_back[0].pod.name == "vip");
  CHECK(taken_back[0].node.empty());
}
