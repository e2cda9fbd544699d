// control/scheduler_pause.cpp - how much is asked of a server that may be away.
#include <algorithm>

#include "gedge/control/scheduler.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kAway = 3;  // silences in a row; one alone is a connection that was lost

}  // namespace

// All that were under way fail at once: that is one silence more, and one pause.
void Scheduler::heed(BindAnswer answer, Nanos now) {
  const bool is_silent = answer == BindAnswer::kNotSent || answer == BindAnswer::kUnknown;
  if (!is_silent) {
    unanswered_ = pauses_ = 0;
    if (allowed_binds_ < options_.max_binds) ++allowed_binds_;
    return;
  }
  if (++unanswered_ < kAway || (is_paused() && now < paused_until_)) return;
  Nanos pause = options_.first_pause;
  for (std::uint32_t i = 0; i < pauses_ && pause < options_.max_pause; ++i) pause *= 2;
  ++pauses_;
  allowed_binds_ = options_.first_binds;
  paused_until_ = now + std::min(pause, options_.max_pause);
}

void Scheduler::rest(Nanos until) {
  rest_until_ = std::max(rest_until_, until);
  allowed_binds_ = std::max(options_.first_binds, most_binds() / 2);
}

std::size_t Scheduler::room(Nanos now) const {
  if (is_held_back_ || now < rest_until_) return 0;
  if (!is_paused()) return most_binds() - std::min(most_binds(), flights_.size());
  return flights_.empty() && now >= paused_until_ ? 1 : 0;
}

}  // namespace gedge
