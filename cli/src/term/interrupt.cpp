#include "term/interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "gedge/io/ending_signals.hpp"

namespace gedge::cli {
namespace {

constexpr int kInterruptedCode = 130;  // 128 + SIGINT, as shells report it

// A signal handler can ask nobody, and another thread draws the progress line.
std::atomic<bool> progress_visible{false}, is_ending{false};
std::atomic<bool> may_stop{false}, asked_to_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void say(std::string_view bytes) {
  if (::write(STDERR_FILENO, bytes.data(), bytes.size()) < 0) return;  // nobody is left to tell
}

// The terminal shows ^C; whoever erases the progress line erases that too.
void ask_to_stop() {
  const int before = errno;
  asked_to_stop = true;
  if (!progress_visible) say("\n");
  errno = before;
}

extern "C" void end_interrupted(int) {
  if (may_stop.exchange(false)) return ask_to_stop();
  is_ending = true;
  say(progress_visible ? "\r\x1b[K\n" : "\n");
  ::_exit(kInterruptedCode);
}

}  // namespace

void handle_signals() {
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = end_interrupted;
  action.sa_flags = SA_RESTART;  // whoever is asked to stop writes what it has to say
  ::sigaction(SIGINT, &action, nullptr);
}

bool set_progress_visible(bool visible) {
  progress_visible = visible;
  return !is_ending;
}

StoppableScope::StoppableScope() {
  asked_to_stop = false;
  may_stop = true;
}

StoppableScope::~StoppableScope() { may_stop = false; }

const std::atomic<bool>& StoppableScope::asked() const { return asked_to_stop; }

UninterruptedScope::UninterruptedScope() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : ending_signals()) ::sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

UninterruptedScope::~UninterruptedScope() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace gedge::cli
