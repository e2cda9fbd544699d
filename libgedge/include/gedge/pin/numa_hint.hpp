// gedge/pin/numa_hint.hpp - sets of NUMA nodes that a container could live on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gedge {

/// One bit a NUMA node, by its id; the kubelet knows ids below 64.
using NumaMask = std::uint64_t;
inline constexpr int kNumaIds = 64;

constexpr NumaMask numa_bit(int id) { return NumaMask{1} << id; }
constexpr int count_of(NumaMask mask) { return std::popcount(mask); }
/// Fewer nodes, or as many with lower ids.
constexpr bool is_narrower(NumaMask a, NumaMask b) {
  return count_of(a) != count_of(b) ? count_of(a) < count_of(b) : a < b;
}

namespace detail {
template <typename Visit>
void each_numa_mask(const std::vector<int>& ids, std::size_t size, std::size_t start, NumaMask mask,
                    Visit& visit) {
  if (size == 0) return visit(mask);
  for (std::size_t i = start; i + size <= ids.size(); ++i)
    each_numa_mask(ids, size - 1, i + 1, mask | numa_bit(ids[i]), visit);
}
}  // namespace detail

/// Calls `visit` with every set of `ids` that is not empty, small sets first, then in the order of
/// the ids.
template <typename Visit>
void each_numa_mask(const std::vector<int>& ids, Visit visit) {
  for (std::size_t size = 1; size <= ids.size(); ++size)
    detail::each_numa_mask(ids, size, 0, 0, visit);
}

struct NumaHint {
  std::optional<NumaMask> nodes;  ///< none: any
  bool preferred = false;
  friend bool operator==(const NumaHint&, const NumaHint&) = default;
};

/// What one provider of one resource says; none: it does not care. An empty list: nothing fits.
using NumaHints = std::optional<std::vector<NumaHint>>;

}  // namespace gedge
