// gedge/port/pin_targets.hpp - threads and control groups that are there already, as interfaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/control_group.hpp"
#include "gedge/pin/pin_ledger.hpp"

namespace gedge {

/// What /proc says of a process.
struct ProcessFacts {
  ProcessId process;
  int parent = 0;
  bool is_kernel = false;  ///< threads of the kernel itself
  std::string name;
};

class Threads {
 public:
  virtual ~Threads() = default;

  /// The process that asks. Errors: kDenied where /proc does not say.
  virtual Result<ProcessId> self() const = 0;
  /// Changes whenever a thread begins anywhere on the machine. Nothing where that is not said.
  virtual std::optional<std::uint64_t> births() const = 0;
  /// Those that this user may see, ascending. Errors: kDenied.
  virtual Result<std::vector<int>> processes() const = 0;
  /// Errors: kNotFound, kDenied.
  virtual Result<ProcessFacts> about(int pid) const = 0;

  /// A process or thread by its number. Errors: kNotFound where there is none, or it has ended.
  virtual Result<ProcessId> identify(int number) const = 0;
  /// The process that a thread is one of; its first thread has the same number. Errors: kNotFound.
  virtual Result<int> process_of(int thread) const = 0;
  /// The threads of a process, its first one too. Errors: kNotFound, kDenied.
  virtual Result<std::vector<int>> of_process(int pid) const = 0;
  /// Where a thread may run, of the CPUs that are online. Errors: kNotFound, kDenied.
  virtual Result<CpuSet> mask(int thread) const = 0;
  /// Errors: kNotFound; kDenied without the right; kConflict where the kernel does not let this
  /// thread, or not on these CPUs. It may give less than this: `mask` says.
  virtual Status pin(int thread, const CpuSet& cpus) = 0;
  /// Errors: kNotFound, kDenied.
  virtual Result<int> nice(int thread) const = 0;
  /// Errors: kNotFound; kDenied without the right.
  virtual Status set_nice(int thread, int nice) = 0;
  /// May nice values of others be lowered again once they were raised? Errors: kDenied.
  virtual Status may_lower_nice() = 0;
  /// Moves what a process has in memory to these NUMA nodes. Errors: kNotFound, kDenied.
  virtual Status move_memory(int pid, const std::vector<int>& nodes) = 0;
};

enum class CpusetField : std::uint8_t {
  kCpus,
  kMems,
  kUsableCpus,  ///< what the kernel makes of kCpus here and in the groups above
};

/// The control groups of a machine that keep CPUs. Paths as in /proc/PID/cgroup. Every error of a
/// machine without them is kDenied and says so.
class ControlGroups {
 public:
  virtual ~ControlGroups() = default;

  virtual const CgroupMount& mount() const = 0;
  /// Errors: kNotFound.
  virtual Result<std::string> of_process(int pid) const = 0;
  /// By an id of 12 hexadecimal digits or more. Errors: kNotFound; kConflict where several begin
  /// so; kDenied where groups cannot be listed.
  virtual Result<std::string> of_container(const std::string& id) const = 0;
  /// Errors: kNotFound where there is none; kDenied where that cannot be seen.
  virtual Result<GroupId> identify(const std::string& path) const = 0;
  /// It and all groups in it, outer ones first. Errors: kNotFound, kDenied.
  virtual Result<std::vector<std::string>> with_inner(const std::string& path) const = 0;
  /// Errors: kNotFound, kDenied, kInvalidInput.
  virtual Result<CpuSet> read(const std::string& path, CpusetField field) const = 0;
  /// Errors: kNotFound, kDenied.
  virtual Status write(const std::string& path, CpusetField field, const CpuSet& set) = 0;
};

}  // namespace gedge
