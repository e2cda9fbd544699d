#include "gedge/effect/simulation.hpp"

#include <array>

namespace gedge {

std::string_view to_string(Happening what) {
  constexpr std::array<std::string_view, 16> kWords = {
      "created",   "bound",      "running",     "unschedulable",    "deleted",    "gone",
      "finished",  "node-added", "node-failed", "node-unreachable", "node-ready", "node-changed",
      "node-gone", "scaled",     "edited",      "restarted"};
  return kWords[static_cast<std::size_t>(what)];
}

}  // namespace gedge
