#include "gedge/pin/control_group.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gedge {
namespace {

// The first line or word, which is taken away.
std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = text.find(at);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

bool lists(std::string_view words, std::string_view wanted) {
  while (!words.empty())
    if (cut(words, ',') == wanted) return true;
  return false;
}

// The kernel writes blanks and the like as three octal digits.
std::string unescaped(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view digits = text.substr(at + 1, kDigits);
    const bool is_octal =
        text[at] == '\\' && digits.size() == kDigits &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '7'; });
    if (!is_octal) {
      plain += text[at];
      continue;
    }
    plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
    at += kDigits;
  }
  return plain;
}

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

}  // namespace

bool is_group_within(std::string_view path, std::string_view outer) {
  if (outer == "/") return path.starts_with('/');
  return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '/');
}

CgroupMount cpuset_mount(std::string_view mountinfo) {
  // 31 23 0:26 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset
  constexpr int kBefore = 3;  // numbers and the device
  constexpr std::string_view kBehind = " - ";
  CgroupMount second;
  while (!mountinfo.empty()) {
    std::string_view line = cut(mountinfo, '\n');
    const std::size_t behind = line.find(kBehind);
    if (behind == std::string_view::npos) continue;
    std::string_view about = line.substr(behind + kBehind.size());
    for (int i = 0; i < kBefore; ++i) cut(line, ' ');
    CgroupMount mount{CgroupVersion::kNone, {}, unescaped(cut(line, ' '))};
    mount.point = unescaped(cut(line, ' '));
    const std::string_view type = cut(about, ' ');
    cut(about, ' ');
    if (type == "cgroup" && lists(about, "cpuset")) {
      mount.version = CgroupVersion::kV1;
      return mount;
    }
    if (type != "cgroup2" || second.version != CgroupVersion::kNone) continue;
    second = std::move(mount);
    second.version = CgroupVersion::kV2;
  }
  return second;
}

std::optional<std::string> group_in(std::string_view memberships, CgroupVersion version) {
  while (!memberships.empty()) {
    std::string_view line = cut(memberships, '\n');  // 3:cpuset:/a, 0::/b
    const std::string_view number = cut(line, ':'), controllers = cut(line, ':');
    const bool is_it = version == CgroupVersion::kV1 ? lists(controllers, "cpuset")
                                                     : number == "0" && controllers.empty();
    if (is_it && line.starts_with('/')) return std::string(line);
  }
  return std::nullopt;
}

std::uint64_t group_space(std::string_view link) {
  constexpr std::string_view kBefore = "cgroup:[";
  constexpr std::uint64_t kOfMachine = 0xEFFF'FFFB;  // PROC_CGROUP_INIT_INO
  std::uint64_t number = 0;
  if (!link.starts_with(kBefore)) return 0;
  link.remove_prefix(kBefore.size());
  std::from_chars(link.data(), link.data() + link.size(), number);
  return number == kOfMachine ? 0 : number;
}

Result<std::string> group_path(std::string_view typed, const CgroupMount& mount) {
  std::string_view rest = typed;
  if (!mount.point.empty() && is_group_within(rest, mount.point))
    rest.remove_prefix(mount.point.size());
  std::string path;
  while (!rest.empty()) {
    const std::string_view part = cut(rest, '/');
    if (part.empty() || part == ".") continue;
    if (part == ".." || part.find('\0') != std::string_view::npos)
      return invalid_input("'" + std::string(typed) + "' is no path of a control group", {},
                           "write it as in /proc/PID/cgroup, without `..`");
    path += '/';
    path += part;
  }
  if (path.empty())
    return invalid_input("the root of all control groups cannot be pinned", {},
                         "name a group below it, as in /proc/PID/cgroup");
  return path;
}

Result<std::string> container_id(std::string_view typed) {
  constexpr std::size_t kLeast = 12, kMost = 64;
  constexpr std::string_view kBehind = "://";
  std::string_view id = typed;
  if (const std::size_t at = id.find(kBehind); at != std::string_view::npos)
    id.remove_prefix(at + kBehind.size());
  if (id.size() < kLeast || id.size() > kMost || !is_hexadecimal(id))
    return invalid_input("'" + std::string(typed) + "' is no id of a container", {},
                         "give 12 to 64 hexadecimal digits, as in `docker ps --no-trunc` or "
                         "`crictl ps`, or name its control group with `--cgroup`");
  std::string lower(id);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

bool is_container_group(std::string_view name, std::string_view id) {
  constexpr std::array<std::string_view, 5> kPrefixes{"docker-", "cri-containerd-", "crio-",
                                                      "libpod-", "nerdctl-"};
  constexpr std::string_view kUnit = ".scope";
  for (const std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      if (name.ends_with(kUnit)) name.remove_suffix(kUnit.size());
      break;
    }
  return name.starts_with(id) && is_hexadecimal(name);
}

std::vector<CpusetStep> cpuset_steps(std::span<const CpusetChange> changes) {
  std::vector<CpusetStep> steps;
  const auto moves = [](const CpusetChange& change) {
    return !change.from.empty() && change.from != change.to;
  };
  for (const CpusetChange& change : changes)
    if (moves(change) && !change.to.is_subset_of(change.from))
      steps.push_back({change.path, change.from | change.to});
  for (auto change = changes.rbegin(); change != changes.rend(); ++change)
    if (moves(*change) && !change->from.is_subset_of(change->to))
      steps.push_back({change->path, change->to});
  return steps;
}

}  // namespace gedge
