#include "gedge/snapshot/reach_rows.hpp"

#include <algorithm>

namespace gedge {

// Of another limit than the last one. Where it is new, one that was not asked for lately makes way:
// whatever is asked for more often than once in kLimits + 1 times has a place in the end.
std::size_t ReachRows::place_of(std::int64_t limit_us) {
  std::size_t place = 0;
  while (place < kLimits && us_[place] != limit_us) ++place;
  if (place < kLimits) return place;
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (rows_[i].asked == 0) place = i;
    rows_[i].asked -= rows_[i].asked == 0 ? 0 : 1;
  }
  if (place == kLimits) return place;
  us_[place] = limit_us;
  rows_[place] = {};
  return place;
}

std::uint64_t* ReachRows::room_for(NodeIndex from) {
  constexpr std::uint32_t kOften = 32;
  Rows& rows = rows_[last_];
  if (last_ == kLimits || rows.asked < kOften || words_ > kMostWords) return nullptr;
  if (kept_.size() + words_ > kMostWords) {
    kept_.clear();
    for (Rows& others : rows_) others.at.clear();
  }
  if (rows.at.empty()) rows.at.assign(slots_, kNone);
  const std::size_t first = kept_.size();
  kept_.resize(first + words_);
  rows.at[raw(from)] = static_cast<std::uint32_t>(first);
  return kept_.data() + first;
}

}  // namespace gedge
