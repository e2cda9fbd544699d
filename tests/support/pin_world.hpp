// support/pin_world.hpp - a machine in memory that keeps the kernel's rules for affinities and
// control groups, where gedge may be killed at every step.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
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
#include "gedge/drive/apply_pin.hpp"

namespace gedge::test {

struct Killed {};

inline constexpr int kNoStep = -1;

struct Process {
  std::uint64_t started = 0;
  std::map<int, CpuSet> threads;
  int parent = 1;
  bool is_kernel = false, is_bound = false;  // bound: its affinity cannot be changed
  std::map<int, int> nices{};                // of threads that have another than 0

  int nice(int thread) const {
    const auto found = nices.find(thread);
    return found != nices.end() ? found->second : 0;
  }
  void set_nice(int thread, int nice) {
    nices.erase(thread);
    if (nice != 0) nices[thread] = nice;
  }
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
  CpuSet off;  // of all
  std::map<int, Process> processes;
  std::map<std::string, Group> groups;
  std::map<PinFile, std::string> files;
  std::optional<PinFile> refused_file;  // cannot be written
  bool locked = false;
  int steps_left = kNoStep;                   // until gedge is killed
  int refused_thread = 0;                     // of somebody else
  int stubborn_thread = 0;                    // somebody gives it its CPUs again at once
  std::map<int, std::uint64_t> late_threads;  // begun later than their processes
  std::map<int, std::string> members;         // processes that are in a group
  bool keeps_members = false;                 // on the CPUs of that group
  bool resets_members = false;                // to these CPUs whenever they are written
  std::string refused_group;                  // of somebody else
  std::uint64_t births = 0;
  bool hides_births = false;
  int births_left = 0;                   // threads that are born while others are pinned
  int forks_left = 0;                    // processes that are born of those that are pinned
  int next_pid = 100;                    // of these
  int shell = 0;                         // which begins commands; 0: one that nobody has changed
  std::function<void()> meanwhile;       // before the first thread is pinned
  std::function<void()> at_lock;         // while it is waited for
  std::optional<Errc> lock_fails;        // in this way
  bool may_lower = true;                 // nice values
  std::function<void(int)> before_nice;  // before a thread gets a nice value

  void step() {
    if (steps_left == kNoStep) return;
    if (steps_left == 0) throw Killed{};
    --steps_left;
  }
  CpuSet online() const { return all - off; }
  // A child of `pid` that may run where its first thread may.
  int fork(int pid) {
    const int child = next_pid++;
    ++births;
    const Process& parent = processes.at(pid);
    const auto [first, mask] = *parent.threads.begin();
    Process made{7'000 + births, {{child, mask}}, pid};
    made.set_nice(child, parent.nice(first));
    processes[child] = std::move(made);
    return child;
  }
  // A child of this thread, born just before it is changed.
  void bear(Process& process, int thread) {
    if (births_left == 0) return;
    --births_left;
    ++births;
    const int born = 500 + static_cast<int>(births);
    process.threads.emplace(born, process.threads.at(thread));
    process.set_nice(born, process.nice(thread));
  }
  int pid_of(int thread) const {
    for (const auto& [pid, process] : processes)
      if (process.threads.contains(thread)) return pid;
    return 0;
  }
  // What the control group of its process leaves it, where that keeps_members.
  CpuSet usable_by(int thread) const {
    const auto group = members.find(pid_of(thread));
    return keeps_members && group != members.end() ? groups.at(group->second).cpus : all;
  }
  Process* with_thread(int thread) {
    const auto found = processes.find(pid_of(thread));
    return found != processes.end() ? &found->second : nullptr;
  }
};

inline Error gone() { return {Errc::kNotFound, "gone", {}, {}}; }
inline Error refused(const char* why) { return {Errc::kDenied, why, {}, {}}; }

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
    if (world_.at_lock) std::exchange(world_.at_lock, {})();
    if (world_.lock_fails) return Error{*world_.lock_fails, "it cannot be locked", {}, {}};
    return Result<std::unique_ptr<PinLock>>(std::make_unique<Lock>(world_));
  }
  Result<std::string> read(PinFile file) override {
    world_.step();
    return world_.files[file];
  }
  Status replace(PinFile file, std::string_view bytes) override {
    REQUIRE(world_.locked);
    world_.step();
    if (world_.refused_file == file) return refused("no space");
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
  Result<ProcessId> self() const override { return ProcessId{5, 5'000}; }
  std::optional<std::uint64_t> births() const override {
    return world_.hides_births ? std::nullopt : std::optional(world_.births);
  }
  Result<std::vector<int>> processes() const override {
    std::vector<int> all;
    for (const auto& [pid, process] : world_.processes) all.push_back(pid);
    return all;
  }
  Result<ProcessFacts> about(int pid) const override {
    const auto found = world_.processes.find(pid);
    if (found == world_.processes.end()) return gone();
    const Process& process = found->second;
    return ProcessFacts{
        {pid, process.started}, process.parent, process.is_kernel, "program" + std::to_string(pid)};
  }
  Result<ProcessId> identify(int number) const override {
    const Process* const process = world_.with_thread(number);
    if (process == nullptr) return gone();
    const auto late = world_.late_threads.find(number);
    return ProcessId{number, late != world_.late_threads.end() ? late->second : process->started};
  }
  Result<int> process_of(int thread) const override {
    const int pid = world_.pid_of(thread);
    return pid != 0 ? Result<int>(pid) : Result<int>(gone());
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
    return process->threads.at(thread) & world_.online() & world_.usable_by(thread);
  }
  Status pin(int thread, const CpuSet& cpus) override {
    world_.step();
    if (world_.meanwhile) std::exchange(world_.meanwhile, {})();
    Process* const process = world_.with_thread(thread);
    if (process == nullptr) return gone();
    if (thread == world_.refused_thread) return refused("no right");
    if (process->is_bound || !cpus.meets(world_.online() & world_.usable_by(thread)))
      return Error{Errc::kConflict, "the kernel refuses", {}, {}};
    if (world_.forks_left > 0) {
      --world_.forks_left;
      world_.fork(world_.pid_of(thread));
    }
    world_.bear(*process, thread);
    if (thread != world_.stubborn_thread) process->threads.at(thread) = cpus & world_.all;
    world_.step();
    return {};
  }
  Result<int> nice(int thread) const override {
    const Process* const process = world_.with_thread(thread);
    if (process == nullptr) return gone();
    return process->nice(thread);
  }
  Status set_nice(int thread, int nice) override {
    world_.step();
    if (world_.before_nice) world_.before_nice(thread);
    Process* const process = world_.with_thread(thread);
    if (process == nullptr) return gone();
    if (thread == world_.refused_thread) return refused("no right");
    if (nice < process->nice(thread) && !world_.may_lower) return refused("no right");
    if (world_.forks_left > 0) {
      --world_.forks_left;
      world_.fork(world_.pid_of(thread));
    }
    world_.bear(*process, thread);
    if (thread != world_.stubborn_thread) process->set_nice(thread, nice);
    world_.step();
    return {};
  }
  Status may_lower_nice() override { return world_.may_lower ? Status() : refused("no right"); }
  Status move_memory(int, const std::vector<int>&) override { return {}; }

 private:
  World& world_;
};

class WorldGroups final : public ControlGroups {
 public:
  explicit WorldGroups(World& world) : world_(world), mount_{world.version, "/cg", "/"} {}
  const CgroupMount& mount() const override { return mount_; }
  Result<std::string> of_process(int pid) const override {
    const auto found = world_.members.find(pid);
    if (found == world_.members.end()) return gone();
    return found->second;
  }
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
    if (world_.resets_members && field == CpusetField::kCpus) reset_members(path);
    world_.step();
    return {};
  }

 private:
  // As Linux before 6.2 does.
  void reset_members(const std::string& path) {
    for (const auto& [pid, group] : world_.members)
      if (is_group_within(group, path))
        for (auto& [thread, mask] : world_.processes.at(pid).threads) mask = usable(group);
  }
  CpuSet usable(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const CpuSet outer = slash == 0 ? world_.all : usable(path.substr(0, slash));
    const CpuSet& own = world_.groups.at(path).cpus;
    return own.meets(outer) ? own & outer : outer;
  }

  World& world_;
  CgroupMount mount_;
};

// Two NUMA nodes of four cores with two threads each, or these CPUs of them.
inline PinGround ground(const CpuSet& all = CpuSet::range(0, 15)) {
  PinGround made;
  for (int node = 0; node < 2; ++node) {
    const CpuSet cpus = CpuSet::range(node * 8, node * 8 + 7);
    cpus.for_each([&](int cpu) { made.machine.cpus.push_back({cpu, cpu & ~1, node, node, node}); });
    made.machine.numa_nodes.push_back({node, 0, cpus});
  }
  made.machine = machine_within(made.machine, all);
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

inline Result<AppliedPin> apply(World& world, const PinTarget& target, int cpus,
                                MemoryMode memory = MemoryMode::kDefault,
                                const ForOthers& others = {}) {
  Desk desk(world);
  return apply_pin(desk.ports, ground(world.online()), {cpus, {}, {}}, target, memory, others);
}
inline CpuAsk sharing(CpuSet cpus) {
  CpuAsk ask;
  ask.mode = PinMode::kShared;
  ask.shared = std::move(cpus);
  return ask;
}
inline Result<AppliedPin> apply_in(World& world, const PinTarget& target, const CpuAsk& ask) {
  Desk desk(world);
  return apply_pin(desk.ports, ground(world.online()), ask, target, MemoryMode::kDefault);
}
inline Status undo(World& world, const PinTarget& target) {
  Desk desk(world);
  return undo_pin(desk.ports, world.online(), target);
}

// Process 10 with three threads, one of which stays on CPU 5; process 20; groups in one another.
inline World world_of(CgroupVersion version = CgroupVersion::kV1) {
  World world;
  world.version = version;
  world.processes[10] = {1'000, {{10, world.all}, {11, world.all}, {12, {5}}}, 1};
  world.processes[20] = {2'000, {{20, CpuSet::range(0, 7)}}, 1};
  const CpuSet both{0, 1};
  world.groups["/a"] = {1, world.all, both};
  world.groups["/a/b"] = {2, CpuSet::range(4, 11), both};
  world.groups["/a/b/c"] = {3, CpuSet::range(4, 7), both};
  if (version == CgroupVersion::kV2) world.groups["/a"].cpus = {};
  return world;
}

inline CpuAssignments ledger_of(const World& world) {
  const auto found = world.files.find(PinFile::kLedger);
  if (found == world.files.end() || found->second.empty()) return {world.all, {}};
  auto reading = read_cpu_manager_state({"pins", found->second});
  REQUIRE(reading.state);
  return reading.state->cpus;
}

inline bool is_as_found(const World& world, const World& found) {
  return world.processes == found.processes && world.groups == found.groups;
}

inline bool overlaps(const CpuAssignments& ledger) {
  CpuSet taken;
  for (const auto& [name, parts] : ledger.pods)
    for (const auto& [part, cpus] : parts) {
      if (taken.meets(cpus)) return true;
      taken |= cpus;
    }
  return taken.meets(ledger.shared);
}

}  // namespace gedge::test
