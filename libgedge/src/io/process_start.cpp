#include "io/process_start.hpp"

#include <signal.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include "gedge/io/system_pins.hpp"
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

}  // namespace

std::optional<std::uint64_t> process_start(pid_t pid) {
  constexpr int kState = 0, kStart = 19;  // proc(5): fields 3 and 22
  const auto stat = read_small_file("/proc/" + std::to_string(pid) + "/stat", kMostBytes);
  if (!stat) return std::nullopt;
  const std::string_view state = word_of(*stat, kState), start = word_of(*stat, kStart);
  if (state == "Z" || state == "X") return 0;
  std::uint64_t ticks = 0;
  const auto read = std::from_chars(start.data(), start.data() + start.size(), ticks);
  if (read.ec != std::errc{}) return errno = EPROTO, std::nullopt;
  return ticks;
}

bool SystemProcesses::lives(const ProcessId& process) const {
  if (const auto started = process_start(process.pid)) return *started == process.started;
  return ::kill(process.pid, 0) == 0 || errno == EPERM;
}

}  // namespace gedge
