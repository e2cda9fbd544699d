// Whoever is pinned keeps what the pin gave him, whatever is done for others beside him: on small
// machines in memory, where most masks are less than the machine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/pin_record.hpp"
#include "support/dice.hpp"
#include "support/pin_others.hpp"

namespace gedge::test {
namespace {

const ForOthers kAlone{.isolate = true};

World small_world(int cpus) {
  World world;
  world.all = CpuSet::range(0, cpus - 1);
  world.shell = 30;
  world.processes[1] = {1, {{1, world.all}}, 0};
  world.processes[15] = {1'500, {{15, world.all}}, 1};
  world.processes[30] = {3'000, {{30, world.all}}, 1};
  return world;
}

PinRecordsReading record_of(const World& world) {
  const auto found = world.files.find(PinFile::kRecord);
  return read_pin_records({"pins", found != world.files.end() ? found->second : ""});
}

// Everybody's pin, by the process: CPUs that it holds, or those that it shares and nobody else has
// for himself.
std::map<int, CpuSet> pins_in(const World& world) {
  std::map<int, CpuSet> pins;
  for (const auto& [name, parts] : ledger_of(world).pods)
    if (const auto process = holder_process(name)) pins[process->pid] = parts.begin()->second;
  const auto reading = record_of(world);
  if (!reading.records) return pins;
  const CpuSet isolated = reading.aside.cpus();
  for (const PinRecord& record : *reading.records)
    if (!record.shared.empty())
      pins[record.processes.front().process.pid] =
          aside_of(record.shared, isolated, reading.aside.all);
  return pins;
}

void check_pins(const World& world) {
  for (const auto& [pid, cpus] : pins_in(world)) {
    const auto found = world.processes.find(pid);
    if (found == world.processes.end()) continue;
    for (const auto& thread : found->second.threads) {
      CAPTURE(thread.first);
      CHECK(thread.second == cpus);
    }
  }
}

bool descends_from_one_of(const World& world, int pid, const std::map<std::string, CpuSet>& names) {
  for (auto at = world.processes.find(pid); at != world.processes.end();
       at = world.processes.find(at->second.parent))
    if (names.contains(holder_name(ProcessId{at->first, at->second.started}))) return true;
  return false;
}

// Nobody else may run where somebody is alone.
void check_all_alone(const World& world) {
  const Aside aside = record_of(world).aside;
  for (const auto& [pid, process] : world.processes) {
    if (descends_from_one_of(world, pid, aside.isolated)) continue;
    for (const auto& thread : process.threads) {
      CAPTURE(thread.first);
      CHECK_FALSE(thread.second.meets(aside.cpus()));
      CHECK_FALSE(thread.second.empty());
    }
  }
}

}  // namespace

TEST_CASE("keep: a command beside one that was alone keeps its CPU when that ends") {
  World world = small_world(2);
  const World found = world;
  int child = 0;
  REQUIRE(apply(world, 15, 1, MemoryMode::kDefault, kAlone));
  const auto done = run_before_others(world, 1, {}, [&](int pid) {
    CHECK(world.processes.at(pid).threads.at(pid) == CpuSet{1});
    child = world.fork(pid);
    REQUIRE(undo(world, 15));
    CHECK(world.processes.at(pid).threads.at(pid) == CpuSet{1});
    CHECK(world.processes.at(child).threads.at(child) == CpuSet{1});
    CHECK(world.processes.at(30) == found.processes.at(30));
    const auto next = run_before_others(world, 1, kAlone, [&](int other) {
      CHECK(world.processes.at(other).threads.at(other) == CpuSet{0});
      check_pins(world);
      check_all_alone(world);
    });
    REQUIRE(next);
    check_pins(world);
  });
  REQUIRE(done);
  world.processes.erase(child);
  CHECK(is_as_found(world, found));
}

TEST_CASE("keep: one that is alone keeps its CPUs when another ends that was alone before it") {
  World world = world_of();
  const World found = world;
  REQUIRE(apply(world, 10, 2, MemoryMode::kDefault, kAlone));
  const auto second = apply(world, 20, 6, MemoryMode::kDefault, kAlone);
  REQUIRE(second);
  CHECK(second->grant.cpus == CpuSet::range(2, 7));
  REQUIRE(undo(world, 10));
  CHECK(world.processes[20].threads.at(20) == CpuSet::range(2, 7));
  CHECK(world.processes[10].threads.at(10) == world.all - CpuSet::range(2, 7));
  REQUIRE(undo(world, 20));
  CHECK(is_as_found(world, found));
}

TEST_CASE("keep: who was moved aside and shares then just these CPUs stays there") {
  World world = small_world(4);
  world.processes[20] = {2'000, {{20, CpuSet::range(0, 2)}}, 1};
  const World found = world;
  REQUIRE(apply(world, 30, 1, MemoryMode::kDefault, kAlone));
  CHECK(world.processes[20].threads.at(20) == CpuSet{1, 2});
  REQUIRE(apply_in(world, 20, sharing({1, 2})));
  REQUIRE(undo(world, 30));
  CHECK(world.processes[20].threads.at(20) == CpuSet{1, 2});
  REQUIRE(undo(world, 20));
  CHECK(is_as_found(world, found));
}

TEST_CASE("keep: who shared CPUs and was moved off them is known by what he had before that") {
  World world = small_world(4);
  world.processes[20] = {2'000, {{20, {0, 1}}}, 1};
  const World found = world;
  REQUIRE(apply_in(world, 20, sharing({2})));
  REQUIRE(apply(world, 15, 1, MemoryMode::kDefault, kAlone));
  REQUIRE(apply(world, 30, 2, MemoryMode::kDefault, kAlone));
  CHECK(world.processes[20].threads.at(20) == CpuSet{1});
  REQUIRE(undo(world, 20));
  CHECK(world.processes[20].threads.at(20) == CpuSet{1});
  REQUIRE(undo(world, 30));
  CHECK(world.processes[20].threads.at(20) == CpuSet{1});
  REQUIRE(undo(world, 15));
  CHECK(is_as_found(world, found));
}

TEST_CASE("keep: a child that was begun aside, before its parent was pinned, is moved back") {
  World world = small_world(4);
  REQUIRE(apply(world, 15, 1, MemoryMode::kDefault, kAlone));
  const int child = world.fork(30);
  CHECK(world.processes[child].threads.at(child) == CpuSet::range(1, 3));
  const auto done = apply(world, 30, 2);
  REQUIRE(done);
  REQUIRE(undo(world, 15));
  CHECK(world.processes[child].threads.at(child) == world.all);
  CHECK(world.processes[30].threads.at(30) == done->grant.cpus);
}

TEST_CASE("keep: who might run everywhere may use CPUs that are switched on later") {
  for (const bool is_pinned : {false, true}) {
    World world = small_world(4);
    world.off = {3};
    const int target = is_pinned ? 30 : 15;
    REQUIRE(apply(world, target, 1, MemoryMode::kDefault, is_pinned ? ForOthers{} : kAlone));
    REQUIRE(undo(world, target));
    world.off = {};
    Desk desk(world);
    CHECK(*desk.threads.mask(30) == world.all);
  }
}

TEST_CASE("keep: who had chosen CPUs keeps to them, where they were all that was on for a while") {
  for (const bool is_in_group : {false, true})
    for (const bool is_pinned : {false, true}) {
      CAPTURE(is_in_group);
      CAPTURE(is_pinned);
      World world = small_world(4);
      world.processes[40] = {4'000, {{40, {0, 1}}, {41, world.all}}, 1};
      if (is_in_group) {
        world.groups["/a"] = {1, world.all, {0}};
        world.members[40] = "/a";
        world.keeps_members = true;
      }
      const World found = world;
      const int target = is_pinned ? 40 : 15;
      REQUIRE(apply(world, target, 1, MemoryMode::kDefault, is_pinned ? ForOthers{} : kAlone));
      world.off = {2, 3};
      REQUIRE(undo(world, target));
      world.off = {};
      CHECK(world.processes[40] == found.processes.at(40));
    }
}

TEST_CASE("keep: who was moved aside and is pinned then keeps to the CPUs that he had chosen") {
  World world = small_world(4);
  world.processes[40] = {4'000, {{40, {0, 1}}}, 1};
  const World found = world;
  REQUIRE(apply(world, 15, 1, MemoryMode::kDefault, kAlone));
  world.off = {2, 3};
  REQUIRE(apply(world, 40, 1));
  REQUIRE(undo(world, 40));
  REQUIRE(undo(world, 15));
  world.off = {};
  CHECK(world.processes[40] == found.processes.at(40));
}

TEST_CASE("keep: who was pinned while he was aside gets all CPUs, those too that have come since") {
  World world = small_world(4);
  world.off = {3};
  const auto alone = apply(world, 15, 1, MemoryMode::kDefault, kAlone);
  REQUIRE(alone);
  REQUIRE(apply(world, 30, 1));
  REQUIRE(undo(world, 30));
  CHECK(world.processes[30].threads.at(30) == world.online() - alone->grant.cpus);
  world.off = {};
  REQUIRE(undo(world, 15));
  CHECK(world.processes[30].threads.at(30) == world.all);
}

TEST_CASE("keep: who is pinned and might run on all that his control group has gets more later") {
  World world = small_world(4);
  world.groups["/a"] = {1, CpuSet::range(0, 2), {0}};
  world.members[30] = "/a";
  world.keeps_members = true;
  REQUIRE(apply(world, 30, 1));
  REQUIRE(undo(world, 30));
  world.groups["/a"].cpus = world.all;
  Desk desk(world);
  CHECK(*desk.threads.mask(30) == world.all);
}

TEST_CASE("keep: who might run on all CPUs of his control group may use those that it gets later") {
  World world = small_world(4);
  world.groups["/a"] = {1, CpuSet::range(0, 2), {0}};
  world.members[30] = world.members[40] = "/a";
  world.keeps_members = true;
  world.processes[40] = {4'000, {{40, {0, 1}}}, 1};
  REQUIRE(apply(world, 15, 1, MemoryMode::kDefault, kAlone));
  Desk desk(world);
  CHECK(*desk.threads.mask(30) == CpuSet{1, 2});
  REQUIRE(undo(world, 15));
  CHECK(*desk.threads.mask(30) == CpuSet{0, 1, 2});
  world.groups["/a"].cpus = world.all;
  CHECK(*desk.threads.mask(30) == world.all);
  CHECK(*desk.threads.mask(40) == CpuSet{0, 1});
}

TEST_CASE("keep: what a control group does not give is asked for once, and not of who is pinned") {
  World world = small_world(4);
  world.groups["/a"] = {1, CpuSet::range(0, 2), {0}};
  world.members[30] = world.members[40] = "/a";
  world.keeps_members = true;
  world.processes[40] = {4'000, {{40, world.all}}, 1};
  world.processes[50] = {3'600, {{50, world.all}}, 1};
  Desk desk(world);
  REQUIRE(apply_in(world, 40, sharing({0, 1, 2})));
  REQUIRE(apply(world, 15, 1, MemoryMode::kDefault, kAlone));
  REQUIRE(apply(world, 50, 1, MemoryMode::kDefault, kAlone));
  CHECK(*desk.threads.mask(30) == CpuSet{2});
  world.steps_left = 120;
  REQUIRE(undo(world, 15));
  world.steps_left = kNoStep;
  CHECK(*desk.threads.mask(30) == CpuSet{0, 2});
  CHECK(*desk.threads.mask(40) == CpuSet{0, 2});
  world.groups["/a"].cpus = world.all;
  CHECK(*desk.threads.mask(30) == CpuSet{0, 2, 3});
  CHECK(*desk.threads.mask(40) == CpuSet{0, 2});
}

TEST_CASE("keep: what is written down of others is as much as there are, however long it lasts") {
  for (const bool is_nice : {false, true}) {
    World world = busy_world();
    world.processes[55] = {3'650, {{55, {0, 9}}, {56, world.all}}, 1};
    world.late_threads[900] = 9'000;
    const World found = world;
    const auto wish = [is_nice](int nice) {
      return is_nice ? ForOthers{.nice = nice} : ForOthers{.isolate = true};
    };
    REQUIRE(apply(world, 10, 2, MemoryMode::kDefault, wish(5)));
    const int orphan = world.fork(55);
    world.processes[orphan].parent = 1;
    std::size_t most = 0;
    for (int i = 0; i < 300; ++i) {
      const int child = world.fork(i % 2 == 0 ? 1 : 30);
      world.processes[1].threads[900] = CpuSet::range(2, 3 + i % 8);  // it does not stay long
      REQUIRE(run_before_others(world, 2, wish(10)));
      world.processes.erase(child);
      world.processes[1].threads.erase(900);
      const auto now = record_of(world);
      REQUIRE(now.records);
      std::size_t size = now.aside.moved.size() + now.niced.raised.size();
      for (const ProcessBefore& before : now.aside.moved) size += before.others.size();
      most = std::max(most, size);
      if (i == 100) world.processes.erase(55);
    }
    CHECK(most < 40);
    REQUIRE(undo(world, 10));
    CHECK(world.processes[orphan].threads.at(orphan) == CpuSet{0, 9});
    CHECK(world.processes[orphan].nice(orphan) == 0);
    world.processes.erase(orphan);
    world.processes[55] = found.processes.at(55);
    CHECK(is_as_found(world, found));
  }
}

namespace {

// One thing after another, also while a command runs that was begun by one of them.
class Acts {
 public:
  Acts(World& world, Dice& dice) : world_(world), dice_(dice) {}

  void some(int count) {
    for (int i = 0; i < count; ++i) {
      one();
      check_pins(world_);
      check_all_alone(world_);
      CHECK_FALSE(overlaps(ledger_of(world_)));
    }
  }

 private:
  void one() {
    const std::vector<int> targets{10, 20, 40, 50};
    const int target = dice_.pick(targets), cpus = 1 + static_cast<int>(dice_.below(2));
    const ForOthers wish{.isolate = dice_.chance(50), .nice = dice_.chance(30) ? 10 : 0};
    switch (dice_.below(5)) {
      case 0:
        return static_cast<void>(apply(world_, target, cpus, MemoryMode::kDefault, wish));
      case 1:
        return static_cast<void>(undo(world_, target));
      case 2:
        return static_cast<void>(apply_in(world_, target, sharing({0, 1 + cpus})));
      case 3:
        return static_cast<void>(world_.fork(30));
      default:
        if (++depth_ < 4)
          static_cast<void>(run_before_others(world_, cpus, wish, [this](int pid) {
            if (dice_.chance(30)) static_cast<void>(undo(world_, pid));
            some(3);
          }));
        --depth_;
    }
  }

  World& world_;
  Dice& dice_;
  int depth_ = 0;
};

}  // namespace

TEST_CASE("keep: a thousand rounds of pins that come and go on four CPUs") {
  Dice dice(31);
  for (int round = 0; round < 1'000; ++round) {
    CAPTURE(round);
    World world = small_world(4);
    world.processes[10] = {1'000, {{10, world.all}, {11, world.all}, {12, {1}}}, 1};
    world.processes[20] = {2'000, {{20, {0, 1}}}, 1};
    world.processes[40] = {3'500, {{40, CpuSet::range(1, 3)}}, 1};
    world.processes[50] = {3'600, {{50, {3}}}, 1};
    const World found = world;
    Acts(world, dice).some(12);
    for (const int target : {10, 20, 40, 50}) static_cast<void>(undo(world, target));
    CHECK(ledger_of(world).pods.empty());
    for (const auto& process : world.processes) {
      CAPTURE(process.first);
      if (found.processes.contains(process.first))
        CHECK(process.second == found.processes.at(process.first));
      else
        CHECK(process.second.threads.begin()->second == world.all);  // the shell's
    }
  }
}

}  // namespace gedge::test
