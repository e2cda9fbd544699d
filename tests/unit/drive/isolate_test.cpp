// Pins beside which nothing else runs, on a machine in memory, where gedge may be killed at every
// step.
#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/look_at_pins.hpp"
#include "support/pin_others.hpp"

namespace gedge::test {
namespace {

Result<AppliedPin> isolate(World& world, const PinTarget& target, int cpus) {
  return apply(world, target, cpus, MemoryMode::kDefault, {.isolate = true});
}

// Nobody but the holder, what it has begun, and the kernel may run there.
void check_alone(const World& world, int holder, const CpuSet& cpus) {
  for (const auto& [pid, process] : world.processes) {
    if (pid == holder || process.parent == holder || process.is_kernel) continue;
    for (const auto& thread : process.threads) {
      CAPTURE(thread.first);
      CHECK_FALSE(thread.second.meets(cpus));
      CHECK_FALSE(thread.second.empty());
    }
  }
}

}  // namespace

TEST_CASE("isolate: others are moved off, what cannot move is named, and all is put back") {
  World world = busy_world();
  const World found = world;
  const auto done = isolate(world, 10, 2);
  REQUIRE(done);
  CHECK(done->grant.cpus == CpuSet{0, 1});
  check_alone(world, 10, done->grant.cpus);
  REQUIRE(done->others.moved);
  CHECK(done->others.moved->stay ==
        std::vector<StayingThread>{{3, "program3", true}, {4, "program4", true}});
  CHECK(done->others.moved->threads == 6);  // 1, 2, 20, 30, 31, 50
  CHECK(world.processes[2].threads.at(2) == CpuSet::range(2, 15));
  CHECK(world.processes[31 - 1].threads.at(31) == CpuSet{7});
  CHECK(world.processes[50].threads.at(50) == CpuSet::range(2, 15));
  CHECK(world.processes[40] == found.processes.at(40));
  REQUIRE(undo(world, 10));
  CHECK(is_as_found(world, found));
  CHECK(world.files[PinFile::kRecord].find("aside") == std::string::npos);
}

TEST_CASE("isolate: what is begun meanwhile is moved too, and what is begun later moved back") {
  World world = busy_world();
  world.forks_left = 5;
  const auto done = isolate(world, 10, 2);
  REQUIRE(done);
  CHECK(world.next_pid == 105);
  check_alone(world, 10, done->grant.cpus);
  const int child = world.fork(30), grandchild = world.fork(child), alone = world.fork(50);
  world.processes.erase(child);  // the first process takes its child
  world.processes[grandchild].parent = 1;
  world.processes[alone].threads[900] = {9};  // it has given itself another mask
  world.late_threads[901] = 9'000;
  world.processes[30].threads[901] = world.processes[30].threads.at(31);
  REQUIRE(undo(world, 10));
  CHECK(world.processes[grandchild].threads.at(grandchild) == world.all);
  CHECK(world.processes[alone].threads.at(alone) == CpuSet{0, 1});
  CHECK(world.processes[alone].threads.at(900) == CpuSet{9});
  CHECK(world.processes[30].threads.at(901) == CpuSet{0, 7});
}

TEST_CASE("isolate: what a dead holder has left behind is seen until it is put back") {
  World world = busy_world();
  REQUIRE(isolate(world, 10, 2));
  Desk desk(world);
  const auto look = [&] { return look_at_pins(desk.ports, world.all); };
  REQUIRE(look());
  CHECK(look()->left.empty());
  world.processes.erase(10);
  const auto check = look();
  REQUIRE(check);
  CHECK(check->left == std::vector<LeftBehind>{{"process 10", CpuSet{0, 1}, true, 0}});
  CHECK_FALSE(check->all_true());
  REQUIRE(clean(world));
  CHECK(look()->left.empty());
  CHECK(look()->all_true());
}

TEST_CASE("isolate: a control group that is gone and has left something is named") {
  World world = busy_world();
  world.groups["/a"] = {7, world.all, {0, 1}};
  Desk desk(world);
  REQUIRE(apply(world, "/a", 2, MemoryMode::kDefault, {true, 0}));
  world.groups.clear();
  const auto look = [&] {
    const auto check = look_at_pins(desk.ports, world.all);
    REQUIRE(check);
    REQUIRE(check->left.size() == 1);
    return check->left[0].holder;
  };
  CHECK(look() == "control group /a");
  // Who writes it anew, and cannot put all back, knows no path of who is gone.
  auto books = read_books(desk.store, desk.living);
  REQUIRE(books);
  {
    const auto lock = desk.store.lock();
    REQUIRE(write_record(desk.store, *books));
  }
  CHECK(look() == "control group with inode 7");
}

TEST_CASE("isolate: what somebody puts back just now is not left behind") {
  World world = busy_world();
  REQUIRE(isolate(world, 10, 2));
  world.processes.erase(10);
  Desk desk(world);
  const auto look = [&] { return look_at_pins(desk.ports, world.all); };
  world.lock_fails = Errc::kDenied;
  REQUIRE(look());
  CHECK(look()->left.size() == 1);
  world.lock_fails = Errc::kTimeout;
  REQUIRE_FALSE(look());
  CHECK(look().error().code == Errc::kTimeout);
  world.lock_fails.reset();
  world.at_lock = [&] { REQUIRE(clean(world)); };
  const auto check = look();
  REQUIRE(check);
  CHECK(check->left.empty());
  CHECK(check->all_true());
  CHECK_FALSE(world.locked);
}

TEST_CASE("isolate: a record that is broken is an error, and stays as it is") {
  World world = busy_world();
  for (const char* const broken : {"{", R"({"pins":[],"niced":3})"}) {
    world.files[PinFile::kRecord] = broken;
    const Status cleaned = clean(world);
    REQUIRE_FALSE(cleaned);
    CHECK(cleaned.error().code == Errc::kInvalidInput);
    CHECK(cleaned.error().hint.find("mend it; or ") == 0);
    CHECK(world.files[PinFile::kRecord] == broken);
  }
}

TEST_CASE("isolate: children of the holder stay with it") {
  World world = busy_world();
  const int child = world.fork(10);
  const auto done = isolate(world, 10, 2);
  REQUIRE(done);
  CHECK(world.processes[child].threads.at(child) == world.all);
  check_alone(world, 10, done->grant.cpus);
}

TEST_CASE("isolate: two at once, undone in either order") {
  for (const bool first_leaves_first : {true, false}) {
    World world = busy_world();
    const World found = world;
    const auto first = isolate(world, 10, 2), second = isolate(world, 20, 2);
    REQUIRE(first);
    REQUIRE(second);
    check_alone(world, 20, second->grant.cpus);
    CHECK(world.processes[10].threads.at(10) == first->grant.cpus);
    CHECK(world.processes[1].threads.at(1) == CpuSet::range(4, 15));
    CHECK(world.processes[40].threads.at(40) == CpuSet{4, 5});
    const int born = world.fork(30);
    REQUIRE(undo(world, first_leaves_first ? 10 : 20));
    const CpuSet left = first_leaves_first ? second->grant.cpus : first->grant.cpus;
    CHECK(world.processes[1].threads.at(1) == world.all - left);
    CHECK(world.processes[born].threads.at(born) == world.all - left);
    REQUIRE(undo(world, first_leaves_first ? 20 : 10));
    CHECK(world.processes[born].threads.at(born) == world.all);
    world.processes.erase(born);
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("isolate: who was moved aside and is pinned then gets all of his CPUs back") {
  World world = busy_world();
  const World found = world;
  REQUIRE(isolate(world, 10, 2));
  REQUIRE(apply(world, 30, 2));
  REQUIRE(undo(world, 10));
  REQUIRE(undo(world, 30));
  CHECK(is_as_found(world, found));
  REQUIRE(apply(world, 30, 2));
  REQUIRE(isolate(world, 10, 2));
  REQUIRE(undo(world, 30));
  CHECK_FALSE(world.processes[30].threads.at(30).meets(world.processes[10].threads.at(10)));
  REQUIRE(undo(world, 10));
  CHECK(is_as_found(world, found));
}

TEST_CASE("isolate: what somebody else has changed since stays") {
  World world = busy_world();
  REQUIRE(isolate(world, 10, 2));
  world.processes[30].threads.at(30) = {9, 10};
  REQUIRE(undo(world, 10));
  CHECK(world.processes[30].threads.at(30) == CpuSet{9, 10});
  CHECK(world.processes[30].threads.at(31) == CpuSet{0, 7});
}

TEST_CASE("isolate: a control group, and what is in it") {
  for (const CgroupVersion version : {CgroupVersion::kV1, CgroupVersion::kV2}) {
    World world = busy_world(version);
    world.members[60] = "/a/b";
    world.processes[60].threads.at(60) = world.all;
    const World found = world;
    const auto done = isolate(world, "/a", 4);
    REQUIRE(done);
    CHECK(world.processes[60].threads.at(60) == world.all);
    CHECK(world.processes[1].threads.at(1) == world.all - done->grant.cpus);
    REQUIRE(undo(world, "/a"));
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("isolate: what cannot be done leaves everything as it was") {
  World world = busy_world();
  const World found = world;
  const auto all = isolate(world, 10, 16);
  REQUIRE_FALSE(all);
  CHECK(all.error().what.find("no CPU would be left for others") == 0);
  CHECK(is_as_found(world, found));
  CHECK(ledger_of(world).pods.empty());
  world.refused_thread = 30;
  const auto theirs = isolate(world, 10, 2);
  REQUIRE_FALSE(theirs);
  CHECK(theirs.error().code == Errc::kDenied);
  CHECK(theirs.error().what.find("no right to move process 30 (program30) aside") == 0);
  CHECK(theirs.error().hint.find("--isolate") != std::string::npos);
  CHECK(is_as_found(world, found));
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("isolate: somebody who takes his CPUs back again and again is named") {
  World world = busy_world();
  world.stubborn_thread = 50;
  const auto done = isolate(world, 10, 2);
  REQUIRE(done);
  REQUIRE(done->others.moved->stay.size() == 3);
  CHECK(done->others.moved->stay.back() == StayingThread{50, "program50", false});
}

TEST_CASE("isolate: who has the number of a holder that has died is no holder") {
  World world = busy_world();
  REQUIRE(isolate(world, 10, 2));
  world.processes[10] = {9'000, {{10, world.all}}, 1};
  world.refused_thread = 50;  // so what was moved for the dead one stays in the books
  CHECK_FALSE(clean(world));
  const int child = world.fork(10);
  const auto done = isolate(world, 20, 2);
  REQUIRE(done);
  check_alone(world, 20, done->grant.cpus);
  CHECK_FALSE(world.processes[child].threads.at(child).meets(done->grant.cpus));
}

TEST_CASE("isolate: the next one puts back what was moved for one that has ended") {
  for (const bool by_hand : {true, false}) {
    World world = busy_world();
    World found = world;
    REQUIRE(isolate(world, 10, 2));
    world.processes.erase(10);
    found.processes.erase(10);
    CHECK_FALSE(is_as_found(world, found));
    if (by_hand) {
      REQUIRE(clean(world));
    } else {
      REQUIRE(apply(world, 20, 1));
      REQUIRE(undo(world, 20));
    }
    CHECK(is_as_found(world, found));
    CHECK(world.files[PinFile::kRecord].find("aside") == std::string::npos);
    REQUIRE(clean(world));
  }
}

namespace {

Result<PinnedRun> run_alone(World& world, int cpus, std::function<void(int)> meanwhile = {}) {
  return run_before_others(world, cpus, {.isolate = true}, std::move(meanwhile));
}

}  // namespace

TEST_CASE("a run alone: others are moved before it begins, and back when it has ended") {
  World world = busy_world();
  const World found = world;
  const auto done = run_alone(world, 2, [&](int pid) {
    check_alone(world, pid, {0, 1});
    CHECK(world.processes.at(pid).threads.at(pid) == CpuSet{0, 1});
    const auto inner = run_alone(world, 2, [&](int other) {
      CHECK(world.processes.at(pid).threads.at(pid) == CpuSet{0, 1});
      check_alone(world, other, {2, 3});
    });
    REQUIRE(inner);
    CHECK(world.processes.at(1).threads.at(1) == world.all - CpuSet{0, 1});
  });
  REQUIRE(done);
  CHECK(done->status == 3);
  CHECK(done->released);
  CHECK(is_as_found(world, found));
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("a run alone: undo ends the isolation, and it keeps its CPUs") {
  World world = busy_world();
  const World found = world;
  const auto done = run_alone(world, 2, [&](int pid) {
    REQUIRE(undo(world, pid));
    CHECK(world.processes.at(pid).threads.at(pid) == CpuSet{0, 1});
    CHECK(world.processes.at(1) == found.processes.at(1));
    CHECK(ledger_of(world).pods.size() == 1);
    CHECK_FALSE(undo(world, pid));
  });
  CHECK(done);
  CHECK(is_as_found(world, found));
}

TEST_CASE("a run alone: one that may not be is not begun") {
  World world = busy_world();
  const World found = world;
  world.refused_thread = 20;
  CHECK_FALSE(run_alone(world, 2));
  CHECK(is_as_found(world, found));
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("isolate: killed at each of its steps, it is undone to what was found") {
  for (const bool runs : {false, true}) {
    int steps = 0;
    for (bool killed = true; killed; ++steps) {
      REQUIRE(steps < 2'000);
      World world = busy_world();
      const World found = world;
      world.steps_left = steps;
      killed = false;
      try {
        const bool done = runs ? static_cast<bool>(run_alone(world, 2))
                               : static_cast<bool>(isolate(world, 10, 2));
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
      CHECK(world.files[PinFile::kRecord].find("aside") == std::string::npos);
    }
    CHECK(steps > 40);
  }
}

}  // namespace gedge::test
