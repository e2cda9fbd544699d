// io/trial.hpp - does a library survive what somebody gave us? Tried in a process of its own first.
#pragma once

#include <cstdint>
#include <functional>

namespace gedge {

enum class TrialEnd : std::uint8_t {
  kDone,  ///< `act` came to its end
  kSlow,  ///< it took more processor time than it is given
  kDied,  ///< it crashed, or was killed by others
};

inline constexpr unsigned kTrialSeconds = 10;

/// How `act` ends in a child process that is given `seconds` of processor time. Nothing that it
/// does is seen here. kDone where no process can be made: then there is nothing to try with.
TrialEnd try_apart(const std::function<void()>& act, unsigned seconds = kTrialSeconds);

}  // namespace gedge
