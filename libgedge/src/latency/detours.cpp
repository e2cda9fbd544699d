#include "latency/detours.hpp"

#include <algorithm>

#include "gedge/base/target_clones.hpp"

namespace gedge::latency {

GEDGE_FOR_EACH_TARGET void shortest_detours(std::span<const std::uint32_t> times, std::size_t from,
                                            std::span<std::uint32_t> shortest) {
  const std::size_t n = shortest.size();
  std::uint32_t* const least = shortest.data();
  std::fill_n(least, n, 2 * kFar);
  for (std::size_t via = 0; via < n; ++via) {
    const std::uint32_t first = times[from * n + via];
    if (first == kFar) continue;
    const std::uint32_t* const rest = times.data() + via * n;
    for (std::size_t to = 0; to < n; ++to) least[to] = std::min(least[to], first + rest[to]);
  }
}

}  // namespace gedge::latency
