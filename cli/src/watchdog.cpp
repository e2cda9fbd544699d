#include "watchdog.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "exit.hpp"

namespace gedge::cli {
namespace {

// Condition variables know no clock that goes on while the machine sleeps.
constexpr std::chrono::milliseconds kLook{250};

}  // namespace

Watchdog::Watchdog(const Clock& clock, std::function<void()> late)
    : clock_(clock), late_(std::move(late)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void Watchdog::set(std::optional<Nanos> moment) {
  const std::lock_guard lock(mutex_);
  moment_ = moment;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, kLook, [this] { return is_over_; })) {
    if (!moment_ || Nanos(clock_.now()) < *moment_) continue;
    lock.unlock();
    return late_();
  }
}

void end_at_once(const char* why) {
  pollfd err{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&err, 1, 0) == 1 && (err.revents & POLLOUT) != 0)
    static_cast<void>(!::write(STDERR_FILENO, why, std::strlen(why)));
  std::_Exit(static_cast<int>(Exit::kWorld));
}

}  // namespace gedge::cli
