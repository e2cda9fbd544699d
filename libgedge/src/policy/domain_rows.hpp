// policy/domain_rows.hpp - rows by the domain that they lie in, for policies that look at other
// pods.
#pragma once

#include <vector>

#include "gedge/policy/policy.hpp"

namespace gedge {

/// Calls visit(NodeIndex) for every row of the range whose bit is set; visit may clear that bit.
template <typename F>
void for_each_set(const NodeMask& mask, Rows rows, F&& visit) {
  for (std::uint32_t row = rows.first; row < rows.last; ++row)
    if (mask.test(NodeIndex{row})) visit(NodeIndex{row});
}

/// Reports one row as touched.
inline void touch(Touched& touched, NodeIndex row, std::size_t slots) {
  if (touched.rows.size() != slots) touched.rows = NodeMask(slots);
  touched.rows.set(row);
}

/// Reports every row that two masks differ in.
inline void touch_changes(Touched& touched, const NodeMask& before, const NodeMask& after) {
  for (std::uint32_t row = 0; row < after.size(); ++row)
    if (before.test(NodeIndex{row}) != after.test(NodeIndex{row}))
      touch(touched, NodeIndex{row}, after.size());
}

/// Reports every row of one domain as touched. Cost: O(words of its rows).
void touch_domain(Touched& touched, const TopologyColumn& column, DomainIndex domain);

}  // namespace gedge
