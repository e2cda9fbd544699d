// gedge/pin/numa_hint.hpp - sets of NUMA nodes that a container could live on.
#pragma once

#include <bit>
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

struct NumaHint {
  std::optional<NumaMask> nodes;  ///< none: any
  bool preferred = false;
  friend bool operator==(const NumaHint&, const NumaHint&) = default;
};

/// What one provider of one resource says; none: it does not care. An empty list: nothing fits.
using NumaHints = std::optional<std::vector<NumaHint>>;

}  // namespace gedge
