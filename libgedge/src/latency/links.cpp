#include "latency/links.hpp"

namespace gedge {

Links::Links(std::size_t nodes, std::span<const Link> links) : first_(nodes + 1, 0) {
  for (const Link& link : links) {
    ++first_[link.a + 1];
    ++first_[link.b + 1];
  }
  for (std::size_t node = 0; node < nodes; ++node) first_[node + 1] += first_[node];
  peers_.resize(2 * links.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const Link& link : links) {
    peers_[next[link.a]++] = {link.b, link.value};
    peers_[next[link.b]++] = {link.a, link.value};
  }
}

}  // namespace gedge
