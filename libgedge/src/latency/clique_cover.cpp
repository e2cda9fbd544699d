#include <algorithm>
#include <numeric>

#include "gedge/latency/clusters.hpp"
#include "latency/near_rows.hpp"

namespace gedge {
namespace {

/// Clusters as they are found: members of all one after another, and where each begins.
struct Found {
  std::vector<std::uint32_t> members;  // [N]
  std::vector<std::uint32_t> begins;   // [clusters + 1]

  std::size_t size() const { return begins.size() - 1; }
  std::uint32_t size_of(std::size_t i) const { return begins[i + 1] - begins[i]; }
  std::span<const std::uint32_t> of(std::size_t i) const {
    return {members.data() + begins[i], size_of(i)};
  }
};

class Cover {
 public:
  explicit Cover(const NearRows& near) : near_(near), free_(near.words()), open_(near.words()) {
    for (std::size_t i = 0; i < near.size(); ++i)
      degrees_.push_back(static_cast<std::uint32_t>(count_bits(near.row(i))));
    by_degree_.resize(near.size());
    std::iota(by_degree_.begin(), by_degree_.end(), 0U);
    std::stable_sort(by_degree_.begin(), by_degree_.end(),
                     [&](auto a, auto b) { return degrees_[a] < degrees_[b]; });
  }

  /// Each name in turn, those with fewest neighbours first.
  void begin() {
    start_round();
    rank_ = degrees_;
    for (const std::uint32_t name : by_degree_)
      if (has(free_, name)) add_cluster({&name, 1});
    std::swap(found_, next_);
  }

  /// What is left of each cluster in turn, extended by members of small ones.
  void repeat(std::uint32_t round) {
    start_round();
    for (std::size_t i = 0; i < found_.size(); ++i)
      for (const std::uint32_t name : found_.of(i)) rank_[name] = found_.size_of(i);
    for (const std::uint32_t cluster : order_of(round)) {
      left_.clear();
      for (const std::uint32_t name : found_.of(cluster))
        if (has(free_, name)) left_.push_back(name);
      if (!left_.empty()) add_cluster(left_);
    }
    std::swap(found_, next_);
  }

  std::size_t size() const { return found_.size(); }

  /// Names of which no two are near, those with fewest neighbours first.
  std::size_t apart() {
    start_round();
    std::size_t count = 0;
    for (const std::uint32_t name : by_degree_) {
      if (!has(free_, name)) continue;
      ++count;
      leave_out(free_, near_.row(name));
    }
    return count;
  }

  Clusters clusters() const {
    std::vector<std::uint32_t> cluster_of(near_.size());
    for (std::size_t i = 0; i < found_.size(); ++i)
      for (const std::uint32_t name : found_.of(i))
        cluster_of[name] = static_cast<std::uint32_t>(i);
    return clusters_of(std::move(cluster_of), static_cast<std::uint32_t>(found_.size()));
  }

 private:
  void start_round() {
    std::fill(free_.begin(), free_.end(), 0);
    for (std::size_t i = 0; i < near_.size(); ++i) put(free_, i);
    next_.members.clear();
    next_.begins.assign(1, 0);
  }

  // `first` are near one another and free. Whoever has the least rank comes next, as long as it is
  // near all that are in.
  void add_cluster(std::span<const std::uint32_t> first) {
    for (const std::uint32_t name : first) {
      take(free_, name);
      next_.members.push_back(name);
    }
    std::copy(free_.begin(), free_.end(), open_.begin());
    bool is_open = true;
    for (const std::uint32_t name : first) is_open = is_open && keep_common(open_, near_.row(name));
    candidates_.clear();
    if (is_open)
      for_each_bit(
          open_, [&](std::size_t i) { candidates_.push_back(std::uint64_t{rank_[i]} << 32 | i); });
    std::sort(candidates_.begin(), candidates_.end());
    for (const std::uint64_t candidate : candidates_) {
      const auto name = static_cast<std::uint32_t>(candidate);
      if (!has(open_, name)) continue;
      take(free_, name);
      next_.members.push_back(name);
      if (!keep_common(open_, near_.row(name))) break;
    }
    next_.begins.push_back(static_cast<std::uint32_t>(next_.members.size()));
  }

  // Large ones first, the last one first, or any way: each gets out of where another is stuck.
  const std::vector<std::uint32_t>& order_of(std::uint32_t round) {
    order_.resize(found_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    if (round % 3 == 0)
      std::stable_sort(order_.begin(), order_.end(),
                       [&](auto a, auto b) { return found_.size_of(a) > found_.size_of(b); });
    if (round % 3 == 1) std::reverse(order_.begin(), order_.end());
    if (round % 3 == 2)
      for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[any(i)]);
    return order_;
  }

  // Numerical Recipes' ranqd1: no secret, always the same.
  std::size_t any(std::size_t count) {
    random_ = random_ * 1664525U + 1013904223U;
    return static_cast<std::size_t>(std::uint64_t{random_} * count >> 32);
  }

  const NearRows& near_;
  std::vector<std::uint32_t> degrees_, by_degree_;  // [N]
  std::vector<Word> free_, open_;
  std::vector<std::uint32_t> rank_, left_, order_;
  std::vector<std::uint64_t> candidates_;  // rank, name
  Found found_, next_;
  std::uint32_t random_ = 1;
};

}  // namespace

CliqueCover cover_within(const RttMatrix& matrix, Rtt limit, std::uint32_t rounds) {
  const NearRows near(matrix, limit);
  Cover cover(near);
  CliqueCover out;
  out.at_least = cover.apart();
  cover.begin();
  for (std::uint32_t i = 0; i < rounds && cover.size() > out.at_least; ++i) cover.repeat(i);
  out.clusters = cover.clusters();
  return out;
}

}  // namespace gedge
