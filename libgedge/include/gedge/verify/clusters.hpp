// gedge/verify/clusters.hpp - checks clusters by the shortest, plainest code there is.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/clusters.hpp"
#include "gedge/latency/matrix.hpp"

namespace gedge {

/// One sentence without a full stop for each thing that is wrong; empty: every name of the matrix
/// is in exactly one cluster, as `cluster_of` says, and both directions of any two members are at
/// most `limit`, where one may be unmeasured but not both. Shares nothing with what makes clusters;
/// cost: O(N + pairs inside clusters).
std::vector<std::string> verify_clusters(const RttMatrix& matrix, Rtt limit,
                                         const Clusters& clusters);

}  // namespace gedge
