// plan/winner_tree.hpp - the best and the second best of many rows, kept while single rows change.
//
// A tournament: each inner place holds the better row of the two below it. Leaves stand in name
// order, so a tie goes to the left. Cost: O(log n) a change, O(n) to build.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

class WinnerTree {
 public:
  /// Total of a row that takes no part.
  static constexpr std::int64_t kOut = std::numeric_limits<std::int64_t>::min();

  /// `leaf_of` [rows]: place in name order. `ties` [rows] or empty: the lower key wins a tie, then
  /// the name. Both must outlive the tree.
  WinnerTree(const std::vector<std::uint32_t>& leaf_of, const std::vector<std::uint64_t>& ties);

  /// Replays everything after `totals` [rows] changed in many places.
  void build(const std::vector<std::int64_t>& totals);
  /// Replays one row after its total changed.
  void update(const std::vector<std::int64_t>& totals, NodeIndex row);

  /// kNoNode where no row takes part.
  NodeIndex winner(const std::vector<std::int64_t>& totals) const;
  /// The best of the others.
  NodeIndex runner_up(const std::vector<std::int64_t>& totals) const;

 private:
  std::uint32_t better(const std::vector<std::int64_t>& totals, std::uint32_t a,
                       std::uint32_t b) const;

  const std::vector<std::uint32_t>& leaf_of_;
  const std::vector<std::uint64_t>& ties_;
  std::uint32_t leaves_ = 1;
  std::vector<std::uint32_t> best_;  // [2 * leaves]; the root is 1
};

}  // namespace gedge
