// plan/upper_rows.hpp - about a sixth of all rows, those with the largest totals, of equal ones
// the first: whoever looks for the best of a few rows mostly finds them there.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gedge/snapshot/node_mask.hpp"

namespace gedge {

class UpperRows {
 public:
  /// Total of a row that takes no part.
  static constexpr std::int64_t kOut = std::numeric_limits<std::int64_t>::min();

  /// The total of one row changed. Cost: O(1).
  void update(NodeIndex row, std::int64_t total) {
    ++changes_;
    if (raw(row) >= rows_.size()) return;
    const bool was_in = rows_.test(row), is_in = is_upper(row, total);
    if (was_in == is_in) return;
    is_in ? rows_.set(row) : rows_.clear(row);
    is_in ? ++count_ : --count_;
  }
  /// Many totals changed.
  void forget() { rows_ = {}; }

  /// Every row in it has a larger total than every row that is not, or the same and is earlier.
  /// Cost: O(1); now and then O(rows), where it has become too small or too large by many changes.
  const NodeMask& among(std::span<const std::int64_t> totals) {
    constexpr std::uint32_t kPatience = 64;
    const bool is_right = count_ >= rows_.size() / 12 && count_ <= rows_.size() / 4;
    if (rows_.size() != totals.size() || (!is_right && changes_ >= kPatience)) find(totals);
    return rows_;
  }

 private:
  struct Row {
    std::int64_t total = kOut;
    std::uint32_t row = 0;
  };
  bool is_upper(NodeIndex row, std::int64_t total) const {
    return total > least_ || (total == least_ && raw(row) <= last_);
  }
  void find(std::span<const std::int64_t> totals);
  std::uint64_t upper_of(std::span<const std::int64_t> block, std::uint32_t first) const;

  NodeMask rows_;
  std::size_t count_ = 0;
  std::int64_t least_ = kOut;   // total of a row in it; above kOut
  std::uint32_t last_ = 0;      // of the rows with that total, the last one in it
  std::uint32_t changes_ = 0;   // since it was found
  std::vector<Row> some_ = {};  // kept for its memory
};

}  // namespace gedge
