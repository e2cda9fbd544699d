#include "io/trial.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace gedge {
namespace {

ssize_t again(ssize_t (*call)(int, char*), int descriptor, char* byte) {
  ssize_t done = -1;
  do done = call(descriptor, byte);
  while (done < 0 && errno == EINTR);
  return done;
}

// Says so where `act` came to its end. Nothing of the parent is run on the way out.
[[noreturn]] void be_tried(const std::function<void()>& act, unsigned seconds, int done) {
  const rlimit none{0, 0}, time{seconds, seconds + 1};  // SIGXCPU, and SIGKILL a second later
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_CPU, &time);
  for (const int signal : {SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::signal(signal, SIG_DFL);
  act();
  char byte = 1;
  again([](int to, char* at) { return ::write(to, at, 1); }, done, &byte);
  for (;;) ::raise(SIGKILL);
}

}  // namespace

TrialEnd try_apart(const std::function<void()>& act, unsigned seconds) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return TrialEnd::kDone;
  const pid_t child = ::fork();
  if (child == 0) be_tried(act, seconds, ends[1]);
  ::close(ends[1]);
  char byte = 0;
  const bool done = child < 0 || again([](int from, char* at) { return ::read(from, at, 1); },
                                       ends[0], &byte) == 1;
  ::close(ends[0]);
  int status = 0;
  if (child > 0)
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  if (done) return TrialEnd::kDone;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? TrialEnd::kSlow : TrialEnd::kDied;
}

}  // namespace gedge
