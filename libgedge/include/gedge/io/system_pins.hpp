// gedge/io/system_pins.hpp - the ports of pinning over this machine: a directory, /proc, /sys, and
// processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/port/pin_desk.hpp"

namespace gedge {

/// A directory with the ledger `pin_state`, `pin_record` and `pin_verdicts`, and `lock` beside
/// them.
class DiskPinStore final : public PinStore {
 public:
  using Tell = std::function<void(const std::string&)>;

  /// Made when the lock is taken for the first time. `waits` is told, in one clause, for whom the
  /// lock is waited for, once that has taken half a second.
  explicit DiskPinStore(std::string directory, Tell waits = {})
      : directory_(std::move(directory)), waits_(std::move(waits)) {}

  /// Waits for 10 s at most, and no longer once SIGHUP, SIGINT or SIGTERM has come that this thread
  /// holds back. While it is held, these wait for this thread to give it back. The ledger and the
  /// record of another start of the machine are thrown away.
  Result<std::unique_ptr<PinLock>> lock() override;
  Result<std::string> read(PinFile file) override;
  /// Written beside it under one name, then renamed: what a killed process left is overwritten.
  Status replace(PinFile file, std::string_view bytes) override;
  std::string name(PinFile file) const override;

 private:
  std::string lock_name() const { return directory_ + "/lock"; }
  void forget_other_boots(int lock_file) const;
  bool is_of_other_boot() const;

  std::string directory_;
  Tell waits_;
};

/// Reads /proc and the control groups. A process that nobody has waited for yet has ended; one
/// whose files are hidden from this user lives, and so does a control group that cannot be seen.
class SystemProcesses final : public Processes {
 public:
  /// `root`: see SystemGroups.
  explicit SystemProcesses(std::string root = {}) : root_(std::move(root)) {}
  bool lives(const PinHolder& holder) const override;

 private:
  std::string root_;
};

/// fork, sched_setaffinity, set_mempolicy, execvp. One command; not for programs with threads: what
/// is held back of signals is so for the calling thread.
class SystemLaunch final : public PinnedLaunch {
 public:
  /// `command` is not empty. One that is `silent` reads nothing, and what it prints is thrown away;
  /// not so its standard error. What ends it is then meant for this process too: SIGHUP, SIGINT or
  /// SIGTERM that came while it ran comes again when this is destroyed.
  explicit SystemLaunch(std::vector<std::string> command, bool silent = false);
  /// Before start(): timers of the command fire when they are due, and not up to 50 us later, as
  /// the kernel has it for everybody (PR_SET_TIMERSLACK); and as long as this is there, no idle CPU
  /// of the machine sleeps so that it would have to wake first (/dev/cpu_dma_latency), where we may
  /// say so.
  void be_punctual();
  ~SystemLaunch() override;
  SystemLaunch(const SystemLaunch&) = delete;
  SystemLaunch& operator=(const SystemLaunch&) = delete;

  /// Why the command could not begin, where that is known before anything is done for it.
  std::optional<NotBegun> look_up() const;
  /// From now on until this is destroyed or cancelled, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1
  /// and SIGUSR2 wait for `wait`, which passes them on; not those that a terminal sent, which the
  /// process has got itself.
  Result<ProcessId> start() override;
  std::optional<NotBegun> begin(const CpuGrant& grant, MemoryMode memory) override;
  int wait() override;
  void cancel() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How much of a machine is read from its files.
enum class CpuFacts : std::uint8_t {
  kAll,
  kPlaces,  ///< the CPUs that are online, with their core, socket and NUMA node, and distances
};

/// The CPUs, caches, NUMA nodes and distances of a machine, read from its files: a fraction of the
/// time that hwloc takes, and no devices. `root` is empty for this machine, else a directory with a
/// recorded tree. Errors: kNotFound, kInvalidInput.
Result<Machine> read_cpus(const std::string& root, CpuFacts facts = CpuFacts::kAll);

/// The CPUs that this thread may use. Errors: kDenied.
Result<CpuSet> usable_cpus();

/// $XDG_RUNTIME_DIR/gedge, or /run/gedge where that is not set.
std::string default_pin_directory(const std::string& runtime_directory);

}  // namespace gedge
