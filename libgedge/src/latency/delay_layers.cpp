#include "gedge/latency/delay_layers.hpp"

#include <algorithm>

#include "latency/larger_directions.hpp"
#include "latency/largest_cliques.hpp"
#include "latency/near_rows.hpp"
#include "latency/spanning_order.hpp"

namespace gedge {
namespace {

// Clusters as names: near where every pair of members is.
NearRows near_clusters(const NearRows& near, const Clusters& clusters) {
  NearRows out(clusters.size());
  std::vector<Word> common(near.words());
  std::vector<std::uint32_t> seen(clusters.size());
  for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster) {
    std::fill(common.begin(), common.end(), ~Word{0});
    for (const NameIndex member : clusters.members[cluster])
      static_cast<void>(keep_common(common, near.row(raw(member))));
    std::fill(seen.begin(), seen.end(), 0);
    for_each_bit(common, [&](std::size_t name) {
      const std::uint32_t other = clusters.cluster_of[name];
      if (++seen[other] == clusters.members[other].size()) out.set(cluster, other);
    });
  }
  return out;
}

}  // namespace

DelayLayers::DelayLayers(const RttMatrix& matrix) : matrix_(matrix) {
  if (matrix.symmetric())
    find_layers(matrix);
  else
    find_layers(larger_directions(matrix));
}

void DelayLayers::find_layers(const RttMatrix& symmetric) {
  SpanningOrder spanning = spanning_order(symmetric);
  order_ = std::move(spanning.order);
  joined_at_ = std::move(spanning.joined_at);
  std::vector<Rtt> heights(joined_at_.begin() + (joined_at_.empty() ? 0 : 1), joined_at_.end());
  std::sort(heights.begin(), heights.end());
  heights.erase(std::unique(heights.begin(), heights.end()), heights.end());
  const std::vector<Rtt> largest = largest_inside(symmetric, order_, joined_at_, heights);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const Rtt next = i + 1 < heights.size() ? heights[i + 1] : kUnmeasured;
    if (largest[i] < next && largest[i].us != 0) found_.push_back(largest[i]);
  }
}

std::vector<Rtt> DelayLayers::delays() const {
  std::vector<Rtt> out{Rtt{0}};
  out.insert(out.end(), found_.begin(), found_.end());
  for (const Layer& layer : built_) out.push_back(layer.delay);
  std::sort(out.begin(), out.end());
  return out;
}

Clusters DelayLayers::component_clusters(Rtt delay) const {
  std::vector<std::uint32_t> cluster_of(order_.size());
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    // The layer of delay 0 has every name alone.
    if (i == 0 || delay.us == 0 || joined_at_[i] > delay) ++count;
    cluster_of[order_[i]] = count - 1;
  }
  return clusters_of(std::move(cluster_of), count);
}

DelayLayers::Layer DelayLayers::below(Rtt delay) const {
  const auto found = std::upper_bound(found_.begin(), found_.end(), delay);
  const Rtt exact = found == found_.begin() ? Rtt{0} : *(found - 1);
  const auto built = std::upper_bound(built_.begin(), built_.end(), delay,
                                      [](Rtt a, const Layer& b) { return a < b.delay; });
  if (built != built_.begin() && (built - 1)->delay > exact) return *(built - 1);
  return {exact, component_clusters(exact)};
}

DelayLayers::Layer DelayLayers::within(Rtt delay) {
  Layer under = below(delay);
  if (under.delay == delay || under.clusters.size() <= 1) return under;
  const NearRows near = near_clusters(NearRows(matrix_, delay), under.clusters);
  const LargestCliques cliques = largest_cliques(near, kMostSteps);
  std::vector<std::uint32_t> cluster_of = std::move(under.clusters.cluster_of);
  for (std::uint32_t& cluster : cluster_of) cluster = cliques.cluster_of[cluster];
  Layer layer{delay, clusters_of(std::move(cluster_of), cliques.count), cliques.is_exact};
  const auto place = std::upper_bound(built_.begin(), built_.end(), delay,
                                      [](Rtt a, const Layer& b) { return a < b.delay; });
  built_.insert(place, layer);
  return layer;
}

}  // namespace gedge
