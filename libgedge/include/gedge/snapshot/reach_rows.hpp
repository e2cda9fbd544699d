// gedge/snapshot/reach_rows.hpp - which rows lie within a limit of a node, kept for the limits that
// many budgets share: they are round numbers mostly, and nodes are asked about again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

/// Words of masks, by node and limit. Limits that are seldom asked for are not kept, and no more
/// than kMostWords are: where there is no more room, all go.
class ReachRows {
 public:
  static constexpr std::size_t kMostWords = std::size_t{1} << 19;  // 4 MiB

  explicit ReachRows(std::size_t slots) : slots_(slots), words_((slots + 63) / 64) { us_.fill(-1); }

  /// The mask of those rows, [slots / 64, rounded up]; null where it is not kept. Counts how often
  /// a limit, which is not negative, is asked for. Lives until the next call.
  const std::uint64_t* find(NodeIndex from, std::int64_t limit_us) {
    if (us_[last_] != limit_us) last_ = place_of(limit_us);
    Rows& rows = rows_[last_];
    ++rows.asked;
    if (rows.at.empty() || rows.at[raw(from)] == kNone) return nullptr;
    return kept_.data() + rows.at[raw(from)];
  }
  /// Where to write that mask, after find() gave none; null where it need not be kept. Lives until
  /// the next call.
  std::uint64_t* room_for(NodeIndex from);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kLimits = 8;

  struct Rows {
    std::uint32_t asked = 0;        // less what was asked for others when there was no place
    std::vector<std::uint32_t> at;  // [slots], in kept_; empty: not asked often enough so far
  };

  std::size_t place_of(std::int64_t limit_us);

  std::size_t slots_, words_;
  std::array<std::int64_t, kLimits + 1> us_;  // negative: none; behind the end, of those without a
  std::array<Rows, kLimits + 1> rows_;        // place, of which no rows are kept
  std::size_t last_ = kLimits;
  std::vector<std::uint64_t> kept_;
};

}  // namespace gedge
