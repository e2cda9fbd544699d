// Pins to CPUs that nobody holds, on a machine in memory: what was before is known all the same.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "gedge/codec/pin_record.hpp"
#include "support/pin_others.hpp"

namespace gedge::test {
namespace {

Result<AppliedPin> share(World& world, const PinTarget& target, const CpuSet& cpus) {
  return apply_in(world, target, sharing(cpus));
}
Result<AppliedPin> prefer(World& world, const PinTarget& target, int cpus) {
  CpuAsk ask;
  ask.cpus = cpus;
  ask.mode = PinMode::kPreferred;
  return apply_in(world, target, ask);
}
std::size_t records_in(World& world) {
  return read_pin_records({"pins", world.files[PinFile::kRecord]}).records->size();
}

}  // namespace

TEST_CASE("apply: CPUs that are shared are held by nobody, and undone") {
  for (const CgroupVersion version : {CgroupVersion::kV1, CgroupVersion::kV2}) {
    for (const PinTarget& target : {PinTarget(10), PinTarget("/a/b")}) {
      World world = busy_world(version);
      const World found = world;
      const auto done = share(world, target, {4, 5});
      REQUIRE(done);
      CHECK(done->grant.cpus == CpuSet{4, 5});
      CHECK_FALSE(done->grant.exclusive);
      CHECK(ledger_of(world).pods.empty());
      CHECK_FALSE(is_as_found(world, found));
      CHECK(records_in(world) == 1);
      REQUIRE(undo(world, target));
      CHECK(is_as_found(world, found));
      CHECK(records_in(world) == 0);
      CHECK_FALSE(undo(world, target));
    }
  }
}

TEST_CASE("apply: several share, nobody what is held, and nobody is pinned twice") {
  World world = busy_world();
  const World found = world;
  const auto own = apply(world, 10, 2);
  REQUIRE(own);
  const auto first = share(world, 20, {0, 1, 2, 3}), second = share(world, 50, {2, 3});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->grant.cpus == CpuSet{2, 3});
  CHECK(second->grant.cpus == CpuSet{2, 3});
  CHECK(share(world, 30, {0, 1}).error().code == Errc::kDenied);  // all are held
  for (const auto& again : {share(world, 20, {4}), apply(world, 20, 1)}) {
    REQUIRE_FALSE(again);
    CHECK(again.error().code == Errc::kConflict);
    CHECK(again.error().what == "process 20 shares CPUs 2-3 already");
  }
  CHECK(share(world, 10, {4}).error().code == Errc::kConflict);
  for (const int pid : {20, 50, 10}) REQUIRE(undo(world, pid));
  CHECK(is_as_found(world, found));
}

TEST_CASE("apply: CPUs of its own where they are preferred and free, else beside others") {
  World world = busy_world();
  const World found = world;
  const auto own = prefer(world, 10, 14);
  REQUIRE(own);
  CHECK(own->grant.exclusive);
  const auto beside = prefer(world, 20, 4);
  REQUIRE(beside);
  CHECK_FALSE(beside->grant.exclusive);
  CHECK(beside->grant.cpus == world.all - own->grant.cpus);
  CHECK(ledger_of(world).pods.size() == 1);
  REQUIRE(undo(world, 20));
  REQUIRE(undo(world, 10));
  CHECK(is_as_found(world, found));
}

TEST_CASE("apply: who shares CPUs and is moved off one of them gets all back that he had before") {
  for (const bool share_is_undone_first : {true, false}) {
    World world = busy_world();
    const World found = world;
    REQUIRE(share(world, 20, {0, 1, 2, 3}));
    REQUIRE(apply(world, 10, 2, MemoryMode::kDefault, {.isolate = true}));
    CHECK(world.processes[20].threads.at(20) == CpuSet{2, 3});
    REQUIRE(undo(world, share_is_undone_first ? 20 : 10));
    if (share_is_undone_first)
      CHECK(world.processes[20].threads.at(20) == CpuSet::range(2, 7));
    else
      CHECK(world.processes[20].threads.at(20) == CpuSet::range(0, 3));
    REQUIRE(undo(world, share_is_undone_first ? 10 : 20));
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("apply: who is pinned in a control group that shares stays so when that one is undone") {
  for (const bool shares : {false, true}) {
    World world = busy_world();
    world.resets_members = true;
    world.groups["/ab"] = {7, world.all, {0, 1}};
    for (const auto& [pid, path] :
         {std::pair(20, "/a/b"), std::pair(40, "/a"), std::pair(50, "/ab"), std::pair(60, "/a")})
      world.members[pid] = path;
    REQUIRE(share(world, "/a", CpuSet::range(4, 9)));
    const auto pinned = shares ? share(world, 20, {4, 5}) : apply(world, 20, 2);
    REQUIRE(pinned);
    REQUIRE(apply(world, 40, 1));
    REQUIRE(apply(world, 50, 2));
    world.processes[40].threads[41] = {7};  // it has given itself other CPUs
    const World before = world;
    REQUIRE(undo(world, "/a"));
    CHECK(world.groups["/a"].cpus == world.all);
    for (const int pid : {20, 50}) CHECK(world.processes[pid] == before.processes.at(pid));
    CHECK(world.processes[40].threads.at(40) == before.processes.at(40).threads.at(40));
    CHECK(world.processes[60].threads.at(60) == world.all);
  }
}

TEST_CASE(
    "apply: killed while a control group that shares is undone, who is pinned in it stays so") {
  int steps = 0;
  for (bool killed = true; killed; ++steps) {
    REQUIRE(steps < 500);
    World world = busy_world();
    world.resets_members = true;
    world.members[20] = "/a/b";
    REQUIRE(share(world, "/a", CpuSet::range(4, 9)));
    const auto pinned = apply(world, 20, 2);
    REQUIRE(pinned);
    world.steps_left = steps;
    killed = false;
    try {
      const bool done = static_cast<bool>(undo(world, "/a"));
      REQUIRE(done);
    } catch (const Killed&) {
      killed = true;
    }
    world.steps_left = kNoStep;
    static_cast<void>(undo(world, "/a"));
    CHECK(world.groups["/a"].cpus == world.all);
    CHECK(world.processes[20].threads.at(20) == pinned->grant.cpus);
  }
  CHECK(steps > 8);
}

TEST_CASE("apply: the record of one who shared ends with him") {
  World world = busy_world();
  REQUIRE(share(world, 20, {2, 3}));
  world.processes.erase(20);
  REQUIRE(share(world, 50, {2, 3}));
  CHECK(records_in(world) == 1);
  world.processes[20] = {9'000, {{20, world.all}}, 1};
  CHECK(undo(world, 20).error().code == Errc::kNotFound);
  CHECK(world.processes[20].threads.at(20) == world.all);
}

TEST_CASE("apply: one that shares and is an error leaves no record, whichever file it is about") {
  for (const PinFile file : {PinFile::kLedger, PinFile::kRecord}) {
    World world = busy_world();
    const World found = world;
    world.refused_file = file;
    CHECK(share(world, 20, {2, 3}).error().code == Errc::kDenied);
    CHECK(is_as_found(world, found));
    world.refused_file.reset();
    CHECK(undo(world, 20).error().code == Errc::kNotFound);
    REQUIRE(share(world, 20, {2, 3}));
  }
}

TEST_CASE("apply: others cannot be set back for one who shares") {
  World world = busy_world();
  const World found = world;
  Desk desk(world);
  for (const ForOthers& wish : {ForOthers{.isolate = true}, ForOthers{.nice = 5}}) {
    const auto done =
        apply_pin(desk.ports, ground(), sharing({2, 3}), 10, MemoryMode::kDefault, wish);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == Errc::kInvalidInput);
    CHECK(is_as_found(world, found));
  }
}

TEST_CASE("apply: killed at each step on the way to CPUs that are shared, it is undone") {
  for (const PinTarget& target : {PinTarget(10), PinTarget("/a")}) {
    int steps = 0;
    for (bool killed = true; killed; ++steps) {
      REQUIRE(steps < 500);
      World world = busy_world();
      const World found = world;
      world.steps_left = steps;
      killed = false;
      try {
        const bool done = static_cast<bool>(share(world, target, {4, 5}));
        REQUIRE(done);
      } catch (const Killed&) {
        killed = true;
      }
      world.steps_left = kNoStep;
      static_cast<void>(undo(world, target));
      CHECK(is_as_found(world, found));
      CHECK_FALSE(undo(world, target));
    }
    CHECK(steps > 8);
  }
}

}  // namespace gedge::test
