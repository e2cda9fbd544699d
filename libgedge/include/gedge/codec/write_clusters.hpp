// gedge/codec/write_clusters.hpp - clusters, layers and centers of a matrix as documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gedge/codec/write.hpp"
#include "gedge/latency/centers.hpp"
#include "gedge/latency/clusters.hpp"
#include "gedge/latency/delay_layers.hpp"
#include "gedge/latency/matrix.hpp"

namespace gedge {

/// Clusters within a radius, and what they lose of it.
struct ClusterReport {
  Rtt within;
  Clusters clusters;
  std::vector<Rtt> largest;  ///< [clusters], RTT inside each; 0 for one name alone
  RadiusLoss loss;
  std::optional<std::size_t> at_least;  ///< no cover has fewer; empty: nothing is known
  std::optional<Rtt> layer;             ///< clusters of this layer of the index; empty: a cover
  bool is_exact = true;                 ///< as DelayLayers::Layer has it
};

/// Fills in `largest` and `loss`. Cost: O(N * N).
ClusterReport report_clusters(const RttMatrix& matrix, Rtt within, Clusters clusters);

/// kind LatencyClusters. `index`: what the published clustering makes of the same radius.
std::string write(const RttMatrix& matrix, const ClusterReport& report, const ClusterReport& index,
                  TextFormat format);

/// kind LatencyLayers: the layers that were found, smallest delay first, with all members.
std::string write(const RttMatrix& matrix, const std::vector<DelayLayers::Layer>& layers,
                  TextFormat format);

/// kind LatencyCenters.
std::string write(const RttMatrix& matrix, const Centers& centers, CentersGoal goal,
                  TextFormat format);

}  // namespace gedge
