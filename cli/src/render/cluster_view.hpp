// render/cluster_view.hpp - clusters, layers and centers as tables, and what is said about them.
#pragma once

#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/codec/write_clusters.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// CLUSTER NODES LARGEST MEMBERS of every cluster. Errors: kNotFound for a column that is not
/// there, here and below.
Status print_clusters(Stream& out, const RttMatrix& matrix, const ClusterReport& report,
                      const TableOptions& options);
/// How many there are, what they lose of the exact radius, and what `index` does.
void print_clusters_summary(Stream& err, const RttMatrix& matrix, const ClusterReport& report,
                            const ClusterReport& index);

/// DELAY CLUSTERS LARGEST ALONE of every layer.
Status print_layers(Stream& out, const std::vector<DelayLayers::Layer>& layers,
                    const TableOptions& options);

/// CENTER NODES RADIUS MEAN MEMBERS of every center; nodes out of reach have a row without a
/// center.
Status print_centers(Stream& out, const RttMatrix& matrix, const Centers& centers,
                     const TableOptions& options);
void print_centers_summary(Stream& err, const Centers& centers);

}  // namespace gedge::cli
