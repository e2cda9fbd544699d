// latency/coordinates.hpp - places in a space where distance is round-trip time.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "latency/links.hpp"

namespace gedge {

inline constexpr std::size_t kAxes = 3;

/// Height vectors: between two nodes lies the way between their places, and both of their heights
/// (what access costs). All in microseconds.
class Coordinates {
 public:
  struct Node {
    std::array<double, kAxes> at{};
    double height = 0;
  };

  explicit Coordinates(std::size_t nodes) : nodes_(nodes) {}

  std::size_t size() const { return nodes_.size(); }
  Node& operator[](std::size_t node) { return nodes_[node]; }
  const Node& operator[](std::size_t node) const { return nodes_[node]; }

  double way(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      const double off = nodes_[a].at[axis] - nodes_[b].at[axis];
      sum += off * off;
    }
    return std::sqrt(sum);
  }
  double between(std::size_t a, std::size_t b) const {
    return way(a, b) + nodes_[a].height + nodes_[b].height;
  }

 private:
  std::vector<Node> nodes_;
};

/// Places that fit `links` (microseconds, all above 0) from places by chance. A node without a link
/// stays where chance put it. Cost: O(links), a few microseconds each.
Coordinates place_nodes(const Links& links, std::uint64_t seed);

/// Moves places that nearly fit already.
void settle_nodes(Coordinates& nodes, const Links& links);

}  // namespace gedge
