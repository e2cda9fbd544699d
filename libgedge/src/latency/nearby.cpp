#include "latency/nearby.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gedge {
namespace {

// The distance of that neighbour is where the weight has fallen to 1/e; it ends with `kLeastWeight`
// or with twice as many. Of 4, 12, 20 the best on the space that completion is measured with, and
// no worse elsewhere.
constexpr std::size_t kNeighbour = 12;
constexpr double kLeastWeight = 0.05;

}  // namespace

Nearby::Nearby(const Coordinates& nodes) : first_{0} {
  const std::size_t count = nodes.size();
  std::vector<std::pair<double, std::uint32_t>> others;
  for (std::size_t node = 0; node < count; ++node) {
    near_.push_back({static_cast<std::uint32_t>(node), 1});
    others.clear();
    for (std::size_t other = 0; other < count; ++other)
      if (other != node)
        others.emplace_back(nodes.way(node, other), static_cast<std::uint32_t>(other));
    const std::size_t most = std::min(2 * kNeighbour, others.size());
    const auto end = others.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(others.begin(), end, others.end());
    const double reach = most == 0 ? 0 : others[std::min(kNeighbour, most) - 1].first;
    for (auto other = others.begin(); other != end && reach > 0; ++other) {
      const double far = other->first / reach;
      const double weight = std::exp(-far * far);
      if (weight < kLeastWeight) break;
      near_.push_back({other->second, static_cast<float>(weight)});
    }
    first_.push_back(near_.size());
  }
}

float Nearby::weight(std::size_t node, std::size_t other) const {
  for (const Weighed& near : of(node))
    if (near.node == other) return near.weight;
  return 0;
}

void PairSums::turn_to(std::size_t a) {
  a_ = a;
  row_.assign(near_.nodes(), {});
  for (const Nearby::Weighed& near : near_.of(a)) {
    for (const Links::Peer& peer : known_.of(near.node)) {
      row_[peer.node].value += near.weight * static_cast<float>(peer.value);
      row_[peer.node].weight += near.weight;
    }
  }
}

PairSums::Sum PairSums::of(std::size_t b) const {
  Sum sum;
  for (const Nearby::Weighed& near : near_.of(b)) {
    sum.value += near.weight * row_[near.node].value;
    sum.weight += near.weight * row_[near.node].weight;
  }
  return sum;
}

PairSums::Sum PairSums::without(std::size_t b, double own) const {
  // As (a, b), and as (b, a) where they lie near each other.
  const float weight = 1 + near_.weight(a_, b) * near_.weight(b, a_);
  Sum sum = of(b);
  sum.value -= weight * static_cast<float>(own);
  sum.weight = std::max(sum.weight - weight, 0.0F);
  return sum;
}

}  // namespace gedge
