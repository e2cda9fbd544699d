// watchdog.hpp - the end of a process of which a thread hangs that must not act any more.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "gedge/base/nanos.hpp"
#include "gedge/port/clock.hpp"

namespace gedge::cli {

class Watchdog {
 public:
  /// `late` is called in a thread of its own, once, and should not return.
  Watchdog(const Clock& clock, std::function<void()> late);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// By then it is to be set again, or it is too late. Empty: nothing is. From any thread.
  void set(std::optional<Nanos> moment);

 private:
  void watch();

  const Clock& clock_;
  std::function<void()> late_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::optional<Nanos> moment_;
  std::thread thread_;
};

/// Ends the process with Exit::kWorld: nothing is flushed, and nobody is waited for. Says `why` on
/// standard error, unless that would take time.
[[noreturn]] void end_at_once(const char* why);

}  // namespace gedge::cli
