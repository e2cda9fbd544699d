// snapshot/label_rows.hpp - the rows that node selector terms take, found by the label values that
// the terms name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// Rows as the words of a mask that are not 0, ascending: a volume of one node costs one word.
using RowSet = std::vector<WordRows>;

bool contains(const RowSet& rows, NodeIndex row);
/// Not below any row of the set.
void add_row(RowSet& rows, NodeIndex row);
void add_rows(NodeMask& mask, const RowSet& rows);
void take_rows(NodeMask& mask, const RowSet& rows);
/// Clears every bit that `rows` lacks.
void keep_rows(NodeMask& mask, const RowSet& rows);

/// True while no node of `cluster` changes its labels.
class LabelRows {
 public:
  explicit LabelRows(const ClusterState& cluster) : cluster_(&cluster) {}

  /// Rows whose labels any of the terms matches, those of dead nodes too. Cost: O(terms * rows that
  /// have a value which the term names), for a term that names none O(rows).
  RowSet find(const std::vector<NodeSelectorTerm>& terms);

 private:
  using RowsByValue = std::unordered_map<std::string, std::vector<NodeIndex>>;

  const RowsByValue& by_value(const std::string& key);
  void add_matching(const NodeSelectorTerm& term, std::vector<NodeIndex>& rows);

  const ClusterState* cluster_;
  std::map<std::string, RowsByValue> keys_;
};

}  // namespace gedge
