#include <dirent.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "gedge/io/system_targets.hpp"
#include "gedge/pin/numa_hint.hpp"
#include "gedge/pin/pin_record.hpp"
#include "io/process_start.hpp"
#include "io/small_file.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;
using Words = std::array<Word, (CpuSet::kLast + 1) / kWordBits>;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// A kernel refuses the number of a node that it cannot have. One without NUMA has node 0.
Word nodes_online() {
  constexpr std::size_t kMostBytes = 4096;
  const auto text = read_small_file("/sys/devices/system/node/online", kMostBytes);
  const auto ids = parse_cpu_set(text ? *text : "0");
  Word mask = 0;
  if (ids)
    ids->for_each([&mask](int id) {
      if (id < kNumaIds) mask |= Word{1} << id;
    });
  return mask;
}

Error no_process(int pid) {
  return {Errc::kNotFound,
          "there is no process " + std::to_string(pid),
          {},
          "look for it with `pgrep -a NAME`"};
}

Error no_thread(int thread) {
  return {Errc::kNotFound, "thread " + std::to_string(thread) + " has ended", {}, {}};
}

Error no_right(const std::string& whose) {
  return {Errc::kDenied,
          "no right to pin " + whose,
          {},
          "run gedge as the user whose process it is, or as root"};
}

Error cannot_lower() {
  return {Errc::kDenied,
          "no right to lower nice values again, so nobody's is raised",
          {},
          "run gedge as root of the machine, or without `--nice-others`"};
}

// Names in a directory of /proc that are numbers.
Result<std::vector<int>> numbers_in(const std::string& path) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  const auto is_gone = [] { return errno == ENOENT || errno == ESRCH; };
  if (!directory && is_gone()) return Error{Errc::kNotFound, "there is no " + path, {}, {}};
  if (!directory) return system_error("cannot list", path, errno);
  std::vector<int> numbers;
  errno = 0;
  while (const dirent* const entry = ::readdir(directory.get())) {
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    int number = 0;
    const auto read = std::from_chars(entry->d_name, end, number);
    if (read.ec == std::errc{} && read.ptr == end) numbers.push_back(number);
  }
  if (errno != 0 && !is_gone()) return system_error("cannot list", path, errno);
  return numbers;
}

}  // namespace

Result<ProcessId> SystemThreads::identify(int number) const {
  if (number <= 0) return no_process(number);
  const auto started = process_start(number);
  if (!started && errno != ENOENT && errno != ESRCH)
    return Error{Errc::kDenied,
                 "cannot read /proc of process " + std::to_string(number) + ": " + reason_of(errno),
                 {},
                 "run gedge as the user whose process it is, or as root"};
  if (!started || *started == 0) return no_process(number);
  return ProcessId{number, *started};
}

Result<int> SystemThreads::process_of(int thread) const {
  constexpr std::size_t kMostBytes = 64 << 10;
  constexpr std::string_view kKey = "\nTgid:\t";
  const auto status = read_small_file("/proc/" + std::to_string(thread) + "/status", kMostBytes);
  const std::size_t key = status ? status->find(kKey) : std::string::npos;
  if (key == std::string::npos) return no_process(thread);
  int pid = 0;
  std::from_chars(status->data() + key + kKey.size(), status->data() + status->size(), pid);
  return pid;
}

Result<std::vector<int>> SystemThreads::of_process(int pid) const {
  auto threads = numbers_in("/proc/" + std::to_string(pid) + "/task");
  if (threads ? threads->empty() : threads.error().code == Errc::kNotFound) return no_process(pid);
  return threads;
}

Result<ProcessId> SystemThreads::self() const { return identify(::getpid()); }

// The number that was given last: 0.10 0.20 0.30 2/150 4711
std::optional<std::uint64_t> SystemThreads::births() const {
  constexpr std::size_t kMostBytes = 256;
  const auto text = read_small_file("/proc/loadavg", kMostBytes);
  if (!text) return std::nullopt;
  std::uint64_t last = 0;
  const std::size_t at = text->rfind(' ') + 1;
  const auto read = std::from_chars(text->data() + at, text->data() + text->size(), last);
  return read.ec == std::errc{} ? std::optional(last) : std::nullopt;
}

Result<std::vector<int>> SystemThreads::processes() const {
  auto all = numbers_in("/proc");
  if (all) std::sort(all->begin(), all->end());
  return all;
}

Result<ProcessFacts> SystemThreads::about(int pid) const {
  const auto stat = process_stat(pid);
  if (!stat || stat->has_ended) return no_process(pid);
  return ProcessFacts{{pid, stat->start}, stat->parent, stat->is_kernel, stat->name};
}

// The call itself says how much of a mask there is; the library's function clears all the rest.
Result<CpuSet> SystemThreads::mask(int thread) const {
  Words words;
  const long bytes =
      ::syscall(SYS_sched_getaffinity, thread, sizeof words, static_cast<void*>(words.data()));
  if (bytes < 0 && errno == ESRCH) return no_thread(thread);
  if (bytes < 0)
    return Error{Errc::kDenied,
                 "the kernel does not say where thread " + std::to_string(thread) +
                     " runs: " + reason_of(errno),
                 {},
                 {}};
  CpuSet cpus;
  const std::size_t count = static_cast<std::size_t>(bytes) / sizeof(Word);
  for (std::size_t at = 0; at < count; ++at)
    for (Word left = words[at]; left != 0; left &= left - 1)
      cpus.add(static_cast<int>(at * kWordBits) + std::countr_zero(left));
  return cpus;
}

Status SystemThreads::pin(int thread, const CpuSet& cpus) {
  Words words;
  const std::size_t count = static_cast<std::size_t>(std::max(cpus.last(), 0)) / kWordBits + 1;
  std::fill_n(words.begin(), count, Word{0});
  cpus.for_each([&](int cpu) {
    const auto bit = static_cast<std::size_t>(cpu);
    words[bit / kWordBits] |= Word{1} << bit % kWordBits;
  });
  if (::syscall(SYS_sched_setaffinity, thread, count * sizeof(Word),
                static_cast<const void*>(words.data())) == 0)
    return {};
  if (errno == ESRCH) return no_thread(thread);
  if (errno == EPERM || errno == EACCES) return no_right("thread " + std::to_string(thread));
  return Error{Errc::kConflict,
               "the kernel refuses CPUs " + to_string(cpus) + " for thread " +
                   std::to_string(thread) + ": " + reason_of(errno),
               {},
               "look at the cpuset of its control group; threads of the kernel itself cannot be "
               "pinned"};
}

// Minus one is a nice value as well as an error.
Result<int> SystemThreads::nice(int thread) const {
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
  if (nice != -1 || errno == 0) return nice;
  if (errno == ESRCH) return no_thread(thread);
  return Error{Errc::kDenied,
               "the kernel does not say the nice value of thread " + std::to_string(thread) + ": " +
                   reason_of(errno),
               {},
               {}};
}

Status SystemThreads::set_nice(int thread, int nice) {
  if (::setpriority(PRIO_PROCESS, static_cast<id_t>(thread), nice) == 0) return {};
  if (errno == ESRCH) return no_thread(thread);
  return Error{Errc::kDenied,
               "no right to set the nice value of thread " + std::to_string(thread) + ": " +
                   reason_of(errno),
               {},
               "run gedge as root"};
}

// The kernel is asked, as capabilities within a namespace of users do not count for this: the value
// of this thread changes for a moment, without a limit of its own that others need not have.
Status SystemThreads::may_lower_nice() {
  rlimit limit{};
  const auto now = nice(0);
  if (!now || ::getrlimit(RLIMIT_NICE, &limit) != 0) return cannot_lower();
  const rlimit none{0, limit.rlim_max};
  static_cast<void>(::setrlimit(RLIMIT_NICE, &none));
  const int other = *now == kLeastNice ? *now + 1 : *now - 1;
  const bool may =
      ::setpriority(PRIO_PROCESS, 0, other) == 0 && ::setpriority(PRIO_PROCESS, 0, *now) == 0;
  static_cast<void>(::setrlimit(RLIMIT_NICE, &limit));
  return may ? Status() : Status(cannot_lower());
}

Status SystemThreads::move_memory(int pid, const std::vector<int>& nodes) {
  Word to = 0;
  for (const int node : nodes)
    if (node >= 0 && node < kNumaIds) to |= Word{1} << node;
  const Word from = nodes_online();
  // The kernel counts one bit less than it is told.
  if (::syscall(SYS_migrate_pages, pid, kWordBits + 1, &from, &to) >= 0) return {};
  if (errno == ESRCH) return no_process(pid);
  if (errno == EPERM) return no_right("the memory of process " + std::to_string(pid));
  return Error{Errc::kDenied,
               "the kernel does not move the memory of process " + std::to_string(pid) + ": " +
                   reason_of(errno),
               {},
               "apply without `--memory`"};
}

}  // namespace gedge
