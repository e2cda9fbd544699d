// gedge/pin/control_group.hpp - control groups as text and sets: which one is meant, and in what
// order the CPUs of several may change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/cpu_set.hpp"

namespace gedge {

enum class CgroupVersion : std::uint8_t { kNone, kV1, kV2 };

/// Where the control groups that keep CPUs are to be found.
struct CgroupMount {
  CgroupVersion version = CgroupVersion::kNone;
  std::string point;  ///< directory: "/sys/fs/cgroup/cpuset"
  std::string root;   ///< the group that lies there; "/" but for some containers
  friend bool operator==(const CgroupMount&, const CgroupMount&) = default;
};

/// A control group: paths are used again, a path and a number are not.
struct GroupId {
  std::string path;          ///< "/docker/4f5a"
  std::uint64_t number = 0;  ///< of its directory
  /// Of the namespace of control groups that the path is of, as containers may have one of their
  /// own; 0: that of the machine. Paths of two namespaces say nothing of each other.
  std::uint64_t space = 0;
  friend bool operator==(const GroupId&, const GroupId&) = default;
};

/// Reads /proc/PID/mountinfo: the hierarchy of version 1 with the controller cpuset, else that of
/// version 2. Version kNone where there is neither.
CgroupMount cpuset_mount(std::string_view mountinfo);

/// Reads /proc/PID/cgroup. Nothing where the process is in no group of that version.
std::optional<std::string> group_in(std::string_view memberships, CgroupVersion version);

/// Reads what /proc/PID/ns/cgroup points to, "cgroup:[4026532281]", to the number of GroupId. 0
/// too for what is no such text, as kernels without such namespaces have none.
std::uint64_t group_space(std::string_view link);

/// Is it that group, or one in it? Paths as in /proc/PID/cgroup; in "/" are all.
bool is_group_within(std::string_view path, std::string_view outer);

/// A group as people name it, a path as in /proc/PID/cgroup or below the mount point, to the
/// former. Errors: kInvalidInput for a path that leaves the hierarchy, and for its root.
Result<std::string> group_path(std::string_view typed, const CgroupMount& mount);

/// "containerd://4f5a..." and "4f5a..." to the id alone. Errors: kInvalidInput for what is not 12
/// to 64 hexadecimal digits.
Result<std::string> container_id(std::string_view typed);

/// Does a group of this name, the last part of its path, hold the container of this id, or of an id
/// that begins so? Docker, containerd, CRI-O and podman, with either driver of control groups.
bool is_container_group(std::string_view name, std::string_view id);

/// What one group has, and is to have.
struct CpusetChange {
  std::string path;
  CpuSet from, to;
};
struct CpusetStep {
  std::string path;
  CpuSet value;
  friend bool operator==(const CpusetStep&, const CpusetStep&) = default;
};

/// A group of version 1 may not have less than the groups in it at any time: each is widened first,
/// outer ones before inner ones, then narrowed the other way round. `changes` has outer ones before
/// inner ones. Groups that have nothing and those that stay as they are take no step.
std::vector<CpusetStep> cpuset_steps(std::span<const CpusetChange> changes);

}  // namespace gedge
