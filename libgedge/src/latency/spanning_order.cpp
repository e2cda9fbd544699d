#include "latency/spanning_order.hpp"

#include <algorithm>

#include "gedge/base/target_clones.hpp"

namespace gedge {
namespace {

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

// nearest[j] = min(nearest[j], row[j]); the least of those that are not in yet. `is_in` is all ones
// where a name is in, else 0.
GEDGE_FOR_EACH_TARGET std::uint32_t join_row(const Rtt* row, const std::uint32_t* is_in,
                                             std::size_t count, std::uint32_t* nearest) {
  std::uint32_t least = kUnmeasured.us;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t us = nearest[i] < row[i].us ? nearest[i] : row[i].us;
    nearest[i] = us;
    const std::uint32_t outside = us | is_in[i];
    least = outside < least ? outside : least;
  }
  return least;
}

}  // namespace

SpanningOrder spanning_order(const RttMatrix& symmetric) {
  const std::size_t n = symmetric.size();
  SpanningOrder out;
  if (n == 0) return out;
  std::vector<std::uint32_t> nearest(n, kUnmeasured.us), is_in(n, 0);
  std::uint32_t name = 0, at = 0;
  for (std::size_t i = 0;; ++i) {
    out.order.push_back(name);
    out.joined_at.push_back(Rtt{at});
    is_in[name] = ~std::uint32_t{0};
    if (i + 1 == n) return out;
    at = join_row(symmetric.row(index_of(name)).data(), is_in.data(), n, nearest.data());
    for (name = 0; is_in[name] != 0 || nearest[name] != at;) ++name;
  }
}

std::vector<Rtt> largest_inside(const RttMatrix& symmetric, std::span<const std::uint32_t> order,
                                std::span<const Rtt> joined_at, std::span<const Rtt> heights) {
  std::vector<std::uint32_t> height_of;  // by place
  for (const Rtt rtt : joined_at)
    height_of.push_back(static_cast<std::uint32_t>(
        std::lower_bound(heights.begin(), heights.end(), rtt) - heights.begin()));
  std::vector<Rtt> largest(heights.size(), Rtt{0});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto row = symmetric.row(index_of(order[i]));
    std::uint32_t height = 0;
    Rtt most{0};
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (height_of[j] > height) {
        largest[height] = std::max(largest[height], most);
        height = height_of[j];
      }
      most = std::max(most, row[order[j]]);
    }
    if (i + 1 < order.size()) largest[height] = std::max(largest[height], most);
  }
  for (std::size_t i = 1; i < largest.size(); ++i)
    largest[i] = std::max(largest[i], largest[i - 1]);
  return largest;
}

}  // namespace gedge
