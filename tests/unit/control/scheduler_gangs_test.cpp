// Pod groups and gated pods, as time goes by.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/dice.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Scheduler empty_scheduler(std::size_t max_binds = 100) {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  SchedulerOptions most;
  most.max_binds = max_binds;
  return {LiveCluster(std::move(options)), {"gedge"}, most};
}

// Two of these fit on a node.
Facts half_a_node(const std::string& name, const std::string& group) {
  Facts facts;
  PodSpec spec = sim_spec();
  spec.containers.edit().front().requests.set("cpu", 2'000);
  spec.labels.set("scheduling.x-k8s.io/pod-group", group);
  facts.specs.push_back(spec);
  Pod pod;
  pod.name = name;
  pod.uid = name + "-uid";
  pod.workload_kind = "Pod";
  pod.workload_name = name;
  facts.pods.push_back(pod);
  return facts;
}

Facts nodes_and_groups(int nodes, std::int32_t least, const std::vector<std::string>& groups) {
  Facts facts;
  for (int i = 0; i < nodes; ++i) facts.nodes.push_back(sim_node("n" + std::to_string(i)));
  for (const std::string& name : groups) facts.pod_groups.push_back({"default", name, least});
  return facts;
}

// A server that a test asks: what was bound where, in any order of answers.
struct Server {
  std::vector<BindRequest> asked;
  std::set<std::string> bound;

  void collect(Scheduler& scheduler) {
    for (BindRequest& bind : scheduler.take_binds()) asked.push_back(std::move(bind));
  }
  void answer_one(Scheduler& scheduler, Dice& dice, bool may_refuse, Nanos now) {
    if (asked.empty()) return;
    const std::size_t i = dice.below(asked.size());
    const BindRequest bind = asked[i];
    asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(i));
    if (may_refuse && dice.below(4) == 0)
      return scheduler.answer(bind.ticket, BindAnswer::kRefused, now);
    bound.insert(bind.pod.name);
    scheduler.answer(bind.ticket, BindAnswer::kBound, now);
  }
};

// Members "a-0" and on of group "a" that find a place together, of which each bind is refused.
void refuse_all(Scheduler& scheduler, int members, Nanos now) {
  for (int i = 0; i < members; ++i) scheduler.put(half_a_node("a-" + std::to_string(i), "a"));
  REQUIRE(scheduler.advance(kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == static_cast<std::size_t>(members));
  for (const BindRequest& bind : binds) scheduler.answer(bind.ticket, BindAnswer::kRefused, now);
}

std::size_t of_group(const std::set<std::string>& pods, char group) {
  std::size_t count = 0;
  for (const std::string& pod : pods) count += pod.front() == group ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("gangs of three on four places: one gets all it needs, the other holds nothing") {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    Dice dice(seed);
    Scheduler scheduler = empty_scheduler();
    scheduler.put(nodes_and_groups(2, 3, {"a", "b"}));
    std::vector<std::string> pods = {"a-0", "a-1", "a-2", "b-0", "b-1", "b-2"};
    Server server;
    Nanos now{0};
    std::set<std::string> ever_asked;
    const auto turn = [&](bool may_refuse) {
      now += Nanos{static_cast<std::int64_t>(dice.below(3)) * 500'000'000};
      REQUIRE(scheduler.advance(now));
      server.collect(scheduler);
      for (const BindRequest& bind : server.asked) ever_asked.insert(bind.pod.name);
      if (dice.below(2) == 0) server.answer_one(scheduler, dice, may_refuse, now);
    };
    while (!pods.empty()) {
      const std::size_t i = dice.below(pods.size());
      scheduler.put(half_a_node(pods[i], pods[i].substr(0, 1)));
      pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(i));
      turn(true);
    }
    for (int i = 0; i < 8; ++i) turn(true);
    for (int i = 0; i < 200 && server.bound.size() < 3; ++i) {
      now += 10 * kSecond;
      turn(false);
    }
    CAPTURE(seed);
    REQUIRE(server.bound.size() == 3);
    const bool is_a = of_group(server.bound, 'a') == 3;
    REQUIRE(of_group(server.bound, is_a ? 'a' : 'b') == 3);
    REQUIRE(of_group(ever_asked, is_a ? 'b' : 'a') == 0);
    REQUIRE(scheduler.parked() == 3);
  }
}

TEST_CASE("a pod that a group lacked brings those along that wait longer") {
  Scheduler scheduler = empty_scheduler();
  scheduler.put(nodes_and_groups(2, 3, {"a"}));
  scheduler.put(half_a_node("a-0", "a"));
  scheduler.put(half_a_node("a-1", "a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().empty());
  const std::vector<Unschedulable> told = scheduler.take_unschedulable();
  REQUIRE(told.size() == 2);
  CHECK(told[0].message ==
        "pod group default/a is placed when 3 of its pods fit together; now 2 do");
  scheduler.put(half_a_node("a-2", "a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().size() == 3);
}

TEST_CASE("members are told anew when their backoff is over, not whenever another one comes") {
  Scheduler scheduler = empty_scheduler();
  scheduler.put(nodes_and_groups(4, 8, {"a"}));
  std::size_t told = 0;
  for (int i = 0; i < 7; ++i) {
    scheduler.put(half_a_node("a-" + std::to_string(i), "a"));
    REQUIRE(scheduler.advance(kSecond + i * Nanos{10'000'000}));
    told += scheduler.take_unschedulable().size();
  }
  CHECK(told == 7);
  scheduler.put(nodes_and_groups(5, 8, {"a"}));
  REQUIRE(scheduler.advance(60 * kSecond));
  const std::vector<Unschedulable> again = scheduler.take_unschedulable();
  REQUIRE(again.size() == 6);  // all but the last, who was told that
  CHECK(again[0].message ==
        "pod group default/a is placed when 8 of its pods fit together; now 7 do");
}

TEST_CASE("a group whose minMember falls is tried again") {
  Scheduler scheduler = empty_scheduler();
  scheduler.put(nodes_and_groups(1, 3, {"a"}));
  for (const char* name : {"a-0", "a-1", "a-2"}) scheduler.put(half_a_node(name, "a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().empty());
  scheduler.put(nodes_and_groups(0, 2, {"a"}));
  REQUIRE(scheduler.advance(20 * kSecond));
  CHECK(scheduler.take_binds().size() == 2);
}

TEST_CASE("nobody goes for a pod of a group") {
  Scheduler scheduler = empty_scheduler();
  scheduler.put(nodes_and_groups(1, 2, {"a"}));
  for (const char* name : {"x-0", "x-1"}) {
    Facts facts = half_a_node(name, "none");
    facts.pods[0].bound_node = "n0";
    scheduler.put(std::move(facts));
  }
  for (const char* name : {"a-0", "a-1"}) {
    Facts facts = half_a_node(name, "a");
    facts.pods[0].priority = 1'000;
    scheduler.put(std::move(facts));
  }
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_evictions().empty());
  CHECK(scheduler.parked() == 2);
}

TEST_CASE("a gated pod waits for nothing until its gates are gone") {
  Scheduler scheduler = empty_scheduler();
  scheduler.put(nodes_and_groups(1, 1, {}));
  Facts gated = half_a_node("web", "none");
  gated.specs[0].gated = true;
  scheduler.put(std::move(gated));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().empty());
  CHECK(scheduler.take_unschedulable().empty());
  scheduler.put(half_a_node("web", "none"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().size() == 1);
}

TEST_CASE("a pod of a group keeps no place for longer than its group says") {
  for (const std::int32_t timeout : {0, 5, 600}) {
    CAPTURE(timeout);
    Scheduler scheduler = empty_scheduler();
    Facts facts = nodes_and_groups(1, 2, {"a"});
    facts.pod_groups[0].timeout_seconds = timeout;
    scheduler.put(std::move(facts));
    refuse_all(scheduler, 2, 7 * kSecond);
    scheduler.put(half_a_node("other", "none"));
    REQUIRE(scheduler.advance(7 * kSecond));
    const std::vector<BindRequest> next = scheduler.take_binds();
    REQUIRE(next.size() == (timeout == 5 ? 1 : 0));
    if (timeout == 5) CHECK(next[0].pod.name == "other");
  }
}

TEST_CASE("a group is bound together, and after refusals as many at once as may be under way") {
  Scheduler scheduler = empty_scheduler(1);
  scheduler.put(nodes_and_groups(2, 3, {"a"}));
  refuse_all(scheduler, 3, 2 * kSecond);
  Nanos now = 3 * kSecond;
  for (int i = 0; i < 3; ++i, now += kSecond) {
    REQUIRE(scheduler.advance(now));
    const std::vector<BindRequest> again = scheduler.take_binds();
    REQUIRE(again.size() == 1);
    REQUIRE(scheduler.advance(now + kSecond / 2));
    CHECK(scheduler.take_binds().empty());
    scheduler.answer(again[0].ticket, BindAnswer::kBound, now + kSecond / 2);
  }
  CHECK(scheduler.bound() == 3);
}

TEST_CASE("a pod of a group keeps the place that a bind was refused for, if it is still one") {
  Scheduler scheduler = empty_scheduler();
  scheduler.put(nodes_and_groups(2, 3, {"a"}));
  refuse_all(scheduler, 3, 2 * kSecond);
  for (const char* name : {"x", "y"}) scheduler.put(half_a_node(name, "none"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.take_binds().size() == 1);  // of four places, three are held
  Facts cordoned;
  cordoned.nodes.push_back(sim_node("n0"));
  cordoned.nodes[0].unschedulable = true;
  scheduler.put(std::move(cordoned));
  REQUIRE(scheduler.advance(3 * kSecond));
  for (const BindRequest& bind : scheduler.take_binds()) CHECK(bind.node == "n1");
}
