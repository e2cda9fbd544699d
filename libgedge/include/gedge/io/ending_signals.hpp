// gedge/io/ending_signals.hpp - the signals with which people and machines end a program.
#pragma once

#include <span>

namespace gedge {

/// SIGHUP, SIGINT and SIGTERM: held back while something is done that must not be cut in two.
std::span<const int> ending_signals();

}  // namespace gedge
