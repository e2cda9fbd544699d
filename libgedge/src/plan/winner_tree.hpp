// plan/winner_tree.hpp - the best and the second best of many rows, kept while single rows change.
//
// A tournament: each inner place holds the better row of the two below it. Leaves stand in name
// order, so a tie goes to the left. Cost: O(log n) a change, O(n) to build, O(log n) to ask, and
// with rows left out about O(log n) for each of those that are better than the answer. Few rows are
// gone through without a tournament.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/snapshot/node_mask.hpp"
#include "plan/upper_rows.hpp"

namespace gedge {

/// kNoNode where there is none.
struct BestTwo {
  NodeIndex winner = kNoNode, runner_up = kNoNode;
};

class WinnerTree {
 public:
  /// Total of a row that takes no part.
  static constexpr std::int64_t kOut = UpperRows::kOut;

  /// `leaf_of` [rows]: place in name order. `ties` [rows] or empty: the lower key wins a tie, then
  /// the name. Both must outlive the tree.
  WinnerTree(const std::vector<std::uint32_t>& leaf_of, const std::vector<std::uint64_t>& ties);

  /// Replays everything after `totals` [rows] changed in many places.
  void build(const std::vector<std::int64_t>& totals);
  /// The total of one row changed: it is replayed when the tournament is next asked.
  void update(NodeIndex row, std::int64_t total);

  /// The best two rows that take part.
  BestTwo best(const std::vector<std::int64_t>& totals);
  /// The best two of those that `among` has, which are `count`.
  BestTwo best(const std::vector<std::int64_t>& totals, const NodeMask& among, std::size_t count);
  /// Whether `a` wins against `b`, two different rows that take part, by total, tie key and name.
  bool beats(const std::vector<std::int64_t>& totals, NodeIndex a, NodeIndex b) const;

 private:
  std::uint32_t better(const std::vector<std::int64_t>& totals, std::uint32_t a,
                       std::uint32_t b) const;
  void replay(const std::vector<std::int64_t>& totals);
  void replay(const std::vector<std::int64_t>& totals, NodeIndex row);
  NodeIndex runner_up(const std::vector<std::int64_t>& totals, NodeIndex winner) const;
  void go_through(const std::vector<std::int64_t>& totals, const NodeMask& among, BestTwo& found);
  void search(const std::vector<std::int64_t>& totals, const NodeMask& among, std::uint32_t at,
              BestTwo& found) const;

  void take(const std::vector<std::int64_t>& totals, NodeIndex row, BestTwo& found) const;
  void search_word(const std::vector<std::int64_t>& totals, const NodeMask& among,
                   std::uint32_t word, BestTwo& found) const;

  const std::vector<std::uint32_t>& leaf_of_;
  const std::vector<std::uint64_t>& ties_;
  std::uint32_t leaves_ = 1;
  std::uint32_t words_ = 0;  // as many places above all leaves of a word; 0: rows are not in order
  std::vector<std::uint32_t> best_;  // [2 * leaves]; the root is 1
  std::vector<NodeIndex> changed_;   // rows that are not replayed; many: nor are others
  UpperRows upper_;
};

}  // namespace gedge
