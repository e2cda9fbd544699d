#include "gedge/io/ending_signals.hpp"

#include <signal.h>

#include <array>

namespace gedge {

std::span<const int> ending_signals() {
  static constexpr std::array kSignals{SIGHUP, SIGINT, SIGTERM};
  return kSignals;
}

}  // namespace gedge
