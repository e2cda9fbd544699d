// latency/nearby.hpp - averages over pairs whose ends lie near.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "latency/coordinates.hpp"
#include "latency/links.hpp"

namespace gedge {

/// The nodes that lie near each node, with weights that fall with the way between them; itself
/// first, with 1. How far "near" reaches differs from node to node: it ends at so many neighbours.
class Nearby {
 public:
  struct Weighed {
    std::uint32_t node;
    float weight;
  };

  explicit Nearby(const Coordinates& nodes);

  std::size_t nodes() const { return first_.size() - 1; }
  std::span<const Weighed> of(std::size_t node) const {
    return std::span(near_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  /// 0 if `other` is not near.
  float weight(std::size_t node, std::size_t other) const;

 private:
  std::vector<std::size_t> first_;  // [N + 1]
  std::vector<Weighed> near_;
};

/// Of a pair (a, b): the weighed sum of what is known of pairs (a', b') with a' near a and b' near
/// b. The same for (b, a).
class PairSums {
 public:
  struct Sum {
    float value = 0, weight = 0;
    /// Towards `rest` if little is known: as if `pairs` more pairs said that.
    double mean(double pairs, double rest = 0) const {
      return (value + pairs * rest) / (weight + pairs);
    }
  };

  /// Both outlive it.
  PairSums(const Nearby& near, const Links& known) : near_(near), known_(known) {}

  /// Turns to pairs of `a`. Cost: O(links of the nodes near it), and O(N) the first time.
  void turn_to(std::size_t a);
  /// Of `a` and `b`.
  Sum of(std::size_t b) const;
  /// The same without what the pair of `a` and `b`, that is one of the links, says itself.
  Sum without(std::size_t b, double own) const;

 private:
  const Nearby& near_;
  const Links& known_;
  std::size_t a_ = 0;
  std::vector<Sum> row_;  // [N]: of pairs (a', b) with a' near a
};

}  // namespace gedge
