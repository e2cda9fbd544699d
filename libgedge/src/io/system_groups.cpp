#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "gedge/io/system_targets.hpp"
#include "io/descriptor.hpp"
#include "io/small_file.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kMostGroups = 100'000;

Error no_controller() {
  return {Errc::kDenied,
          "this machine has no control groups that keep CPUs",
          {},
          "mount cgroup2 at /sys/fs/cgroup, or pin single processes with `--pid`"};
}

Error no_group(const std::string& path) {
  return {Errc::kNotFound,
          "there is no control group " + path,
          {},
          "/proc/PID/cgroup says in which one a process is"};
}

// The mount begins below the group that is looked for, so nobody in here can say whether it is
// there.
Error out_of_sight(const std::string& path, const std::string& root) {
  return {Errc::kDenied,
          "control group " + path + " cannot be seen in here: only " + root + " and what is in it",
          {},
          "run gedge outside of the container"};
}

std::string above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string why(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return "run gedge as root, or as the user whose control group it is";
    case EROFS:
      return "control groups are read-only in here: run gedge outside of the container";
    case EBUSY:
      return "a group in it, or a task with a deadline, needs the CPUs that would be taken away";
    case EINVAL:
      return "a group beside it may have them for itself: look at its cpuset.cpu_exclusive";
    default:
      return {};
  }
}

enum class OfOthers : std::uint8_t { kSkipped, kAnError };  // what may not be listed

// The directories in `start`, outer ones before inner ones, `start` not among them. Links are not
// followed. One that vanishes meanwhile has nothing in it.
Result<std::vector<std::string>> directories_in(const std::string& start, OfOthers of_others) {
  std::vector<std::string> found, ahead{start};
  while (!ahead.empty()) {
    const std::string directory = std::move(ahead.back());
    ahead.pop_back();
    std::error_code code;
    for (fs::directory_iterator at(directory, code); !code && at != fs::end(at);
         at.increment(code)) {
      std::error_code gone;
      if (at->symlink_status(gone).type() != fs::file_type::directory) continue;
      found.push_back(at->path().string());
      ahead.push_back(found.back());
    }
    if (code == std::errc::permission_denied && of_others == OfOthers::kSkipped) continue;
    if (code && code != std::errc::no_such_file_or_directory)
      return system_error("cannot list", directory, code.value());
    if (found.size() > kMostGroups)
      return Error{Errc::kDenied,
                   "more than " + std::to_string(kMostGroups) + " control groups in " + start,
                   {},
                   "name one further in with `--cgroup`"};
  }
  std::sort(found.begin(), found.end());  // a prefix comes first
  return found;
}

}  // namespace

SystemGroups::SystemGroups(std::string root) : root_(std::move(root)) {
  if (const auto mounts = read_small_file(root_ + "/proc/self/mountinfo", kMostBytes))
    mount_ = cpuset_mount(*mounts);
  std::array<char, 64> link{};
  const std::string name = root_ + "/proc/self/ns/cgroup";
  const ssize_t size = ::readlink(name.c_str(), link.data(), link.size());
  if (size > 0) space_ = group_space({link.data(), static_cast<std::size_t>(size)});
}

Result<std::string> SystemGroups::directory_of(const std::string& path) const {
  if (mount_.version == CgroupVersion::kNone) return no_controller();
  std::string rest = path;
  if (mount_.root != "/") {
    if (!is_group_within(path, mount_.root)) return out_of_sight(path, mount_.root);
    rest.erase(0, mount_.root.size());
  }
  return root_ + mount_.point + (rest == "/" ? std::string() : rest);
}

std::string SystemGroups::file_of(CpusetField field) const {
  if (field == CpusetField::kMems) return "/cpuset.mems";
  if (field == CpusetField::kCpus) return "/cpuset.cpus";
  return mount_.version == CgroupVersion::kV1 ? "/cpuset.effective_cpus" : "/cpuset.cpus.effective";
}

Result<std::string> SystemGroups::of_process(int pid) const {
  if (mount_.version == CgroupVersion::kNone) return no_controller();
  const std::string path = root_ + "/proc/" + std::to_string(pid) + "/cgroup";
  const auto text = read_small_file(path, kMostBytes);
  if (!text) return system_error("cannot open", path, errno);
  auto group = group_in(*text, mount_.version);
  if (!group) return no_group("of process " + std::to_string(pid));
  return *std::move(group);
}

Result<std::string> SystemGroups::of_container(const std::string& id) const {
  const auto top = directory_of(mount_.root);
  if (!top) return top.error();
  const auto directories = directories_in(*top, OfOthers::kSkipped);
  if (!directories) return directories.error();
  std::optional<std::string> found;
  for (const std::string& directory : *directories) {
    const std::string name = fs::path(directory).filename().string();
    if (!is_container_group(name, id)) continue;
    std::string path = (mount_.root == "/" ? "" : mount_.root) + directory.substr(top->size());
    if (found && !path.starts_with(*found + '/'))
      return Error{Errc::kConflict,
                   "several containers begin with " + id + ": " + *found + ", " + path,
                   {},
                   "give more digits of the id"};
    if (!found) found = std::move(path);
  }
  if (found) return *std::move(found);
  return Error{Errc::kNotFound,
               "no control group holds container " + id,
               {},
               "does it run on this machine? name its control group with `--cgroup`"};
}

Result<GroupId> SystemGroups::identify(const std::string& path) const {
  const auto directory = directory_of(path);
  if (!directory) return directory.error();
  struct stat about {};
  if (::lstat(directory->c_str(), &about) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return no_group(path);
    return system_error("cannot look at", *directory, errno);
  }
  if (!S_ISDIR(about.st_mode)) return no_group(path);
  return GroupId{path, static_cast<std::uint64_t>(about.st_ino), space_};
}

bool SystemGroups::lives(const GroupId& group) const {
  if (group.space == space_) {
    const auto known = identify(group.path);
    return known ? *known == group : known.error().code != Errc::kNotFound;
  }
  const bool sees_all = space_ == 0 && mount_.root == "/";
  const auto top = directory_of("/");
  if (!sees_all || !top) return true;
  const auto directories = directories_in(*top, OfOthers::kAnError);
  return !directories ||
         std::any_of(directories->begin(), directories->end(), [&](const std::string& directory) {
           struct stat about {};
           return ::lstat(directory.c_str(), &about) == 0 && about.st_ino == group.number;
         });
}

Result<std::vector<std::string>> SystemGroups::with_inner(const std::string& path) const {
  const auto directory = directory_of(path);
  if (!directory) return directory.error();
  const auto directories = directories_in(*directory, OfOthers::kAnError);
  if (!directories) return directories.error();
  std::vector<std::string> paths{path};
  for (const std::string& inner : *directories)
    paths.push_back(path + inner.substr(directory->size()));
  return paths;
}

Result<CpuSet> SystemGroups::read(const std::string& path, CpusetField field) const {
  const auto directory = directory_of(path);
  if (!directory) return directory.error();
  const std::string file = *directory + file_of(field);
  const auto text = read_small_file(file, kMostBytes);
  if (text) return parse_cpu_set(*text);
  const int reason = errno;
  if (reason != ENOENT) return system_error("cannot read", file, reason);
  if (const auto known = identify(path); !known) return known.error();
  // A group without the controller has what the one above it has.
  if (field == CpusetField::kUsableCpus && path != mount_.root && path != "/")
    return read(above(path), field);
  return Error{Errc::kDenied,
               "control group " + path + " keeps no CPUs: the controller cpuset is not handed " +
                   "down to it",
               {},
               "`echo +cpuset > " + mount_.point + (above(path) == "/" ? "" : above(path)) +
                   "/cgroup.subtree_control`, outer groups first"};
}

Status SystemGroups::write(const std::string& path, CpusetField field, const CpuSet& set) {
  const auto directory = directory_of(path);
  if (!directory) return directory.error();
  const std::string name = *directory + file_of(field), text = to_string(set) + '\n';
  Descriptor file(::open(name.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  ssize_t done = -1;
  if (file) {
    do done = ::write(file.get(), text.data(), text.size());
    while (done < 0 && errno == EINTR);
  }
  if (done == static_cast<ssize_t>(text.size())) return {};
  const int reason = errno;
  if (reason == ENOENT) return no_group(path);
  return Error{Errc::kDenied,
               "cannot write '" + to_string(set) + "' to " + name + ": " + reason_of(reason),
               {},
               why(reason)};
}

}  // namespace gedge
