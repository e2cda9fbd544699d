// Pins of what runs already, on a machine in memory that keeps the kernel's rules, where gedge may
// be killed at every step.
#include "gedge/drive/apply_pin.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/cpu_manager_state.hpp"
#include "support/dice.hpp"
#include "support/pin_world.hpp"

namespace gedge::test {

TEST_CASE("apply: every thread, those that are born meanwhile too, and back again") {
  World world = world_of();
  const World found = world;
  world.births_left = 3;
  const auto done = apply(world, 10, 4);
  REQUIRE(done);
  CHECK(done->grant.cpus == CpuSet::range(0, 3));
  CHECK(done->threads == 6);
  for (const auto& [number, mask] : world.processes[10].threads) CHECK(mask == done->grant.cpus);
  CHECK(ledger_of(world).pods.at("10-1000").at("run") == done->grant.cpus);
  CHECK(world.processes[20] == found.processes.at(20));
  REQUIRE(undo(world, 10));
  CHECK(ledger_of(world).pods.empty());
  CHECK(world.processes[10].threads.at(12) == CpuSet{5});
  for (const int thread : {10, 11, 501, 502, 503}) {
    CAPTURE(thread);
    CHECK(world.processes[10].threads.at(thread).is_subset_of(found.all));
    CHECK_FALSE(world.processes[10].threads.at(thread) == done->grant.cpus);
  }
}

TEST_CASE("apply: threads that are born meanwhile, where nobody says that they are") {
  World world = world_of();
  world.hides_births = true;
  world.births_left = 1;
  const auto done = apply(world, 10, 4);
  REQUIRE(done);
  CHECK(world.births_left == 0);
  CHECK(done->threads == 4);
  for (const auto& [number, mask] : world.processes[10].threads) CHECK(mask == done->grant.cpus);
}

TEST_CASE("apply: what somebody else changed since stays") {
  World world = world_of();
  REQUIRE(apply(world, 10, 4));
  world.processes[10].threads[11] = {9};
  REQUIRE(undo(world, 10));
  CHECK(world.processes[10].threads.at(10) == world.all);
  CHECK(world.processes[10].threads.at(11) == CpuSet{9});
}

TEST_CASE("apply: a group and those in it, in the order that version 1 asks for") {
  World world = world_of();
  const World found = world;
  const auto done = apply(world, "/a", 6, MemoryMode::kBind);
  REQUIRE(done);
  CHECK(done->groups == 3);
  CHECK(done->grant.nodes == std::vector<int>{0});
  CHECK(world.groups["/a"].cpus == CpuSet::range(0, 5));
  CHECK(world.groups["/a/b"].cpus == CpuSet{4, 5});
  CHECK(world.groups["/a/b/c"].mems == CpuSet{0});
  REQUIRE(undo(world, "/a"));
  CHECK(is_as_found(world, found));
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("apply: a group within one that has less than is granted has no more than that") {
  World world = world_of();
  const CpuSet both{0, 1};
  world.groups["/a"] = {1, CpuSet::range(0, 7), both};
  world.groups["/a/b"] = {2, CpuSet::range(0, 3), both};
  world.groups["/a/b/c"] = {3, CpuSet::range(2, 3), both};
  world.groups["/a/b/d"] = {4, CpuSet::range(2, 3), {1}};
  CpuAssignments ledger;
  ledger.pods["20-2000"]["run"] = {0, 2, 3, 5, 6, 7};
  world.files[PinFile::kLedger] = write_cpu_manager_state({"static", ledger});
  const World found = world;
  const auto done = apply(world, "/a", 2, MemoryMode::kBind);
  REQUIRE(done);
  CHECK(done->grant.cpus == CpuSet{1, 4});
  CHECK(world.groups["/a"].cpus == CpuSet{1, 4});
  for (const char* const inner : {"/a/b", "/a/b/c", "/a/b/d"}) {
    CHECK(world.groups[inner].cpus == CpuSet{1});
    CHECK(world.groups[inner].mems == CpuSet{0});
  }
  REQUIRE(undo(world, "/a"));
  CHECK(is_as_found(world, found));
}

TEST_CASE("apply: version 2 needs one write, and has an empty set back") {
  World world = world_of(CgroupVersion::kV2);
  const World found = world;
  const auto done = apply(world, "/a", 6);
  REQUIRE(done);
  CHECK(world.groups["/a"].cpus == done->grant.cpus);
  CHECK(world.groups["/a/b"] == found.groups.at("/a/b"));
  REQUIRE(undo(world, "/a"));
  CHECK(is_as_found(world, found));
}

TEST_CASE("apply: two hold different CPUs, and nobody is pinned twice") {
  World world = world_of();
  REQUIRE(apply(world, "/a/b/c", 2));
  const auto second = apply(world, 10, 8);
  REQUIRE(second);
  CHECK_FALSE(second->grant.cpus.meets(world.groups["/a/b/c"].cpus));
  const auto again = apply(world, 10, 1);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Errc::kConflict);
  CHECK(again.error().hint.find("--undo --pid 10") != std::string::npos);
  for (const char* const near : {"/a", "/a/b"}) {
    const auto nested = apply(world, near, 1);
    REQUIRE_FALSE(nested);
    CHECK(nested.error().code == Errc::kConflict);
    CHECK(nested.error().what.find("control group /a/b/c holds CPUs 4-5 already") == 0);
  }
  world.groups["/a/b/c"].number = 99;  // it was removed and made again
  CHECK(apply(world, "/a/b/c", 2)->grant.cpus.is_subset_of(CpuSet::range(4, 7)));
}

TEST_CASE("apply: no control group is pinned while a process in it is") {
  for (const bool shares : {false, true}) {
    World world = world_of();
    world.members[10] = "/a/b";
    world.members[20] = "/other";
    world.groups["/ab"] = {4, world.all, {0, 1}};
    REQUIRE(apply(world, 20, 1));
    const auto first = shares ? apply_in(world, 10, sharing({4, 5})) : apply(world, 10, 2);
    REQUIRE(first);
    for (const char* const path : {"/a", "/a/b"}) {
      const auto done = apply(world, path, 2);
      REQUIRE_FALSE(done);
      CHECK(done.error().code == Errc::kConflict);
      CHECK(done.error().what.find("process 10 in control group " + std::string(path)) == 0);
      CHECK(done.error().hint.find("--undo --pid 10") != std::string::npos);
      CHECK(world.processes[10].threads.at(10) == first->grant.cpus);
    }
    for (const char* const path : {"/a/b/c", "/ab"}) REQUIRE(apply(world, path, 1));
  }
}

TEST_CASE("apply: what cannot be done leaves everything as it was") {
  const auto fails = [](World world, const PinTarget& target, Errc code,
                        MemoryMode memory = MemoryMode::kDefault, int cpus = 4) {
    World before = world;
    const auto done = apply(world, target, cpus, memory);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == code);
    CHECK(is_as_found(world, before));
    CHECK(ledger_of(world).pods.empty());
    CHECK_FALSE(world.locked);
  };
  fails(world_of(), 99, Errc::kNotFound);
  fails(world_of(), "/gone", Errc::kNotFound);
  fails(world_of(), 10, Errc::kDenied, MemoryMode::kDefault, 17);
  fails(world_of(), 10, Errc::kInvalidInput, MemoryMode::kBind);
  fails(world_of(), "/a", Errc::kInvalidInput, MemoryMode::kPreferred);
  World theirs = world_of();
  theirs.refused_thread = 12;
  fails(theirs, 10, Errc::kDenied);
  theirs.refused_thread = 10;
  fails(theirs, 10, Errc::kDenied);
  theirs.refused_group = "/a";
  fails(theirs, "/a", Errc::kDenied);
  theirs.refused_group = "/a/b";
  fails(theirs, "/a", Errc::kDenied);
}

TEST_CASE("apply: threads of the kernel, the first process and threads of others are no targets") {
  World world = world_of();
  world.processes[1] = {1, {{1, world.all}}, 0};
  world.processes[2] = {2, {{2, world.all}}, 0, true};
  const World found = world;
  const auto refused = [&](int number) {
    Desk desk(world);
    const auto foreseen = foresee_pin(desk.ports, ground(), {}, number);
    const auto done = apply(world, number, 1);
    REQUIRE_FALSE(foreseen);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::kInvalidInput);
    CHECK(foreseen.error().what == done.error().what);
    CHECK(is_as_found(world, found));
    CHECK(ledger_of(world).pods.empty());
    return done.error();
  };
  CHECK(refused(2).what.find("process 2 (program2) is a thread of the kernel") == 0);
  CHECK(refused(1).what.find("process 1 begins all others") == 0);
  CHECK(refused(1).hint.find("`--cgroup`") != std::string::npos);
  CHECK(refused(11).what == "11 is a thread of process 10, and no process");
  CHECK(refused(11).hint == "give `--pid 10`");
  CHECK(undo(world, 11).error().hint == "give `--pid 10`");
}

TEST_CASE("apply: a process that ends meanwhile holds nothing") {
  World world = world_of();
  world.meanwhile = [&] { world.processes.erase(10); };
  const auto done = apply(world, 10, 4);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Errc::kNotFound);
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("apply: a number that is given again while the lock is waited for is nobody's to pin") {
  for (const PinTarget& target : {PinTarget(10), PinTarget("/a/b")}) {
    World world = world_of();
    World found = world;
    world.at_lock = [&] {
      world.processes[10] = {9'000, {{10, world.all}, {11, world.all}}, 1};
      world.groups["/a/b"].number = 77;
      found.processes = world.processes;
      found.groups = world.groups;
    };
    const auto done = apply(world, target, 4);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::kNotFound);
    CHECK(is_as_found(world, found));
    CHECK(ledger_of(world).pods.empty());
    CHECK(world.files[PinFile::kRecord].empty());
  }
}

TEST_CASE("apply: somebody who moves threads as fast is not fought for ever") {
  World world = world_of();
  world.births_left = 1 << 20;
  const auto done = apply(world, 10, 4);
  REQUIRE_FALSE(done);
  CHECK(done.error().what.find("does not stay on CPUs 0-3") != std::string::npos);
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("undo: what was not applied is an error and changes nothing") {
  World world = world_of();
  CHECK(undo(world, 10).error().code == Errc::kNotFound);
  CHECK(undo(world, "/gone").error().code == Errc::kNotFound);
  CpuAssignments ledger;
  ledger.pods["20-2000"]["run"] = {0};
  world.files[PinFile::kLedger] = write_cpu_manager_state({"static", ledger});
  CHECK(undo(world, 20).error().what == "process 20 was started by `gedge pin run`");
  CHECK(ledger_of(world).pods.size() == 1);
}

TEST_CASE("apply: a number that is given again while threads are pinned is said, and of whom") {
  World world = world_of();
  world.meanwhile = [&world] {
    world.processes[10] = {9'000, {{10, world.all}}, 1};
    ++world.births;
  };
  const auto done = apply(world, 10, 2);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Errc::kNotFound);
  CHECK(done.error().what.find("was given its number was pinned in its place") !=
        std::string::npos);
  CHECK(done.error().hint.find("`taskset -apc CPUS 10`") != std::string::npos);
  CHECK(ledger_of(world).pods.empty());

  world = world_of();
  world.meanwhile = [&world] { world.processes.erase(10); };
  CHECK(apply(world, 10, 2).error().what == "process 10 has ended");
}

TEST_CASE("foresee_pin: it refuses what apply_pin refuses, and in the same words") {
  World world = world_of();
  REQUIRE(apply(world, 10, 2));
  const auto is_alike = [&world](const PinTarget& target, MemoryMode memory, const CpuAsk& ask = {},
                                 const ForOthers& others = {}) {
    Desk desk(world);
    const auto seen = foresee_pin(desk.ports, ground(), ask, target, memory, others);
    const auto done = apply_pin(desk.ports, ground(), ask, target, memory, others);
    REQUIRE_FALSE(done);
    REQUIRE_FALSE(seen);
    CHECK(seen.error().what == done.error().what);
    CHECK(seen.error().hint == done.error().hint);
    return seen.error().code;
  };
  CHECK(is_alike(10, MemoryMode::kDefault) == Errc::kConflict);
  CHECK(is_alike(20, MemoryMode::kBind) == Errc::kInvalidInput);
  CHECK(is_alike("/a", MemoryMode::kPreferred) == Errc::kInvalidInput);
  CHECK(is_alike("/gone", MemoryMode::kDefault) == Errc::kNotFound);
  CHECK(is_alike(20, MemoryMode::kDefault, sharing({1}), {true, 0}) == Errc::kInvalidInput);
  CHECK(is_alike(20, MemoryMode::kDefault, {15, {}, {}}) == Errc::kDenied);
  world.may_lower = false;
  CHECK(is_alike(20, MemoryMode::kDefault, {}, {false, 5}) == Errc::kDenied);
  REQUIRE(undo(world, 10));
  world.members[10] = "/a/b";
  REQUIRE(apply(world, 10, 2));
  CHECK(is_alike("/a", MemoryMode::kDefault) == Errc::kConflict);
}

TEST_CASE("apply: a control group whose name no file can hold is refused, and one within too") {
  World world = world_of();
  world.groups["/a/b/c\xff"] = {4, {4}, {0}};
  const World found = world;
  for (const char* const path : {"/a/b/c\xff", "/a/b"}) {
    const auto done = apply(world, path, 1);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::kDenied);
    CHECK(done.error().what.find("control group '/a/b/c\\xff' is no UTF-8") != std::string::npos);
  }
  CHECK(is_as_found(world, found));
  CHECK(world.files[PinFile::kRecord].empty());
}

TEST_CASE("foresee_pin: what would be given, and nothing is written") {
  World world = world_of();
  Desk desk(world);
  const auto seen = foresee_pin(desk.ports, ground(), {2, {}, {}}, "/a/b");
  REQUIRE(seen);
  CHECK(seen->cpus == CpuSet{4, 5});
  CHECK(world.files[PinFile::kLedger].empty());
}

namespace {

const std::vector<PinTarget> kTargets{10, 20, "/a", "/a/b", "/a/b/c"};

}  // namespace

TEST_CASE("apply: killed at each of its steps, it is undone to what was found") {
  for (const CgroupVersion version : {CgroupVersion::kV1, CgroupVersion::kV2})
    for (const PinTarget& target : kTargets) {
      int steps = 0;
      for (bool killed = true; killed; ++steps) {
        REQUIRE(steps < 100);
        World world = world_of(version);
        const World found = world;
        world.steps_left = steps;
        killed = false;
        try {
          const auto done = apply(world, target, 2);
          REQUIRE(done);
        } catch (const Killed&) {
          killed = true;
        }
        world.steps_left = kNoStep;
        CHECK_FALSE(overlaps(ledger_of(world)));
        const bool holds = !ledger_of(world).pods.empty();
        CHECK((holds || is_as_found(world, found)));
        CHECK(static_cast<bool>(undo(world, target)) == holds);
        CHECK(is_as_found(world, found));
        CHECK(ledger_of(world).pods.empty());
      }
      CHECK(steps > 8);
    }
}

TEST_CASE("apply and undo: killed at random steps among others, ten thousand times") {
  constexpr int kKills = 10'000;
  Dice dice(11);
  int kills = 0;
  for (int round = 0; kills < kKills; ++round) {
    REQUIRE(round < 10 * kKills);
    World world = world_of(dice.below(2) == 0 ? CgroupVersion::kV1 : CgroupVersion::kV2);
    const World found = world;
    for (int act = 0; act < 6; ++act) {
      const PinTarget& target = kTargets[dice.below(2)];  // groups in one another may conflict
      const PinTarget& chosen = dice.below(3) == 0 ? kTargets[2 + dice.below(3)] : target;
      world.steps_left = static_cast<int>(dice.below(40));
      try {
        if (dice.below(2) == 0)
          static_cast<void>(apply(world, chosen, 1 + static_cast<int>(dice.below(4))));
        else
          static_cast<void>(undo(world, chosen));
      } catch (const Killed&) {
        ++kills;
      }
      world.steps_left = kNoStep;
      CHECK_FALSE(overlaps(ledger_of(world)));
    }
    for (auto target = kTargets.rbegin(); target != kTargets.rend(); ++target)
      static_cast<void>(undo(world, *target));
    CHECK(ledger_of(world).pods.empty());
    for (const int pid : {10, 20}) CHECK(world.processes[pid] == found.processes.at(pid));
  }
}

}  // namespace gedge::test
