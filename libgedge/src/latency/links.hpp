// latency/links.hpp - measured pairs as a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gedge {

/// One measured pair of nodes, a != b.
struct Link {
  std::uint32_t a, b;
  double value;
};

/// The links of each node, from both of their ends.
class Links {
 public:
  struct Peer {
    std::uint32_t node;
    double value;
  };

  Links(std::size_t nodes, std::span<const Link> links);

  std::size_t nodes() const { return first_.size() - 1; }
  std::span<const Peer> of(std::size_t node) const {
    return std::span(peers_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::size_t> first_;  // [N + 1]
  std::vector<Peer> peers_;         // [2 * links], by node, in the order of the links
};

}  // namespace gedge
