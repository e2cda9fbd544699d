// support/pin_others.hpp - the machine in memory with others on it, and a command that is run
// there.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>

#include "gedge/drive/others.hpp"
#include "support/pin_world.hpp"

namespace gedge::test {

// Beside processes 10 and 20: the first process, a shell with a child on CPUs 2-5, one on CPUs 0-1
// alone, one that is elsewhere, and threads of the kernel: bound to CPU 0, free, and free but
// fixed.
inline World busy_world(CgroupVersion version = CgroupVersion::kV1) {
  World world = world_of(version);
  world.processes[1] = {1, {{1, world.all}}, 0};
  world.processes[2] = {2, {{2, world.all}}, 0, true};
  world.processes[3] = {3, {{3, {0}}}, 2, true, true};
  world.processes[4] = {4, {{4, world.all}}, 2, true, true};
  world.processes[30] = {3'000, {{30, world.all}, {31, {0, 7}}}, 1};
  world.processes[40] = {3'500, {{40, CpuSet::range(2, 5)}}, 30};
  world.processes[50] = {3'600, {{50, {0, 1}}}, 1};
  world.processes[60] = {3'700, {{60, {12, 13}}}, 1};
  return world;
}

inline Status clean(World& world) {
  Desk desk(world);
  return clean_up(desk.ports, world.online());
}

// What becomes a command: process 70 and whatever follows.
class Launch final : public PinnedLaunch {
 public:
  Launch(World& world, std::function<void(int)> meanwhile)
      : world_(world), meanwhile_(std::move(meanwhile)) {}
  ~Launch() override {
    if (!begun_) cancel();
  }
  Result<ProcessId> start() override {
    world_.step();
    if (world_.shell != 0) {
      pid_ = world_.fork(world_.shell);
    } else {
      pid_ = world_.next_pid++;
      world_.processes[pid_] = {0, {{pid_, world_.all}}, 5};
    }
    world_.processes[pid_].started = 8'000 + ++world_.births;
    return ProcessId{pid_, world_.processes[pid_].started};
  }
  std::optional<NotBegun> begin(const CpuGrant& grant, MemoryMode) override {
    world_.step();
    begun_ = true;
    world_.processes[pid_].threads.at(pid_) = grant.cpus;
    world_.step();
    return std::nullopt;
  }
  int wait() override {
    if (meanwhile_) meanwhile_(pid_);
    world_.step();
    world_.processes.erase(pid_);
    return 3;
  }
  void cancel() override { world_.processes.erase(pid_); }

 private:
  World& world_;
  std::function<void(int)> meanwhile_;
  int pid_ = 0;
  bool begun_ = false;
};

inline Result<PinnedRun> run_before_others(World& world, int cpus, const ForOthers& wish,
                                           std::function<void(int)> meanwhile = {}) {
  Desk desk(world);
  Launch launch(world, std::move(meanwhile));
  const PinGround on = ground(world.online());
  const CpuAsk ask{cpus, {}, {}};
  return run_pinned(launch,
                    keep_before_others(desk.ports, on, ask, wish,
                                       [&world](const OthersNow&) { CHECK_FALSE(world.locked); }),
                    MemoryMode::kDefault);
}

}  // namespace gedge::test
