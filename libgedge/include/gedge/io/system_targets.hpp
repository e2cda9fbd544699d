// gedge/io/system_targets.hpp - threads and control groups of this machine: /proc, system calls,
// and the file systems of control groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gedge/port/pin_targets.hpp"

namespace gedge {

class SystemThreads final : public Threads {
 public:
  Result<ProcessId> self() const override;
  std::optional<std::uint64_t> births() const override;
  Result<std::vector<int>> processes() const override;
  Result<ProcessFacts> about(int pid) const override;
  Result<ProcessId> identify(int number) const override;
  Result<int> process_of(int thread) const override;
  Result<std::vector<int>> of_process(int pid) const override;
  Result<CpuSet> mask(int thread) const override;
  Status pin(int thread, const CpuSet& cpus) override;
  Result<int> nice(int thread) const override;
  Status set_nice(int thread, int nice) override;
  Status may_lower_nice() override;
  Status move_memory(int pid, const std::vector<int>& nodes) override;
};

/// Both versions of control groups.
class SystemGroups final : public ControlGroups {
 public:
  /// `root` is empty for this machine, else a directory with a recorded tree: its
  /// proc/self/mountinfo says where in it the control groups lie.
  explicit SystemGroups(std::string root);

  const CgroupMount& mount() const override { return mount_; }
  Result<std::string> of_process(int pid) const override;
  Result<std::string> of_container(const std::string& id) const override;
  Result<GroupId> identify(const std::string& path) const override;
  Result<std::vector<std::string>> with_inner(const std::string& path) const override;
  Result<CpuSet> read(const std::string& path, CpusetField field) const override;
  Status write(const std::string& path, CpusetField field, const CpuSet& set) override;

  /// Is it there? In doubt true: a group of another namespace has another path here, if it can be
  /// seen at all. In the machine's own it is looked for by its number alone.
  bool lives(const GroupId& group) const;

 private:
  Result<std::string> directory_of(const std::string& path) const;
  std::string file_of(CpusetField field) const;

  std::string root_;
  CgroupMount mount_;
  std::uint64_t space_ = 0;
};

}  // namespace gedge
