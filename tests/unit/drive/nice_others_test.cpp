// Pins on whose CPUs everything else comes second, on a machine in memory, where gedge may be
// killed at every step.
#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/pin_record.hpp"
#include "support/dice.hpp"
#include "support/pin_others.hpp"

namespace gedge::test {
namespace {

// 20 is nicer than it will have to be, 50 just as nice, a thread of 30 somewhat, and 40 less.
World polite_world(CgroupVersion version = CgroupVersion::kV1) {
  World world = busy_world(version);
  world.processes[20].set_nice(20, 15);
  world.processes[30].set_nice(31, 5);
  world.processes[40].set_nice(40, -3);
  world.processes[50].set_nice(50, 10);
  return world;
}

Result<AppliedPin> nice(World& world, const PinTarget& target, int cpus, int value) {
  return apply(world, target, cpus, MemoryMode::kDefault, {.nice = value});
}
Result<PinnedRun> run_first(World& world, int cpus, int value,
                            std::function<void(int)> meanwhile = {}) {
  return run_before_others(world, cpus, {.nice = value}, std::move(meanwhile));
}

int nice_of(const World& world, int thread) {
  return world.processes.at(world.pid_of(thread)).nice(thread);
}

bool is_any_niced(World& world) {
  return world.files[PinFile::kRecord].find("niced") != std::string::npos;
}

}  // namespace

TEST_CASE("nice others: those who may run there are raised, nobody is lowered, all is put back") {
  World world = polite_world();
  const World found = world;
  const auto done = nice(world, 10, 2, 10);
  REQUIRE(done);
  CHECK(done->grant.cpus == CpuSet{0, 1});
  REQUIRE(done->others.raised);
  CHECK_FALSE(done->others.moved);
  CHECK(done->others.raised->threads == 3);  // 1, 30, 31
  CHECK(done->others.raised->stay.empty());
  for (const int thread : {1, 30, 31, 50}) CHECK(nice_of(world, thread) == 10);
  CHECK(nice_of(world, 20) == 15);
  CHECK(nice_of(world, 40) == -3);                                         // it may not run there
  for (const int thread : {2, 3, 60}) CHECK(nice_of(world, thread) == 0);  // nor 60; the kernel's
  for (const int thread : {10, 11, 12}) CHECK(nice_of(world, thread) == 0);
  CHECK(world.processes[1].threads == found.processes.at(1).threads);
  REQUIRE(undo(world, 10));
  CHECK(is_as_found(world, found));
  CHECK_FALSE(is_any_niced(world));
}

TEST_CASE("nice others: what each had is written down before it is raised") {
  World world = polite_world();
  const World found = world;
  int raised = 0;
  world.before_nice = [&](int thread) {
    const auto reading = read_pin_records({"pins", world.files[PinFile::kRecord]});
    const int pid = found.pid_of(thread);
    const ProcessId is{thread, found.processes.at(pid).started};
    for (const NiceBefore& before : reading.niced.raised)
      if (before.process.pid == pid && value_before(before, is) == nice_of(found, thread)) ++raised;
  };
  REQUIRE(nice(world, 10, 2, 10));
  CHECK(raised == 3);
}

TEST_CASE("nice others: what is begun meanwhile is raised too, and what is begun later lowered") {
  World world = polite_world();
  world.forks_left = world.births_left = 3;
  int grandchild = 0, other = 0;
  REQUIRE(run_first(world, 2, 10, [&](int pid) {
    CHECK(world.births_left + world.forks_left == 0);
    for (const auto& [number, process] : world.processes)
      if (process.started > 7'000 && number != pid) CHECK(process.nice(number) == 10);
    for (const auto& thread : world.processes.at(30).threads)
      CHECK(world.processes.at(30).nice(thread.first) == 10);
    const int child = world.fork(30);
    grandchild = world.fork(child);
    other = world.fork(30);
    world.processes.erase(child);  // the first process takes its child
    world.processes[grandchild].parent = 1;
    world.processes[other].set_nice(other, 12);
    world.processes[1].set_nice(1, 4);  // somebody else has lowered it
  }));
  CHECK(world.processes.size() == 10 + 3 + 2);
  CHECK(nice_of(world, other) == 12);
  CHECK(nice_of(world, 1) == 4);
  CHECK(nice_of(world, 31) == 5);
  for (const auto& [pid, process] : world.processes) {
    if (process.started <= 7'000 && pid != 30) continue;
    for (const auto& thread : process.threads)
      if (thread.first != other && thread.first != 31) CHECK(process.nice(thread.first) == 0);
  }
}

TEST_CASE("nice others: two at once, undone in either order") {
  for (const bool first_leaves_first : {true, false}) {
    World world = polite_world();
    const World found = world;
    REQUIRE(nice(world, 10, 2, 7));
    const auto second = nice(world, 60, 2, 12);
    REQUIRE(second);
    CHECK(second->grant.cpus == CpuSet{2, 3});
    CHECK(nice_of(world, 1) == 12);
    CHECK(nice_of(world, 40) == 12);
    CHECK(nice_of(world, 31) == 7);
    const int born = world.fork(30);
    REQUIRE(undo(world, first_leaves_first ? 10 : 60));
    CHECK(nice_of(world, 1) == (first_leaves_first ? 12 : 7));
    CHECK(nice_of(world, born) == (first_leaves_first ? 12 : 7));
    CHECK(nice_of(world, 31) == (first_leaves_first ? 5 : 7));
    CHECK(nice_of(world, 40) == (first_leaves_first ? 12 : -3));
    REQUIRE(undo(world, first_leaves_first ? 60 : 10));
    CHECK(nice_of(world, born) == 0);
    world.processes.erase(born);
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("nice others: who has just that value already keeps it") {
  World world = polite_world();
  REQUIRE(nice(world, 10, 2, 7));
  const int late = world.fork(1);
  world.processes[late].set_nice(late, 12);
  REQUIRE(nice(world, 60, 2, 12));
  REQUIRE(undo(world, 60));
  CHECK(nice_of(world, late) == 12);
  CHECK(nice_of(world, 1) == 7);
  REQUIRE(undo(world, 10));
  CHECK(nice_of(world, late) == 12);
  CHECK(nice_of(world, 50) == 10);
}

TEST_CASE("nice others: threads that vanish, and numbers that are given again") {
  World world = polite_world();
  world.before_nice = [&](int thread) {
    if (thread != 1) return;
    world.processes[30] = {9'000, {{30, world.all}}, 1};  // 31 is gone
    world.processes[30].set_nice(30, 3);
    world.before_nice = {};
  };
  REQUIRE(nice(world, 10, 2, 10));
  CHECK(nice_of(world, 30) == 10);
  world.processes[20] = {9'100, {{20, world.all}}, 1};
  world.processes[20].set_nice(20, 11);
  REQUIRE(undo(world, 10));
  CHECK(nice_of(world, 30) == 3);
  CHECK(nice_of(world, 20) == 11);
  CHECK(nice_of(world, 1) == 0);
}

TEST_CASE("nice others: without rights nothing is half done") {
  World world = polite_world();
  const World found = world;
  world.may_lower = false;
  int tried = 0;
  world.before_nice = [&](int) { ++tried; };
  for (const bool runs : {false, true}) {
    const Status done = runs ? [&] {
      const auto run = run_first(world, 2, 10);
      return run ? Status() : Status(run.error());
    }() : [&] {
      const auto pin = nice(world, 10, 2, 10);
      return pin ? Status() : Status(pin.error());
    }();
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::kDenied);
    CHECK(is_as_found(world, found));
    CHECK(ledger_of(world).pods.empty());
    CHECK_FALSE(is_any_niced(world));
  }
  CHECK(tried == 0);
}

TEST_CASE("nice others: one who may not be raised, and one who takes his value back") {
  World world = polite_world();
  const World found = world;
  world.refused_thread = 31;
  const auto done = nice(world, 10, 2, 10);
  REQUIRE_FALSE(done);
  CHECK(done.error().what.find("no right to raise the nice value of process 30 (program30)") == 0);
  CHECK(done.error().hint.find("--nice-others") != std::string::npos);
  CHECK(is_as_found(world, found));
  CHECK(ledger_of(world).pods.empty());
  world.refused_thread = 0;
  world.stubborn_thread = 30;
  const auto again = nice(world, 10, 2, 10);
  REQUIRE(again);
  CHECK(again->others.raised->stay == std::vector<StayingThread>{{30, "program30", false}});
}

TEST_CASE("nice others: a control group, and what is in it") {
  for (const CgroupVersion version : {CgroupVersion::kV1, CgroupVersion::kV2}) {
    World world = polite_world(version);
    world.members[30] = "/a/b";
    const World found = world;
    REQUIRE(nice(world, "/a", 4, 10));
    CHECK(nice_of(world, 30) == 0);
    CHECK(nice_of(world, 31) == 5);
    CHECK(nice_of(world, 1) == 10);
    REQUIRE(undo(world, "/a"));
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("nice others: a run comes first until it has ended, and its own values are its own") {
  World world = polite_world();
  const World found = world;
  for (const bool is_undone : {false, true}) {
    const auto done = run_first(world, 2, 10, [&](int pid) {
      CHECK(nice_of(world, 1) == 10);
      CHECK(nice_of(world, pid) == 0);
      world.processes[pid].parent = 1;  // which is raised
      const int child = world.fork(pid);
      world.processes[child].set_nice(child, 10);
      if (is_undone) {
        REQUIRE(undo(world, pid));
        CHECK(nice_of(world, 1) == 0);
        CHECK_FALSE(undo(world, pid));
        CHECK(ledger_of(world).pods.size() == 1);
      }
      CHECK(nice_of(world, child) == 10);
      world.processes.erase(child);
    });
    REQUIRE(done);
    CHECK(done->released);
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("nice others: a second run has its own value, though what begins it is raised") {
  World world = polite_world();
  world.shell = 30;
  const World found = world;
  const auto first = run_first(world, 2, 10, [&](int outer) {
    CHECK(nice_of(world, outer) == 0);
    CHECK(nice_of(world, 30) == 10);
    const auto second = run_first(world, 2, 10, [&](int pid) {
      CHECK(nice_of(world, pid) == 0);
      CHECK(nice_of(world, world.fork(pid)) == 0);
      CHECK(nice_of(world, 30) == 10);
      CHECK(nice_of(world, outer) == 0);
      world.processes.erase(pid + 1);
    });
    REQUIRE(second);
    CHECK(nice_of(world, 30) == 10);
  });
  REQUIRE(first);
  CHECK(is_as_found(world, found));
}

TEST_CASE("nice others: one who is raised and becomes a holder has his own value then") {
  for (const bool first_leaves_first : {true, false}) {
    World world = polite_world();
    const World found = world;
    REQUIRE(nice(world, 10, 2, 7));
    const int child = world.fork(30);
    CHECK(nice_of(world, child) == 7);
    REQUIRE(nice(world, 30, 2, 12));
    CHECK(nice_of(world, 30) == 0);
    CHECK(nice_of(world, 31) == 5);
    CHECK(nice_of(world, child) == 0);
    CHECK(nice_of(world, 1) == 12);
    REQUIRE(undo(world, first_leaves_first ? 10 : 30));
    CHECK(nice_of(world, 30) == (first_leaves_first ? 0 : 7));
    REQUIRE(undo(world, first_leaves_first ? 30 : 10));
    CHECK(nice_of(world, child) == 0);
    world.processes.erase(child);
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("nice others: the next one lowers those who were raised for one that has ended") {
  World world = polite_world();
  World found = world;
  REQUIRE(nice(world, 10, 2, 10));
  world.processes.erase(10);
  found.processes.erase(10);
  CHECK_FALSE(is_as_found(world, found));
  REQUIRE(clean(world));
  CHECK(is_as_found(world, found));
  CHECK_FALSE(is_any_niced(world));
}

TEST_CASE("nice others: killed at each of its steps, it is undone to what was found") {
  for (const bool runs : {false, true}) {
    int steps = 0;
    for (bool killed = true; killed; ++steps) {
      REQUIRE(steps < 2'000);
      World world = polite_world();
      const World found = world;
      world.steps_left = steps;
      killed = false;
      try {
        const bool done = runs ? static_cast<bool>(run_first(world, 2, 10))
                               : static_cast<bool>(nice(world, 10, 2, 10));
        REQUIRE(done);
      } catch (const Killed&) {
        killed = true;
      }
      world.steps_left = kNoStep;
      CHECK_FALSE(overlaps(ledger_of(world)));
      const int command = 100;
      world.processes.erase(command);
      if (!runs) static_cast<void>(undo(world, 10));
      REQUIRE(clean(world));
      CHECK(is_as_found(world, found));
      CHECK_FALSE(is_any_niced(world));
    }
    CHECK(steps > 40);
  }
}

namespace {

// One gedge among others that does something, and may be killed at it.
void act(World& world, const std::vector<PinTarget>& targets, Dice& dice) {
  world.steps_left = static_cast<int>(dice.below(250));
  world.forks_left = static_cast<int>(dice.below(3));
  const PinTarget& target = targets[dice.below(targets.size())];
  const int cpus = 1 + static_cast<int>(dice.below(3));
  const std::size_t what = dice.below(6);
  const std::vector<ForOthers> wishes{
      {.isolate = true}, {.nice = 5}, {.nice = 10}, {.isolate = true, .nice = 10}};
  const ForOthers wish = wishes[dice.below(wishes.size())];
  if (what < 2)
    static_cast<void>(apply(world, target, cpus, MemoryMode::kDefault, wish));
  else if (what == 2)
    static_cast<void>(apply(world, target, cpus));
  else if (what == 3)
    static_cast<void>(undo(world, target));
  else if (what == 4)
    static_cast<void>(apply_in(world, target, sharing({0, 1, 2, 9})));
  else
    static_cast<void>(run_before_others(world, cpus, wish));
}

}  // namespace

TEST_CASE("others: killed at random steps among others, ten thousand times") {
  constexpr int kKills = 10'000;
  Dice dice(29);
  int kills = 0;
  for (int round = 0; kills < kKills; ++round) {
    REQUIRE(round < 10 * kKills);
    World world = polite_world(dice.below(2) == 0 ? CgroupVersion::kV1 : CgroupVersion::kV2);
    const World found = world;
    const std::vector<PinTarget> targets{10, 20, 30, "/a/b"};
    for (int turn = 0; turn < 6; ++turn) {
      try {
        act(world, targets, dice);
      } catch (const Killed&) {
        ++kills;
      }
      world.steps_left = kNoStep;
      CHECK_FALSE(overlaps(ledger_of(world)));
    }
    for (auto at = world.processes.begin(); at != world.processes.end();)
      at = at->second.started >= 8'000 ? world.processes.erase(at) : std::next(at);  // commands
    for (const PinTarget& target : targets) static_cast<void>(undo(world, target));
    REQUIRE(clean(world));
    Desk desk(world);
    CHECK(read_ledger(desk.store, desk.living)->pods.empty());
    CHECK(world.groups == found.groups);
    for (const auto& process : found.processes) {
      CAPTURE(process.first);
      CHECK(world.processes.at(process.first) == process.second);
    }
  }
}

}  // namespace gedge::test
