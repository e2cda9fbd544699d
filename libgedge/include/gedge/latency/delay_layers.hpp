// gedge/latency/delay_layers.hpp - the clustering of kubernetes-edge-scheduler, as an index.
//
// A layer is a partition of the names for one delay: two names of a cluster are never further
// apart. The layers of a matrix are those where being within the delay is an equivalence, so that a
// cluster is the exact radius of each of its members; any other delay gets a layer on demand, by
// merging clusters of the layer below along cliques, and loses neighbours (radius_loss says how
// many). cover_within() needs fewer clusters; this is what the published program finds.
//
// Where it deviates: RTTs are microseconds, an RTT of 0 is an edge (the published graph reads it as
// none), and unmeasured pairs are never within a delay. Equal cliques have an order, by their
// names.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/clusters.hpp"
#include "gedge/latency/matrix.hpp"

namespace gedge {

class DelayLayers {
 public:
  /// Finds the layers of the matrix; keeps a reference to it.
  ///
  /// Idea: a spanning tree (Prim) names the delay at which any two names become connected. Names
  /// lie in the order in which the tree reached them, so that the components of every delay are
  /// intervals, and one scan over all pairs tells the largest RTT inside them. A delay is a layer
  /// if no pair inside a component is further apart. Cost: O(N * N), O(N) bytes; a matrix that is
  /// not symmetric is copied, 4 bytes a pair.
  explicit DelayLayers(const RttMatrix& matrix);

  /// Delays of all layers, ascending. The first is 0, every name alone.
  std::vector<Rtt> delays() const;

  /// One layer as it answers queries: the names near x are the members of its cluster.
  struct Layer {
    Rtt delay;  ///< of the layer itself, at most the delay that was asked for
    Clusters clusters;
    /// False: the search for largest cliques was cut short after kMostSteps; from there on they are
    /// maximal, but need not be the largest.
    bool is_exact = true;
  };

  /// The layer with the largest delay up to this one. Cost: O(N).
  Layer below(Rtt delay) const;

  /// The layer of that delay, built and kept if there is none: the clusters of the layer below are
  /// merged along largest cliques of clusters that are within the delay of one another. Where the
  /// layer below has one cluster, it is the answer and nothing is kept. Layers depend on the order
  /// in which they are asked for. Cost: one pass over the matrix, N * N / 8 bytes, and a search for
  /// largest cliques, exponential at worst; kMostSteps bounds it.
  Layer within(Rtt delay);

  static constexpr std::uint64_t kMostSteps = 500'000'000;  // about a second, once a layer

 private:
  void find_layers(const RttMatrix& symmetric);
  Clusters component_clusters(Rtt delay) const;

  const RttMatrix& matrix_;
  std::vector<std::uint32_t> order_;  // [N], names as the tree reached them
  std::vector<Rtt> joined_at_;        // [N], by place in it: RTT to the tree; [0] says nothing
  std::vector<Rtt> found_;            // delays where components are cliques, ascending
  std::vector<Layer> built_;          // ascending delay
};

}  // namespace gedge
