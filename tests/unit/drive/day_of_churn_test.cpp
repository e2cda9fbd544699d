// What a scheduler holds after a day of pods that come and go, beside what it holds after an hour.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "gedge/drive/schedule_loop.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/sim/cluster_link.hpp"
#include "gedge/sim/virtual_pace.hpp"
#include "support/sim_site.hpp"
#include "unit/control/live_bytes.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr Nanos kHour = 3'600 * kSecond;
constexpr std::int64_t kMostMore = 64 << 10;  // room that lists have taken at their longest

struct Held {
  std::int64_t bytes = 0;  // of the scheduler and its loop alone
  std::uint64_t bound = 0;
};

/// Pods alone come and go: nodes that do would make everything anew.
void meddle(SimWorld& world, Nanos every, Nanos until, int number) {
  world.at(number * every, [=](SimWorld& then) -> Status {
    const auto& pods = then.cluster().pods();
    if (!pods.empty()) {
      auto at = pods.begin();
      std::advance(at, number * 7 % static_cast<int>(pods.size()));
      const PodName name = at->first;
      if (number % 3 == 0) GEDGE_TRY(then.replace_pod(name));
      if (number % 3 != 0) GEDGE_TRY(then.delete_pod(name, "deleted"));
    }
    if ((number + 1) * every < until) meddle(then, every, until, number + 1);
    return Status{};
  });
}

Held after(Nanos span, bool is_whole_churn) {
  Facts facts = three_nodes();
  add_pods(facts, "Deployment", "web", 12);
  SimWorld world(std::move(facts), {}, {});
  if (is_whole_churn)
    world.churn(10 * kSecond, span);
  else
    meddle(world, 10 * kSecond, span, 1);
  const Nanos end = span + kHour / 2;
  world.at(end, [](SimWorld&) { return Status{}; });
  VirtualPace pace;
  SimLink link(world, pace, {});
  LiveOptions live;
  live.profiles = {*builtin_profile("edge", Compat::k1_36)};
  ScheduleLoop* running = nullptr;
  ScheduleEvents events;
  events.turned = [&] {
    if (Nanos(pace.now()) >= end) running->stop();
    world.take_events();
  };
  std::optional<ScheduleLoop> loop;
  loop.emplace(Scheduler(LiveCluster(std::move(live)), {"gedge"}, {}), link, pace,
               ScheduleLoopOptions{}, events);
  running = &*loop;
  REQUIRE(loop->run());
  Held held;
  held.bound = loop->scheduler().counts().bound;
  held.bytes = live_bytes();
  loop.reset();
  held.bytes -= live_bytes();
  return held;
}

/// Of one that decides nothing, while nodes and pods come and go under ever new names.
std::int64_t held_by_follower(int changes) {
  LiveOptions live;
  live.profiles = {*builtin_profile("edge", Compat::k1_36)};
  std::optional<Scheduler> scheduler;
  scheduler.emplace(LiveCluster(std::move(live)), std::vector<std::string>{"gedge"},
                    SchedulerOptions());
  const auto name = [](int number) { return "web-" + std::to_string(number); };
  for (int i = 0; i < changes; ++i) {
    Facts facts;
    facts.nodes.push_back(sim_node(name(i)));
    add_pods(facts, "Pod", name(i), 1);
    facts.specs.back().labels.set("number", std::to_string(i));
    facts.pods.back().bound_node = name(i);
    scheduler->put(std::move(facts));
    if (i < 10) continue;
    scheduler->remove(FactKind::kPod, "default", name(i - 10));
    scheduler->remove(FactKind::kNode, {}, name(i - 10));
  }
  CHECK(scheduler->cluster().pod_count() == 10);
  CHECK(scheduler->cluster().node_count() == 10);
  const std::int64_t bytes = live_bytes();
  scheduler.reset();
  return bytes - live_bytes();
}

}  // namespace

TEST_CASE("a day of churn: who only follows holds as much after ten times as many changes") {
  const std::int64_t few = held_by_follower(5'000), many = held_by_follower(50'000);
  MESSAGE(few << " bytes after 5000 changes, " << many << " after 50000");
  CHECK(few > 1'000);
  CHECK(many < few + (std::int64_t{1} << 20));
}

TEST_CASE("a day of churn: a scheduler holds what it held after an hour") {
  for (const bool is_whole_churn : {true, false}) {
    const Held hour = after(kHour, is_whole_churn), day = after(24 * kHour, is_whole_churn);
    MESSAGE(hour.bytes << " bytes after an hour and " << hour.bound << " binds, " << day.bytes
                       << " after a day and " << day.bound);
    CHECK(hour.bytes > 1'000);
    CHECK(day.bound > 5 * hour.bound);
    CHECK(day.bytes < hour.bytes + kMostMore);
  }
}
