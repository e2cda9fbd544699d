// A scheduler's loop in a simulated cluster: what it does is the cluster's history.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gedge/drive/schedule_loop.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/sim/checks.hpp"
#include "gedge/sim/cluster_link.hpp"
#include "gedge/sim/virtual_pace.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Scheduler make_scheduler(bool repairs = false) {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  options.profiles[0].evicts_overcommit = repairs;
  return {LiveCluster(std::move(options)), {"gedge"}, {}};
}

/// Plays a world until then.
class Play {
 public:
  explicit Play(SimWorld& world, const SimLinkOptions& options = {}) : world_(world) {
    link = std::make_unique<SimLink>(world, pace, options);
  }
  Status until(Nanos end) {
    world_.at(end, [](SimWorld&) { return Status{}; });
    ScheduleEvents events;
    ScheduleLoop* running = nullptr;
    events.turned = [&] {
      turned();
      if (Nanos(pace.now()) >= end) running->stop();
    };
    ScheduleLoop loop(make_scheduler(repairs), *link, pace, {}, events);
    running = &loop;
    Status status = loop.run();
    counts = loop.scheduler().counts();
    return status;
  }
  VirtualPace pace;
  std::unique_ptr<SimLink> link;
  std::function<void()> turned = [] {};
  bool repairs = false;
  SchedulerCounts counts;

 private:
  SimWorld& world_;
};

Facts three_webs() {
  Facts facts = three_nodes();
  add_pods(facts, "Deployment", "web", 3);
  return facts;
}

}  // namespace

TEST_CASE("pods of a node that dies are bound elsewhere, on a clock that jumps") {
  SimWorld world(three_webs(), {}, {});
  world.at(10 * kSecond, [](SimWorld& then) { return then.fail_node("n0"); });
  Play play(world);
  REQUIRE(play.until(600 * kSecond));
  CHECK(where(world) == "web-0@n0!+ web-1@n1+ web-2@n2+ web-3@n1+");
  CHECK(play.counts.bound == 4);
  CHECK(play.pace.now() >= Micros(600'000'000));
}

TEST_CASE("a matrix that changes lets a pod be bound that had no place") {
  Facts facts = three_nodes();
  add_pods(facts, "Deployment", "web", 1);
  facts.specs[0].budgets.push_back({"n0", PeerKind::kNode, {}, {}, "n0", false, 1'000, {}});
  facts.nodes[0].unschedulable = true;
  RttMatrix rtt({"n0", "n1", "n2"});
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t k = 0; k < 3; ++k)
      if (i != k) rtt.set(NameIndex{i}, NameIndex{k}, Rtt{5'000});
  SimWorld world(std::move(facts), rtt, {});
  const auto nearer = [](Facts&, RttMatrix& all) {
    all.set(NameIndex{0}, NameIndex{2}, Rtt{900});
    all.set(NameIndex{2}, NameIndex{0}, Rtt{900});
    return Status{};
  };
  world.at(60 * kSecond, [&](SimWorld& then) { return then.edit(nearer, "rtt/n0,n2=0.9ms"); });
  Play play(world);
  REQUIRE(play.until(120 * kSecond));
  CHECK(where(world) == "web-0@n2+");
  bool told = false, bound = false;
  for (const SimulationEvent& event : world.take_events()) {
    told = told || event.what == Happening::kUnschedulable;
    if (event.what != Happening::kBound) continue;
    bound = true;
    REQUIRE(event.budgets.size() == 1);
    CHECK(event.budgets[0].rtt_us == 900);
    CHECK(event.at < 61 * kSecond);
  }
  CHECK(told);
  CHECK(bound);
}

TEST_CASE("a node that another scheduler fills is repaired, and who had to go is bound elsewhere") {
  Facts facts = three_nodes();
  for (Node& node : facts.nodes) node.allocatable.set("cpu", 1'000);
  add_pods(facts, "Deployment", "web", 4);
  add_pods(facts, "Deployment", "theirs", 6);
  for (Pod& pod : facts.pods)
    if (pod.workload_name == "theirs") facts.specs[raw(pod.spec)].scheduler_name = "other";
  facts.specs[raw(facts.pods.back().spec)].labels.set("app", "theirs");
  SimWorld world(std::move(facts), {}, {});
  // Each binds to the same node what fits there, had the other one not been.
  world.at(60 * kSecond, [](SimWorld& then) {
    for (int i = 0; i < 2; ++i) put_on(then, "theirs-" + std::to_string(i), "n0");
    return Status{};
  });
  Play play(world);
  play.repairs = true;
  REQUIRE(play.until(600 * kSecond));
  std::map<SharedText, int> on;
  int waiting = 0;
  for (const auto& [name, known] : world.cluster().pods()) {
    if (known.pod.bound_node.empty())
      waiting += known.spec.scheduler_name == "gedge" ? 1 : 0;
    else
      ++on[known.pod.bound_node];
  }
  CAPTURE(where(world));
  for (const auto& [node, pods] : on) CHECK(pods <= 2);
  CHECK(where(world).find("theirs-0@n0") != std::string::npos);
  CHECK(waiting == 0);
  CHECK(play.counts.overcommits == 1);
  CHECK(play.counts.repairs > 0);
  CHECK(play.counts.repairs <= 2);
}

TEST_CASE("what is told no more for a minute stops decisions, and they go on when it is again") {
  std::uint64_t binds = 0, waits = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimWorldOptions world_options;
    world_options.seed = seed;
    SimWorld world(three_webs(), {}, world_options);
    world.churn(5 * kSecond, 1'800 * kSecond);
    SimChecks checks(world, {{"NodeResourcesFit", "NodeUnschedulable"}, Compat::k1_36, {}});
    SimLinkOptions options;
    options.seed = seed;
    options.witness = &checks;
    options.faults.watch_breaks = 50'000;
    options.faults.watch_outage = 300 * kSecond;
    options.faults.lost_answers = 100'000;
    Play run(world, options);
    run.turned = [&] {
      waits += run.link->is_synced() ? 0U : 1U;
      if (Nanos(run.pace.now()) >= 1'800 * kSecond) run.link->calm_down();
    };
    REQUIRE(run.until(2'400 * kSecond));
    for (const Breach& breach : checks.take_breaches())
      FAIL_CHECK(seed << ": " << breach.invariant << ": " << breach.text);
    binds += run.counts.bound;
    CHECK(run.link->is_synced());
  }
  CHECK(binds > 500);
  CHECK(waits > 100);
}

TEST_CASE("of what happened no more is kept than may be told again") {
  SimWorld world(three_webs(), {}, {});
  world.churn(5 * kSecond, 1'800 * kSecond);
  SimLinkOptions options;
  options.faults.watch_repeats = 200'000;
  options.faults.late_watch = 5 * kSecond;
  Play run(world, options);
  std::size_t most = 0;
  run.turned = [&] { most = std::max(most, world.cluster().kept()); };
  REQUIRE(run.until(2'000 * kSecond));
  CHECK(run.link->faults() > 100);
  CHECK(world.cluster().version() > 500);
  CHECK(most < 100);
}

TEST_CASE("with every fault that there is, pods end where they belong, and a seed repeats itself") {
  const auto play = [](std::uint64_t seed, std::uint64_t& faults) {
    SimLinkOptions options;
    options.seed = seed;
    options.faults.lost_binds = options.faults.lost_answers = 200'000;
    options.faults.refused_binds = options.faults.lost_reads = 200'000;
    options.faults.watch_repeats = options.faults.watch_breaks = 100'000;
    options.faults.slow_answers = options.faults.late_watch = kSecond;
    SimWorldOptions world_options;
    world_options.seed = seed;
    SimWorld world(three_webs(), {}, world_options);
    world.churn(10 * kSecond, 300 * kSecond);
    Play run(world, options);
    REQUIRE(run.until(1'000 * kSecond));
    faults += run.link->faults();
    std::string history;
    for (const SimulationEvent& event : world.take_events())
      history += std::to_string(event.at.count()) + std::string(to_string(event.what)) +
                 event.pod.str() + event.node.str();
    return history;
  };
  std::uint64_t faults = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) CHECK(play(seed, faults) == play(seed, faults));
  CHECK(faults > 100);
}
