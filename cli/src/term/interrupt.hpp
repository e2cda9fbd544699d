// term/interrupt.hpp - Ctrl-C ends the program with a newline and 130, except while a file is being
// replaced, and where there is something to tell first.
#pragma once

#include <signal.h>

#include <atomic>

namespace gedge::cli {

/// SIGINT ends the process at once, unless it was ignored.
void handle_signals();

/// Tells the handler that a progress line is to be erased. False: the process is ending, draw none.
bool set_progress_visible(bool visible);

/// While it lives, the first SIGINT only asks to stop; the next one ends the process at once. One
/// at a time.
class StoppableScope {
 public:
  StoppableScope();
  StoppableScope(const StoppableScope&) = delete;
  StoppableScope& operator=(const StoppableScope&) = delete;
  ~StoppableScope();

  /// Stays as it is when the scope ends, until the next one begins.
  const std::atomic<bool>& asked() const;
};

/// Holds back SIGINT, SIGTERM and SIGHUP in this thread, for a moment that must not be cut in two.
class UninterruptedScope {
 public:
  UninterruptedScope();
  UninterruptedScope(const UninterruptedScope&) = delete;
  UninterruptedScope& operator=(const UninterruptedScope&) = delete;
  ~UninterruptedScope();

 private:
  sigset_t before_;
};

}  // namespace gedge::cli
