// gedge/latency/clusters.hpp - names that are all within a radius of one another, as groups.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"

namespace gedge {

/// Every name of a matrix in one cluster. Members ascend; so do clusters, by their first members.
struct Clusters {
  std::vector<std::uint32_t> cluster_of;        ///< [N], index into `members`
  std::vector<std::vector<NameIndex>> members;  ///< none is empty
  std::size_t size() const { return members.size(); }
  friend bool operator==(const Clusters&, const Clusters&) = default;
};

/// Of cluster numbers below `count`, [N]: any numbers, each used; they are replaced as above.
Clusters clusters_of(std::vector<std::uint32_t> cluster_of, std::uint32_t count);

/// What is lost where the members of its cluster stand for the exact radius of a name. Both are
/// symmetric, so pairs are counted once.
struct RadiusLoss {
  std::uint64_t near = 0;  ///< pairs within the limit
  std::uint64_t kept = 0;  ///< those of one cluster
  NameIndex worst{0};      ///< name that loses most neighbours; the first of several
  std::uint32_t worst_near = 0, worst_kept = 0;  ///< its neighbours, and those in its cluster
};

/// `clusters` are cliques within `limit`. Cost: O(N * N).
RadiusLoss radius_loss(const RttMatrix& matrix, Rtt limit, const Clusters& clusters);

/// RTT between clusters, [size * size]: the largest between their members, 0 on the diagonal,
/// kUnmeasured where that of any pair is (kubernetes-edge-scheduler's aggregation, which has no
/// unmeasured pairs). Cost: O(N * N).
std::vector<Rtt> largest_between(const RttMatrix& matrix, const Clusters& clusters);

/// A cover by cliques, and what can be said about it.
struct CliqueCover {
  Clusters clusters;
  /// So many names were found of which no two are within the limit: no cover has fewer clusters.
  std::size_t at_least = 0;
};

/// Clusters in which all pairs are measured and within `limit`, by RttMatrix::between: few of them,
/// though to find the fewest is NP-hard.
///
/// Idea: names with few neighbours first, each with those of its neighbours that have fewest
/// themselves; then iterated greedy (Culberson 1992, colouring the complement): clusters are built
/// anew from the old ones in another order, extended by members of small clusters. No round can
/// end with more clusters than it began with. The same input gives the same clusters.
///
/// Cost: one pass over the matrix, then `rounds` times O(N * N / 64 + near pairs); N * N / 8 bytes.
CliqueCover cover_within(const RttMatrix& matrix, Rtt limit, std::uint32_t rounds = 16);

}  // namespace gedge
