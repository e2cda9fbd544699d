#include "latency/larger_directions.hpp"

#include <algorithm>

namespace gedge {
namespace {

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

}  // namespace

// Square tiles: both of a pair stay in the cache while they are compared.
RttMatrix larger_directions(const RttMatrix& matrix) {
  constexpr std::size_t kTile = 64;
  const std::size_t n = matrix.size();
  std::vector<Rtt> cells(n * n);
  for (std::size_t top = 0; top < n; top += kTile)
    for (std::size_t left = 0; left < n; left += kTile)
      for (std::size_t i = top; i < std::min(top + kTile, n); ++i)
        for (std::size_t j = left; j < std::min(left + kTile, n); ++j)
          cells[i * n + j] = matrix.between(index_of(i), index_of(j));
  return {matrix.names(), std::move(cells)};
}

}  // namespace gedge
