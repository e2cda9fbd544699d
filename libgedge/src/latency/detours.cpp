#include "latency/detours.hpp"

#include <algorithm>

#include "gedge/base/target_clones.hpp"

namespace gedge::latency {

GEDGE_FOR_EACH_TARGET void shortest_detours(std::span<const std::uint32_t> times, std::size_t first,
                                            std::size_t rows, std::span<const std::uint32_t> vias,
                                            std::span<std::uint32_t> shortest) {
  const std::size_t n = shortest.size() / rows;
  std::fill_n(shortest.data(), shortest.size(), 2 * kFar);
  for (const std::uint32_t via : vias) {
    const std::uint32_t* const rest = times.data() + via * n;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t leg = times[(first + row) * n + via];
      if (leg == kFar) continue;
      std::uint32_t* const least = shortest.data() + row * n;
      for (std::size_t to = 0; to < n; ++to) least[to] = std::min(least[to], leg + rest[to]);
    }
  }
}

}  // namespace gedge::latency
