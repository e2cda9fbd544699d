// term/interrupt.hpp - Ctrl-C ends the program with a newline and 130, except while a file is being
// replaced.
#pragma once

#include <signal.h>

namespace gedge::cli {

/// SIGINT ends the process at once, unless it was ignored.
void handle_signals();

/// Tells the handler that a progress line is to be erased. False: the process is ending, draw none.
bool set_progress_visible(bool visible);

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
