// io/trial.hpp - does a library survive what somebody gave us? Tried in a process of its own first.
#pragma once

#include <functional>

namespace gedge {

/// Whether `act` comes to its end in a child process, within ten seconds of processor time. Nothing
/// that it does is seen here. True where no process can be made: then there is nothing to try with.
bool survives(const std::function<void()>& act);

}  // namespace gedge
