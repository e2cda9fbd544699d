// The ledger of pinned processes in a world where gedge may be killed at every step.
#include "gedge/drive/run_pinned.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/codec/cpu_manager_state.hpp"
#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

struct Killed {};

// One machine: its ledger, its processes, and what kills gedge.
struct World {
  std::string ledger;
  bool locked = false;
  std::map<int, std::uint64_t> living;  // children, by pid
  std::map<int, CpuSet> running;        // those that became a command: where they run
  int next_pid = 100;
  std::uint64_t now = 1'000;
  int steps_left = -1;  // until gedge is killed; -1: never
  bool disk_is_full = false, no_such_command = false;

  void step() {
    if (steps_left < 0) return;
    if (steps_left-- == 0) throw Killed{};
  }
  void end(int pid) {
    living.erase(pid);
    running.erase(pid);
  }
};

class WorldLock final : public PinLock {
 public:
  explicit WorldLock(World& world) : world_(world) { world_.locked = true; }
  ~WorldLock() override { world_.locked = false; }

 private:
  World& world_;
};

class WorldStore final : public PinStore {
 public:
  explicit WorldStore(World& world) : world_(world) {}
  Result<std::unique_ptr<PinLock>> lock() override {
    world_.step();
    REQUIRE_FALSE(world_.locked);
    std::unique_ptr<PinLock> lock = std::make_unique<WorldLock>(world_);
    world_.step();
    return Result<std::unique_ptr<PinLock>>(std::move(lock));
  }
  Result<std::string> read(PinFile) override {
    world_.step();
    return world_.ledger;
  }
  Status replace(PinFile, std::string_view bytes) override {
    REQUIRE(world_.locked);
    world_.step();
    if (world_.disk_is_full) return Error{Errc::kDenied, "disk full", {}, {}};
    world_.ledger = bytes;
    world_.step();
    return {};
  }
  std::string name(PinFile) const override { return "pin_state"; }

 private:
  World& world_;
};

class WorldProcesses final : public Processes {
 public:
  explicit WorldProcesses(const World& world) : world_(world) {}
  bool lives(const PinHolder& holder) const override {
    const auto& process = std::get<ProcessId>(holder);
    const auto found = world_.living.find(process.pid);
    return found != world_.living.end() && found->second == process.started;
  }

 private:
  const World& world_;
};

// Its end is that of gedge: a process that waits for its orders then ends by itself.
class WorldLaunch final : public PinnedLaunch {
 public:
  explicit WorldLaunch(World& world, std::function<void()> meanwhile = {})
      : world_(world), meanwhile_(std::move(meanwhile)) {}
  ~WorldLaunch() override {
    if (pid_ != 0 && !begun_) world_.end(pid_);
  }

  Result<ProcessId> start() override {
    world_.step();
    pid_ = world_.next_pid++;
    world_.living[pid_] = ++world_.now;
    world_.step();
    return ProcessId{pid_, world_.living[pid_]};
  }
  std::optional<NotBegun> begin(const CpuGrant& grant, MemoryMode) override {
    world_.step();
    if (world_.no_such_command) {
      cancel();
      return NotBegun{127, {Errc::kNotFound, "cannot find command", {}, {}}};
    }
    begun_ = true;
    world_.running[pid_] = grant.cpus;
    world_.step();
    return std::nullopt;
  }
  int wait() override {
    world_.step();
    if (meanwhile_) meanwhile_();
    world_.end(pid_);
    world_.step();
    return 3;
  }
  void cancel() override { world_.end(std::exchange(pid_, 0)); }

 private:
  World& world_;
  std::function<void()> meanwhile_;
  int pid_ = 0;
  bool begun_ = false;
};

// `nodes` NUMA nodes that are sockets, of `cores` cores with two threads each.
PinGround ground(int nodes = 2, int cores = 4) {
  PinGround made;
  for (int node = 0; node < nodes; ++node) {
    const int first = node * cores * 2;
    const CpuSet cpus = CpuSet::range(first, first + cores * 2 - 1);
    cpus.for_each([&](int cpu) { made.machine.cpus.push_back({cpu, cpu & ~1, node, node, node}); });
    made.machine.numa_nodes.push_back({node, 0, cpus});
    made.machine.caches.push_back({3, 0, cpus});
  }
  made.allowed = made.machine.cpu_set();
  return made;
}

CpuAssignments ledger_of(const World& world) {
  auto reading = read_cpu_manager_state({"pin_state", world.ledger});
  REQUIRE(reading.state);  // checksum and all
  return reading.state->cpus;
}

Result<PinnedRun> run(World& world, const PinGround& on, int cpus,
                      std::function<void()> meanwhile = {}, ReadLedger read = read_ledger) {
  WorldStore store(world);
  WorldLaunch launch(world, std::move(meanwhile));
  const WorldProcesses processes(world);
  const CpuAsk ask{cpus, {}, {}};
  return run_pinned(launch, keep_ledger(store, processes, on, ask, read), MemoryMode::kDefault);
}

// Nobody shares a CPU, and whoever runs stands in the ledger with just what it runs on.
void check(const World& world) {
  CHECK_FALSE(world.locked);
  CpuSet taken;
  for (const auto& [pid, cpus] : world.running) {
    CHECK_FALSE(taken.meets(cpus));
    taken |= cpus;
  }
  if (world.ledger.empty()) {
    CHECK(world.running.empty());
    return;
  }
  const CpuAssignments ledger = ledger_of(world);
  for (const auto& [pid, cpus] : world.running) {
    const auto held = ledger.pods.find(holder_name(ProcessId{pid, world.living.at(pid)}));
    REQUIRE(held != ledger.pods.end());
    CHECK(held->second.at("run") == cpus);
    CHECK_FALSE(ledger.shared.meets(cpus));
  }
}

// All that ever ran has ended: everything can be had again.
void check_nothing_leaks(World& world, const PinGround& on) {
  world.steps_left = -1;
  while (!world.living.empty()) world.end(world.living.begin()->first);
  const auto all = run(world, on, on.allowed.size());
  REQUIRE(all);
  CHECK(all->grant.cpus == on.allowed);
  CHECK(ledger_of(world) == CpuAssignments{on.machine.cpu_set(), {}});
}

}  // namespace

TEST_CASE("a run: held while it runs, given back when it has ended") {
  World world;
  const PinGround on = ground();
  const auto done = run(world, on, 3, [&] {
    const CpuAssignments ledger = ledger_of(world);
    CHECK(ledger.pods.at("100-1001").at("run") == CpuSet{0, 1, 2});
    CHECK(ledger.shared == CpuSet::range(3, 15));
    check(world);
  });
  REQUIRE(done);
  CHECK(done->status == 3);
  CHECK(done->grant.nodes == std::vector<int>{0});
  CHECK(ledger_of(world) == CpuAssignments{on.machine.cpu_set(), {}});
}

TEST_CASE(
    "a run: two at once have CPUs of their own, and a third that asks for too many has none") {
  World world;
  const PinGround on = ground();
  const auto outer = run(world, on, 8, [&] {
    const auto inner = run(world, on, 8, [&] {
      check(world);
      const std::string before = world.ledger;
      const auto none = run(world, on, 1);
      REQUIRE_FALSE(none);
      CHECK(none.error().code == Errc::kDenied);
      CHECK(none.error().what == "1 CPU wanted, but only 0 of 16 CPUs free");
      CHECK(world.ledger == before);
      CHECK(world.living.size() == 2);
    });
    REQUIRE(inner);
    CHECK(inner->grant.cpus == CpuSet::range(8, 15));
  });
  REQUIRE(outer);
  CHECK(outer->grant.cpus == CpuSet::range(0, 7));
}

TEST_CASE("a run: a command that does not begin leaves nothing behind") {
  World world;
  world.no_such_command = true;
  const PinGround on = ground();
  const auto done = run(world, on, 2);
  REQUIRE(done);
  REQUIRE(done->not_begun);
  CHECK(done->status == 127);
  CHECK(world.living.empty());
  CHECK(ledger_of(world).pods.empty());
}

TEST_CASE("a run: nothing begins where the ledger cannot be written or read") {
  World world;
  const PinGround on = ground();
  world.disk_is_full = true;
  CHECK_FALSE(run(world, on, 2));
  CHECK(world.living.empty());
  CHECK(world.ledger.empty());
  world.disk_is_full = false;
  world.ledger = R"({"policyName":"static","defaultCpuSet":"0-1","checksum":1})";
  const auto done = run(world, on, 2);
  REQUIRE_FALSE(done);
  CHECK(done.error().what == "checkpoint is corrupted");
  CHECK(done.error().hint.find("mend it, or ") == 0);
  CHECK(done.error().hint.find("`mv pin_state pin_state.broken`") != std::string::npos);
  CHECK(world.living.empty());
}

TEST_CASE("a run: what is not given back is taken from the dead") {
  World world;
  const PinGround on = ground();
  const auto done = run(world, on, 2, [&] { world.disk_is_full = true; });
  REQUIRE(done);
  CHECK(done->status == 3);
  CHECK_FALSE(done->released);
  CHECK(ledger_of(world).pods.size() == 1);
  world.disk_is_full = false;
  check_nothing_leaks(world, on);
}

TEST_CASE("a run: an entry whose number belongs to another process now is no entry") {
  World world;
  const PinGround on = ground();
  CpuAssignments ledger;
  ledger.pods["100-7"]["run"] = CpuSet{0, 1};         // another process had this number
  ledger.pods["web-0"]["main"] = CpuSet{4, 5, 6, 7};  // somebody else's
  world.ledger = write_cpu_manager_state({"static", ledger});
  world.living[100] = 8;
  world.next_pid = 200;
  const auto done =
      run(world, on, 4, [&] { CHECK_FALSE(ledger_of(world).pods.contains("100-7")); });
  REQUIRE(done);
  CHECK(done->grant.cpus == CpuSet{0, 1, 2, 3});
  CHECK(ledger_of(world).pods.contains("web-0"));
}

TEST_CASE("a run: what is foreseen is what is given, and foreseeing changes nothing") {
  World world;
  const PinGround on = ground();
  WorldStore store(world);
  const auto outer = run(world, on, 3, [&] {
    const std::string before = world.ledger;
    const auto seen = foresee(store, WorldProcesses(world), on, {2, {}, {}});
    REQUIRE(seen);
    CHECK(world.ledger == before);
    const auto inner = run(world, on, 2);
    REQUIRE(inner);
    CHECK(inner->grant.cpus == seen->cpus);
  });
  CHECK(outer);
}

TEST_CASE("a run: a ledger of its own is recognised, and one of others stops it or is left") {
  World world;
  const PinGround on = ground();
  const auto quick = [&](int cpus, std::function<void()> meanwhile) {
    return run(world, on, cpus, std::move(meanwhile), recognise_ledger);
  };
  const auto outer = quick(2, [&] {
    const auto inner = quick(3, [&] { check(world); });
    REQUIRE(inner);
    CHECK(inner->grant.cpus == CpuSet{2, 3, 4});
    CHECK(inner->released);
  });
  REQUIRE(outer);
  CHECK(outer->released);
  CHECK(ledger_of(world) == CpuAssignments{on.machine.cpu_set(), {}});

  const std::string own = world.ledger, strange = own + '\n';
  const auto late = quick(2, [&] { world.ledger = strange; });
  REQUIRE(late);
  CHECK_FALSE(late->released);
  CHECK(world.ledger == strange);
  CHECK_FALSE(quick(2, {}));
  CHECK(world.ledger == strange);
  CHECK(world.living.empty());
  CHECK(run(world, on, 2));
  CHECK(world.ledger == own);
}

TEST_CASE("a run: killed at each of its steps, alone") {
  const PinGround on = ground();
  int steps = 0;
  for (bool killed = true; killed; ++steps) {
    REQUIRE(steps < 100);
    World world;
    world.steps_left = steps;
    killed = false;
    try {
      const auto done = run(world, on, 2);
      REQUIRE(done);
    } catch (const Killed&) {
      killed = true;
    }
    check(world);
    check_nothing_leaks(world, on);
  }
  CHECK(steps > 15);
}

TEST_CASE("a run: killed at random steps among others, ten thousand times") {
  constexpr int kKills = 10'000, kDepth = 4;
  Dice dice(7);
  const PinGround on = ground(2, 3);
  World world;
  int kills = 0;
  const auto go = [&](auto& self, int depth) -> void {
    world.steps_left = static_cast<int>(dice.below(24));
    world.no_such_command = dice.below(10) == 0;
    world.disk_is_full = dice.below(20) == 0;
    const ReadLedger read = dice.below(2) == 0 ? read_ledger : recognise_ledger;
    const auto meanwhile = [&] {
      if (depth < kDepth && dice.below(2) == 0) self(self, depth + 1);
      world.disk_is_full = dice.below(20) == 0;
    };
    try {
      static_cast<void>(run(world, on, 1 + static_cast<int>(dice.below(5)), meanwhile, read));
    } catch (const Killed&) {
      ++kills;
    }
    check(world);
  };
  for (int runs = 0; runs < 10 * kKills && kills < kKills; ++runs) {
    go(go, 0);
    // Commands that nobody waits for end some day.
    if (!world.living.empty() && dice.below(3) == 0) world.end(world.living.begin()->first);
    world.disk_is_full = false;
    if (runs % 1'000 == 0) check_nothing_leaks(world, on);
  }
  CHECK(kills == kKills);
  world.no_such_command = false;
  check_nothing_leaks(world, on);
}

}  // namespace gedge
