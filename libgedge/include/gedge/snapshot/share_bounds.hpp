// gedge/snapshot/share_bounds.hpp - what is used of cpu and memory as shares of the node: bounds
// for each block of 64 rows and each kind of node.
//
// Scores of resources are made of such shares, so their bounds tell which blocks cannot win. What a
// pod takes is a share that depends on the size of the node: hence the kinds, nodes whose
// allocatable differ by less than a hundredth or so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gedge/snapshot/node_mask.hpp"

namespace gedge {

/// The columns that shares are made of, [slots]. `score`: with 100m and 200 MiB for missing
/// requests, as scores count them.
struct ShareColumns {
  std::span<const std::int64_t> cpu, memory;  // allocatable
  std::span<const std::int64_t> requested_cpu, requested_memory;
  std::span<const std::int64_t> score_cpu, score_memory;
};

class ShareBounds {
 public:
  /// Amounts below this are exact as doubles, and so are a hundred times as many.
  static constexpr std::int64_t kTooLarge = std::int64_t{1} << 45;

  /// Nodes of one kind. Bounds are [blocks]; where a block has no node of the kind, `most_used` is
  /// negative and nothing is free.
  struct Kind {
    double least_cpu = 0, most_cpu = 0;        // allocatable, above 0
    double least_memory = 0, most_memory = 0;  // allocatable, above 0
    double least_ratio = 0, most_ratio = 0;    // cpu / memory
    // The most that is free: (allocatable - score) / allocatable, and the sum of both.
    std::vector<double> free_cpu, free_memory, free_sum;
    // requested / allocatable of cpu minus that of memory, each at most 1; and the larger of both.
    std::vector<double> least_tilt, most_tilt, most_used;
  };

  explicit ShareBounds(const ShareColumns& columns);
  /// Amounts requested on rows of this block changed.
  void renew(const ShareColumns& columns, std::uint32_t block);

  std::span<const Kind> kinds() const { return kinds_; }
  /// Whether a block has amounts that are no shares: negative, too large, nothing allocatable. Then
  /// it has no bounds.
  bool unbounded(std::uint32_t block) const { return unbounded_.test(NodeIndex{block}); }
  bool any_unbounded() const { return !unbounded_.none(); }

 private:
  std::vector<Kind> kinds_;
  std::vector<std::uint8_t> kind_of_;  // [slots]
  NodeMask unbounded_;                 // [blocks]
};

}  // namespace gedge
