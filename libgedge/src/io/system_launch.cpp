#include <fcntl.h>
#include <linux/mempolicy.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "gedge/io/ending_signals.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/pin/numa_hint.hpp"
#include "io/cpu_mask.hpp"
#include "io/descriptor.hpp"
#include "io/process_start.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr int kNotFoundStatus = 127, kNotRunStatus = 126, kSignalStatus = 128;
constexpr int kLostStatus = 255;
constexpr std::array kPassedOn{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

// What the process is told before it becomes the command.
struct Order {
  MemoryMode memory = MemoryMode::kDefault;
  std::uint64_t nodes = 0;
};

// What it says where it cannot.
enum class Step : int { kMemory, kCommand };
struct Report {
  Step step = Step::kCommand;
  int error = 0;
};

struct Pipe {
  Descriptor out, in;
  static std::optional<Pipe> open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

// A short value through a pipe: it arrives whole.
template <typename T>
bool receive(int from, T& value) {
  ssize_t got = -1;
  do got = ::read(from, &value, sizeof value);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof value);
}
template <typename T>
bool send(int to, const T& value) {
  ssize_t put = -1;
  do put = ::write(to, &value, sizeof value);
  while (put < 0 && errno == EINTR);
  return put == static_cast<ssize_t>(sizeof value);
}

// Nothing of the parent is run on the way out.
[[noreturn]] void end_here() {
  for (;;) ::raise(SIGKILL);
}

void be_silent() {
  const int nothing = ::open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

bool set_policy(int mode, std::uint64_t nodes) {
  // The kernel counts one bit less than it is told.
  const unsigned long mask = nodes;
  return ::syscall(SYS_set_mempolicy, mode, &mask, sizeof mask * 8 + 1) == 0;
}

bool apply_memory(const Order& order) {
  switch (order.memory) {
    case MemoryMode::kDefault:
      return true;
    case MemoryMode::kBind:
      return set_policy(MPOL_BIND, order.nodes);
    case MemoryMode::kInterleave:
      return set_policy(MPOL_INTERLEAVE, order.nodes);
    case MemoryMode::kPreferred:
      break;
  }
  const std::uint64_t lowest = order.nodes & (~order.nodes + 1);
  constexpr int kPreferredMany = 5;  // MPOL_PREFERRED_MANY: Linux 5.15
  return (order.nodes != lowest && set_policy(kPreferredMany, order.nodes)) ||
         set_policy(MPOL_PREFERRED, lowest);
}

std::uint64_t mask_of(const std::vector<int>& nodes) {
  std::uint64_t mask = 0;
  for (const int node : nodes)
    if (node >= 0 && node < kNumaIds) mask |= std::uint64_t{1} << node;
  return mask;
}

NotBegun why_not(const Report& report, const std::string& command) {
  if (report.step == Step::kMemory)
    return {0,
            {Errc::kDenied,
             "the kernel refuses the memory policy: " + reason_of(report.error),
             {},
             "run without `--memory`"}};
  if (report.error == ENOENT || report.error == ENOTDIR)
    return {kNotFoundStatus,
            {Errc::kNotFound,
             "cannot find command '" + command + "'",
             {},
             "give its path, or put its directory into PATH"}};
  Error error{Errc::kDenied, "cannot run '" + command + "': " + reason_of(report.error), {}, {}};
  if (report.error == EACCES) error.hint = "make it executable with `chmod +x`";
  return {kNotRunStatus, std::move(error)};
}

}  // namespace

struct SystemLaunch::State {
  std::vector<std::string> command;
  bool silent = false, punctual = false;
  pid_t pid = 0;  // 0: none, or waited for
  Descriptor orders{-1}, reports{-1}, awake{-1};
  bool holds_signals = false;
  int ended_by = 0;  // one of ending_signals that came; 0: none
  sigset_t waited{}, mask_before{};
  struct sigaction child_before {};

  void hold_signals() {
    ::sigemptyset(&waited);
    for (const int signal : kPassedOn) ::sigaddset(&waited, signal);
    ::sigaddset(&waited, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &waited, &mask_before);
    struct sigaction plain {};
    ::sigemptyset(&plain.sa_mask);
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, &child_before);
    holds_signals = true;
  }

  // As this process found them, so that the command does; its own handlers are not for the command.
  void give_signals_back() {
    ::sigaction(SIGCHLD, &child_before, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
    holds_signals = false;
  }

  [[noreturn]] void become_command(int from, int to) {
    Order order;
    if (!receive(from, order)) end_here();  // nobody waits any more
    Report report;
    if (!apply_memory(order)) {
      report = {Step::kMemory, errno};
    } else {
      std::vector<char*> words;
      for (std::string& word : command) words.push_back(word.data());
      words.push_back(nullptr);
      struct sigaction plain {};
      ::sigemptyset(&plain.sa_mask);
      plain.sa_handler = SIG_DFL;
      struct sigaction interrupt {};
      ::sigaction(SIGINT, nullptr, &interrupt);
      if (interrupt.sa_handler != SIG_IGN) ::sigaction(SIGINT, &plain, nullptr);
      give_signals_back();
      if (silent) be_silent();
      if (punctual) ::prctl(PR_SET_TIMERSLACK, 1UL);
      ::execvp(words.front(), words.data());
      report.error = errno;
    }
    static_cast<void>(send(to, report));
    end_here();
  }

  void note(int signal) {
    if (std::ranges::count(ending_signals(), signal) != 0) ended_by = signal;
  }

  // What came as the command ended was meant for it, and not for what is done after that.
  void take_the_rest() {
    constexpr timespec kAtOnce{};
    for (int signal = 0; (signal = ::sigtimedwait(&waited, nullptr, &kAtOnce)) > 0;) note(signal);
  }

  // The process waits for its orders, and ends without them.
  void withdraw() {
    orders.close();
    if (pid > 0) collect(0);
  }

  // The status of waitpid; -1 where `flags` say not to wait. Of one that somebody else has waited
  // for nobody knows how it ended: not well, then.
  int collect(int flags) {
    int status = 0;
    pid_t done = -1;
    do done = ::waitpid(pid, &status, flags);
    while (done < 0 && errno == EINTR);
    if (done == 0) return -1;
    pid = 0;
    return done > 0 ? status : W_EXITCODE(kLostStatus, 0);
  }
};

SystemLaunch::SystemLaunch(std::vector<std::string> command, bool silent)
    : state_(std::make_unique<State>()) {
  state_->command = std::move(command);
  state_->silent = silent;
}

// The kernel forgets the wish when the descriptor is closed, however that comes.
void SystemLaunch::be_punctual() {
  constexpr std::int32_t kMostMicros = 0;
  state_->punctual = true;
  state_->awake.reset(::open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
  const int device = state_->awake.get();
  if (device >= 0 && ::write(device, &kMostMicros, sizeof kMostMicros) != sizeof kMostMicros)
    state_->awake.close();
}

SystemLaunch::~SystemLaunch() {
  if (state_->pid > 0 && state_->orders) state_->withdraw();
  if (state_->holds_signals) state_->give_signals_back();
  if (state_->silent && state_->ended_by != 0) ::raise(state_->ended_by);
}

// As execvp does: a path as it is, a name in each directory of PATH.
std::optional<NotBegun> SystemLaunch::look_up() const {
  const std::string& name = state_->command.front();
  const char* const listed = std::getenv("PATH");
  std::string_view left = listed != nullptr ? listed : "/bin:/usr/bin";
  const bool is_path = name.find('/') != std::string::npos;
  Report report{Step::kCommand, ENOENT};
  for (bool more = !name.empty(); more;) {
    const std::size_t end = left.find(':');
    const std::string directory = is_path ? "" : std::string(left.substr(0, end)) + '/';
    const std::string path = directory == "/" ? name : directory + name;
    struct stat about {};
    const bool is_there = ::stat(path.c_str(), &about) == 0;
    if (is_there && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0)
      return std::nullopt;
    if (is_there || errno == EACCES) report.error = EACCES;
    more = !is_path && end != std::string_view::npos;
    if (more) left.remove_prefix(end + 1);
  }
  return why_not(report, name);
}

Result<ProcessId> SystemLaunch::start() {
  auto orders = Pipe::open();
  auto reports = Pipe::open();
  if (!orders || !reports)
    return Error{Errc::kDenied, "cannot open a pipe: " + reason_of(errno), {}, {}};
  state_->hold_signals();
  const pid_t pid = ::fork();
  if (pid < 0) return Error{Errc::kDenied, "cannot fork: " + reason_of(errno), {}, {}};
  if (pid == 0) {
    orders->in.close();  // the end of the parent is the end of the pipe
    state_->become_command(orders->out.get(), reports->in.get());
  }
  state_->pid = pid;
  state_->orders.reset(orders->in.release());
  state_->reports.reset(reports->out.release());
  const auto started = process_start(pid);
  if (started) return ProcessId{pid, *started};
  const int reason = errno;
  state_->withdraw();
  return Error{Errc::kDenied, "cannot read /proc: " + reason_of(reason), {}, {}};
}

std::optional<NotBegun> SystemLaunch::begin(const CpuGrant& grant, MemoryMode memory) {
  const CpuMask wanted(grant.cpus);
  CpuMask got;
  if (!wanted.apply(state_->pid) || !got.get(state_->pid) || got != wanted) {
    const std::string reason =
        got == CpuMask() ? reason_of(errno) : "it allows " + to_string(got.set());
    state_->withdraw();
    return NotBegun{0,
                    {Errc::kDenied,
                     "the kernel refuses CPUs " + to_string(grant.cpus) + ": " + reason,
                     {},
                     "look at the cpuset of this control group"}};
  }
  const bool sent = send(state_->orders.get(), Order{memory, mask_of(grant.nodes)});
  state_->orders.close();
  Report report{Step::kCommand, ESRCH};
  if (sent && !receive(state_->reports.get(), report)) return std::nullopt;
  state_->collect(0);
  return why_not(report, state_->command.front());
}

int SystemLaunch::wait() {
  int status = state_->collect(WNOHANG);
  while (status < 0) {
    siginfo_t about{};
    const int signal = ::sigwaitinfo(&state_->waited, &about);
    state_->note(signal);
    if (signal > 0 && signal != SIGCHLD && about.si_code != SI_KERNEL) ::kill(state_->pid, signal);
    status = state_->collect(WNOHANG);
  }
  state_->take_the_rest();
  return WIFSIGNALED(status) ? kSignalStatus + WTERMSIG(status) : WEXITSTATUS(status);
}

void SystemLaunch::cancel() {
  state_->withdraw();
  if (state_->holds_signals) state_->give_signals_back();
}

}  // namespace gedge
