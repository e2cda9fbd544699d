// Pins of what runs already, on a machine in memory that keeps the kernel's rules, where gedge may
// be killed at every step.
#include "gedge/drive/apply_pin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/codec/cpu_manager_state.hpp"
#include "gedge/drive/pin_desk.hpp"
#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

struct Killed {};

constexpr int kNoStep = -1;

struct Process {
  std::uint64_t started = 0;
  std::map<int, CpuSet> threads;
  friend bool operator==(const Process&, const Process&) = default;
};
struct Group {
  std::uint64_t number = 0;
  CpuSet cpus, mems;
  friend bool operator==(const Group&, const Group&) = default;
};

struct World {
  CgroupVersion version = CgroupVersion::kV1;
  CpuSet all = CpuSet::range(0, 15);
  std::map<int, Process> processes;
  std::map<std::string, Group> groups;
  std::map<PinFile, std::string> files;
  bool locked = false;
  int steps_left = kNoStep;   // until gedge is killed
  int refused_thread = 0;     // of somebody else
  std::string refused_group;  // the same
  std::uint64_t births = 0;
  int births_left = 0;              // threads that are born while others are pinned
  std::function<void()> meanwhile;  // before the first thread is pinned

  void step() {
    if (steps_left == kNoStep) return;
    if (steps_left == 0) throw Killed{};
    --steps_left;
  }
  Process* with_thread(int thread) {
    for (auto& [pid, process] : processes)
      if (process.threads.contains(thread)) return &process;
    return nullptr;
  }
};

Error gone() { return {Errc::kNotFound, "gone", {}, {}}; }
Error refused(const char* why) { return {Errc::kDenied, why, {}, {}}; }

class Lock final : public PinLock {
 public:
  explicit Lock(World& world) : world_(world) { world_.locked = true; }
  ~Lock() override { world_.locked = false; }

 private:
  World& world_;
};

class Store final : public PinStore {
 public:
  explicit Store(World& world) : world_(world) {}
  Result<std::unique_ptr<PinLock>> lock() override {
    world_.step();
    REQUIRE_FALSE(world_.locked);
    return Result<std::unique_ptr<PinLock>>(std::make_unique<Lock>(world_));
  }
  Result<std::string> read(PinFile file) override {
    world_.step();
    return world_.files[file];
  }
  Status replace(PinFile file, std::string_view bytes) override {
    REQUIRE(world_.locked);
    world_.step();
    world_.files[file] = bytes;
    world_.step();
    return {};
  }
  std::string name(PinFile) const override { return "pins"; }

 private:
  World& world_;
};

class Living final : public Processes {
 public:
  explicit Living(const World& world) : world_(world) {}
  bool lives(const PinHolder& holder) const override {
    if (const auto* const group = std::get_if<GroupId>(&holder)) {
      const auto found = world_.groups.find(group->path);
      return found != world_.groups.end() && found->second.number == group->number;
    }
    const auto& process = std::get<ProcessId>(holder);
    const auto found = world_.processes.find(process.pid);
    return found != world_.processes.end() && found->second.started == process.started;
  }

 private:
  const World& world_;
};

class WorldThreads final : public Threads {
 public:
  explicit WorldThreads(World& world) : world_(world) {}
  std::uint64_t births() const override { return world_.births; }
  Result<std::vector<int>> processes() const override {
    std::vector<int> all;
    for (const auto& [pid, process] : world_.processes) all.push_back(pid);
    return all;
  }
  Result<ProcessFacts> about(int pid) const override {
    const auto found = world_.processes.find(pid);
    if (found == world_.processes.end()) return gone();
    return ProcessFacts{{pid, found->second.started}, 1, false, "program"};
  }
  Result<ProcessId> identify(int number) const override {
    const Process* const process = world_.with_thread(number);
    if (process == nullptr) return gone();
    return ProcessId{number, process->started};
  }
  Result<std::vector<int>> of_process(int pid) const override {
    world_.step();
    const auto found = world_.processes.find(pid);
    if (found == world_.processes.end()) return gone();
    std::vector<int> numbers;
    for (const auto& [number, mask] : found->second.threads) numbers.push_back(number);
    return numbers;
  }
  Result<CpuSet> mask(int thread) const override {
    const Process* const process = world_.with_thread(thread);
    if (process == nullptr) return gone();
    return process->threads.at(thread) & world_.all;
  }
  Status pin(int thread, const CpuSet& cpus) override {
    world_.step();
    if (world_.meanwhile) std::exchange(world_.meanwhile, {})();
    Process* const process = world_.with_thread(thread);
    if (process == nullptr) return gone();
    if (thread == world_.refused_thread) return refused("no right");
    if (!cpus.meets(world_.all)) return refused("no such CPU");
    if (world_.births_left > 0) {  // a child of this thread, born just before
      --world_.births_left;
      ++world_.births;
      process->threads.emplace(process->threads.rbegin()->first + 1, process->threads.at(thread));
    }
    process->threads.at(thread) = cpus;
    world_.step();
    return {};
  }
  Status move_memory(int, const std::vector<int>&) override { return {}; }

 private:
  World& world_;
};

class WorldGroups final : public ControlGroups {
 public:
  explicit WorldGroups(World& world) : world_(world), mount_{world.version, "/cg", "/"} {}
  const CgroupMount& mount() const override { return mount_; }
  Result<std::string> of_process(int) const override { return gone(); }
  Result<std::string> of_container(const std::string&) const override { return gone(); }
  Result<GroupId> identify(const std::string& path) const override {
    const auto found = world_.groups.find(path);
    if (found == world_.groups.end()) return gone();
    return GroupId{path, found->second.number};
  }
  Result<std::vector<std::string>> with_inner(const std::string& path) const override {
    std::vector<std::string> paths;
    for (const auto& [name, group] : world_.groups)
      if (name == path || name.starts_with(path + '/')) paths.push_back(name);
    return paths;
  }
  Result<CpuSet> read(const std::string& path, CpusetField field) const override {
    const auto found = world_.groups.find(path);
    if (found == world_.groups.end()) return gone();
    if (field == CpusetField::kMems) return found->second.mems;
    if (field == CpusetField::kCpus) return found->second.cpus;
    return usable(path);
  }
  Status write(const std::string& path, CpusetField field, const CpuSet& set) override {
    world_.step();
    const auto found = world_.groups.find(path);
    if (found == world_.groups.end()) return gone();
    if (path == world_.refused_group) return refused("no right");
    const auto member = field == CpusetField::kMems ? &Group::mems : &Group::cpus;
    if (world_.version == CgroupVersion::kV1) {
      if (set.empty()) return refused("tasks are in it");
      for (const auto& [name, group] : world_.groups) {
        const bool is_inner = name.starts_with(path + '/');
        const bool is_outer = path.starts_with(name + '/');
        if (is_inner && !(group.*member).is_subset_of(set)) return refused("busy");
        if (is_outer && !set.is_subset_of(group.*member)) return refused("outside");
      }
    }
    found->second.*member = set;
    world_.step();
    return {};
  }

 private:
  CpuSet usable(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const CpuSet outer = slash == 0 ? world_.all : usable(path.substr(0, slash));
    const CpuSet& own = world_.groups.at(path).cpus;
    return own.meets(outer) ? own & outer : outer;
  }

  World& world_;
  CgroupMount mount_;
};

// Two NUMA nodes of four cores with two threads each.
PinGround ground() {
  PinGround made;
  for (int node = 0; node < 2; ++node) {
    const CpuSet cpus = CpuSet::range(node * 8, node * 8 + 7);
    cpus.for_each([&](int cpu) { made.machine.cpus.push_back({cpu, cpu & ~1, node, node, node}); });
    made.machine.numa_nodes.push_back({node, 0, cpus});
  }
  made.allowed = made.machine.cpu_set();
  return made;
}

struct Desk {
  explicit Desk(World& world)
      : store(world),
        living(world),
        threads(world),
        groups(world),
        ports{store, living, threads, groups} {}
  Store store;
  Living living;
  WorldThreads threads;
  WorldGroups groups;
  PinPorts ports;
};

Result<AppliedPin> apply(World& world, const PinTarget& target, int cpus,
                         MemoryMode memory = MemoryMode::kDefault) {
  Desk desk(world);
  return apply_pin(desk.ports, ground(), {cpus, {}, {}}, target, memory);
}
Status undo(World& world, const PinTarget& target) {
  Desk desk(world);
  return undo_pin(desk.ports, world.all, target);
}

// Process 10 with three threads, one of which stays on CPU 5; process 20; groups in one another.
World world_of(CgroupVersion version = CgroupVersion::kV1) {
  World world;
  world.version = version;
  world.processes[10] = {1'000, {{10, world.all}, {11, world.all}, {12, {5}}}};
  world.processes[20] = {2'000, {{20, CpuSet::range(0, 7)}}};
  const CpuSet both{0, 1};
  world.groups["/a"] = {1, world.all, both};
  world.groups["/a/b"] = {2, CpuSet::range(4, 11), both};
  world.groups["/a/b/c"] = {3, CpuSet::range(4, 7), both};
  if (version == CgroupVersion::kV2) world.groups["/a"].cpus = {};
  return world;
}

CpuAssignments ledger_of(const World& world) {
  const auto found = world.files.find(PinFile::kLedger);
  if (found == world.files.end() || found->second.empty()) return {world.all, {}};
  auto reading = read_cpu_manager_state({"pins", found->second});
  REQUIRE(reading.state);
  return reading.state->cpus;
}

bool is_as_found(const World& world, const World& found) {
  return world.processes == found.processes && world.groups == found.groups;
}

}  // namespace

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
  for (const int thread : {10, 11, 13, 14, 15}) {
    CAPTURE(thread);
    CHECK(world.processes[10].threads.at(thread).is_subset_of(found.all));
    CHECK_FALSE(world.processes[10].threads.at(thread) == done->grant.cpus);
  }
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

TEST_CASE("apply: a process that ends meanwhile holds nothing") {
  World world = world_of();
  world.meanwhile = [&] { world.processes.erase(10); };
  const auto done = apply(world, 10, 4);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Errc::kNotFound);
  CHECK(ledger_of(world).pods.empty());
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

bool overlaps(const CpuAssignments& ledger) {
  CpuSet taken;
  for (const auto& [name, parts] : ledger.pods)
    for (const auto& [part, cpus] : parts) {
      if (taken.meets(cpus)) return true;
      taken |= cpus;
    }
  return taken.meets(ledger.shared);
}

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

}  // namespace gedge
