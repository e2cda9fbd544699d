#include "io/process_start.hpp"

#include <signal.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <variant>

#include "gedge/io/system_pins.hpp"
#include "gedge/io/system_targets.hpp"
#include "io/small_file.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;

// The word with this number behind the program's name, which may hold anything.
std::string_view word_of(std::string_view stat, int number) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  stat.remove_prefix(name_end + 1);
  for (int at = 0;; ++at) {
    const std::size_t begin = stat.find_first_not_of(' ');
    if (begin == std::string_view::npos) return {};
    stat.remove_prefix(begin);
    const std::string_view word = stat.substr(0, stat.find(' '));
    if (at == number) return word;
    stat.remove_prefix(word.size());
  }
}

bool number_in(std::string_view word, std::uint64_t& out) {
  return std::from_chars(word.data(), word.data() + word.size(), out).ec == std::errc{};
}

}  // namespace

std::optional<ProcessStat> process_stat(pid_t pid) {
  // proc(5): fields 3, 4, 9, 20, 22
  constexpr int kState = 0, kParent = 1, kFlags = 6, kThreads = 17, kStart = 19;
  constexpr std::uint64_t kKernelThread = 0x0020'0000;  // PF_KTHREAD
  const auto text = read_small_file("/proc/" + std::to_string(pid) + "/stat", kMostBytes);
  if (!text) return std::nullopt;
  ProcessStat stat;
  const std::size_t name = text->find('('), name_end = text->rfind(')');
  if (name != std::string::npos && name_end != std::string::npos && name < name_end)
    stat.name = text->substr(name + 1, name_end - name - 1);
  const std::string_view state = word_of(*text, kState);
  std::uint64_t parent = 0, flags = 0, threads = 0;
  if (!number_in(word_of(*text, kParent), parent) || !number_in(word_of(*text, kFlags), flags) ||
      !number_in(word_of(*text, kThreads), threads) ||
      !number_in(word_of(*text, kStart), stat.start))
    return errno = EPROTO, std::nullopt;
  // The first thread may end before the others do.
  stat.has_ended = state == "X" || (state == "Z" && threads <= 1);
  stat.parent = static_cast<pid_t>(parent);
  stat.is_kernel = (flags & kKernelThread) != 0;
  return stat;
}

std::optional<std::uint64_t> process_start(pid_t pid) {
  const auto stat = process_stat(pid);
  if (!stat) return std::nullopt;
  return stat->has_ended ? 0 : stat->start;
}

bool SystemProcesses::lives(const PinHolder& holder) const {
  if (const auto* const group = std::get_if<GroupId>(&holder))
    return SystemGroups(root_).lives(*group);
  const auto& process = std::get<ProcessId>(holder);
  if (const auto started = process_start(process.pid)) return *started == process.started;
  return ::kill(process.pid, 0) == 0 || errno == EPERM;
}

}  // namespace gedge
