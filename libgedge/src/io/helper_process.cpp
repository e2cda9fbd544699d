#include "io/helper_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "io/system_error.hpp"

namespace gedge {
namespace {

// Where to find themselves, their settings and a network; what clouds' programs are told by.
constexpr std::array<std::string_view, 19> kPassed{"HOME",
                                                   "LANG",
                                                   "LC_ALL",
                                                   "LOGNAME",
                                                   "PATH",
                                                   "TMPDIR",
                                                   "TZ",
                                                   "USER",
                                                   "KUBECONFIG",
                                                   "XDG_CACHE_HOME",
                                                   "XDG_CONFIG_HOME",
                                                   "http_proxy",
                                                   "https_proxy",
                                                   "no_proxy",
                                                   "HTTP_PROXY",
                                                   "HTTPS_PROXY",
                                                   "NO_PROXY",
                                                   "SSL_CERT_DIR",
                                                   "SSL_CERT_FILE"};
constexpr std::array<std::string_view, 4> kPassedPrefixes{"AWS_", "AZURE_", "CLOUDSDK_", "GOOGLE_"};

bool is_passed(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return std::find(kPassed.begin(), kPassed.end(), name) != kPassed.end() ||
         std::any_of(kPassedPrefixes.begin(), kPassedPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// NAME=VALUE each; wiped when it goes, as some may be secrets.
class Variables {
 public:
  Variables(const CredentialHelper& helper, const std::string& info) {
    for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable)
      if (is_passed(*variable)) put(*variable);
    for (const auto& [name, value] : helper.environment) put(name + '=' + value.reveal());
    put("KUBERNETES_EXEC_INFO=" + info);
  }
  ~Variables() {
    for (std::string& text : texts_) ::explicit_bzero(text.data(), text.size());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  std::vector<char*> pointers() {
    std::vector<char*> all;
    for (std::string& text : texts_) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

 private:
  // The last one of a name counts.
  void put(std::string text) {
    const std::string_view name(text.data(), text.find('=') + 1);
    const auto same = std::find_if(texts_.begin(), texts_.end(), [&](const std::string& known) {
      return known.starts_with(name);
    });
    if (same != texts_.end())
      *same = std::move(text);
    else
      texts_.push_back(std::move(text));
  }

  std::vector<std::string> texts_;
};

/// posix_spawn() as it is wanted here; its objects are freed. Asio's sockets are not closed by
/// exec: whatever the program leaves behind would hold the port that a daemon listens on.
class Spawn {
 public:
  explicit Spawn(int output) {
    constexpr short kFlags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, kFlags);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  /// The number of the system's error.
  int run(pid_t& process, const CredentialHelper& helper, char* const* variables) const {
    std::vector<char*> arguments{const_cast<char*>(helper.command.c_str())};
    for (const std::string& argument : helper.arguments)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    return ::posix_spawnp(&process, helper.command.c_str(), &actions_, &attributes_,
                          arguments.data(), variables);
  }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

Error failed(const std::string& name, const std::string& what, std::string hint = {}) {
  return {
      Errc::kDenied, "the program " + name + " that says who you are " + what, {}, std::move(hint)};
}

}  // namespace

Result<std::unique_ptr<HelperProcess>> HelperProcess::start(const CredentialHelper& helper,
                                                            const std::string& info, Nanos deadline,
                                                            int epoll, std::uint32_t mark) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return failed(helper.command, "cannot be started: " + reason_of(errno));
  std::unique_ptr<HelperProcess> process(new HelperProcess(helper.command, deadline, ends[0]));
  const Descriptor input(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Variables variables(helper, info);
  const int error = Spawn(input.get()).run(process->process_, helper, variables.pointers().data());
  if (error != 0) {
    process->process_ = -1;
    return failed(helper.command, "cannot be started: " + reason_of(error), helper.install_hint);
  }
  GEDGE_TRY(process->watch(epoll, mark));
  return process;
}

Status HelperProcess::watch(int epoll, std::uint32_t mark) {
  exit_.reset(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  for (const int descriptor : {exit_.get(), output_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = std::uint64_t{mark} << 32 | static_cast<std::uint32_t>(descriptor);
    if (descriptor < 0 || ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
      return failed(name_, "cannot be waited for: " + reason_of(errno));
  }
  return {};
}

HelperProcess::~HelperProcess() {
  end();
  ::explicit_bzero(bytes_.data(), bytes_.size());
}

// False where it wrote more than it may. Its end of the pipe may stay open for ever: whoever it
// started may hold it.
bool HelperProcess::read_output() {
  std::array<char, 16'384> buffer;
  while (output_ && bytes_.size() <= kMostBytes) {
    const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
    if (count > 0) {
      bytes_.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      output_.close();  // it would be readable for ever
    } else if (errno == EAGAIN) {
      break;
    }
  }
  ::explicit_bzero(buffer.data(), buffer.size());
  return bytes_.size() <= kMostBytes;
}

std::optional<int> HelperProcess::exit_status() const {
  siginfo_t about{};
  // It stays a zombie, so that nobody else gets the number of its group before all are killed.
  if (::waitid(P_PID, static_cast<id_t>(process_), &about, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == EINTR ? std::nullopt : std::optional(-1);
  if (about.si_pid == 0) return std::nullopt;
  return about.si_code == CLD_EXITED ? about.si_status : -1;
}

void HelperProcess::end() {
  if (process_ < 0) return;
  ::kill(-process_, SIGKILL);
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
}

std::optional<Result<Secret>> HelperProcess::look(Nanos now) {
  const std::optional<int> status = exit_status();
  std::optional<Result<Secret>> outcome;
  if (!read_output()) {
    outcome = failed(name_, "wrote more than " + std::to_string(kMostBytes) + " bytes");
  } else if (status && *status == 0) {
    outcome = Secret(std::move(bytes_));
  } else if (status) {
    outcome =
        failed(name_, *status > 0 ? "failed with status " + std::to_string(*status) : "was killed",
               "run it yourself to see what it says");
  } else if (now >= deadline_) {
    Error late = failed(name_, "did not end in time", "run it yourself to see what it waits for");
    late.code = Errc::kTimeout;
    outcome = std::move(late);
  }
  if (outcome) end();
  return outcome;
}

}  // namespace gedge
