// gedge/latency/centers.hpp - where to put k services, so that everybody is near one of them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"

namespace gedge {

enum class CentersGoal : std::uint8_t {
  kRadius,  ///< the largest RTT to the nearest center is small (k-center)
  kMean,    ///< the mean of them is (k-median)
};

inline constexpr NameIndex kNoCenter{std::numeric_limits<std::uint32_t>::max()};

/// What a choice is worth. RTTs are RttMatrix::between; a name is 0 us from itself.
struct CentersCost {
  std::uint64_t unreached = 0;  ///< names without a measured RTT to any center: they come first
  Rtt radius;                   ///< largest RTT of a reached name to its center
  std::uint64_t total_us = 0;   ///< sum of the RTTs of reached names
  friend bool operator==(const CentersCost&, const CentersCost&) = default;
};

struct Centers {
  std::vector<NameIndex> chosen;     ///< ascending
  std::vector<NameIndex> center_of;  ///< [N], the nearest, the first of several; or kNoCenter
  CentersCost cost;
  /// Proven for any matrix: as many centers that leave no more names unreached have no smaller
  /// radius. Found by looking for more names than centers of which no two have a neighbour in
  /// common below it.
  Rtt radius_at_least;
  /// False: there were still exchanges that help when kMostSweeps were done.
  bool is_settled = true;
};

/// `count` centers, at least 1; all names where there are no more.
///
/// An unmeasured pair is out of reach: fewer unreached names always win over shorter RTTs. Method:
/// farthest first (Gonzalez 1985); for kRadius, smaller radii as long as covering greedily has
/// enough centers for them; then single exchanges of a center against another name, as long as one
/// helps. Where all pairs are measured and RTTs obey the triangle inequality, kRadius is at most
/// twice the least radius, and a settled kMean at most five times the least mean (Arya et al.
/// 2004). RTTs seldom do: `radius_at_least` holds anyway.
///
/// Cost: O(count * N) for the first choice, some 20 passes over the matrix for radii and for the
/// bound, one for each sweep, O(N) for each exchange; N * N / 8 bytes, and 4 bytes a pair where the
/// matrix is not symmetric.
Centers find_centers(const RttMatrix& matrix, std::uint32_t count, CentersGoal goal);

/// The cost of centers that were chosen by whoever. Cost: O(N * chosen).
CentersCost cost_of(const RttMatrix& matrix, const std::vector<NameIndex>& chosen);

inline constexpr int kMostSweeps = 20;

}  // namespace gedge
