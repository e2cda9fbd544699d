// plan/winner_tree.cpp
#include "plan/winner_tree.hpp"

#include <bit>

namespace gedge {
namespace {

constexpr std::uint32_t kNobody = raw(kNoNode);

NodeIndex if_in(const std::vector<std::int64_t>& totals, std::uint32_t row) {
  return row == kNobody || totals[row] == WinnerTree::kOut ? kNoNode : NodeIndex{row};
}

}  // namespace

WinnerTree::WinnerTree(const std::vector<std::uint32_t>& leaf_of,
                       const std::vector<std::uint64_t>& ties)
    : leaf_of_(leaf_of),
      ties_(ties),
      leaves_(std::bit_ceil(static_cast<std::uint32_t>(std::max<std::size_t>(leaf_of.size(), 1)))),
      best_(2 * std::size_t{leaves_}, kNobody) {
  for (std::uint32_t row = 0; row < leaf_of.size(); ++row) best_[leaves_ + leaf_of[row]] = row;
}

// `a` is left of `b`.
std::uint32_t WinnerTree::better(const std::vector<std::int64_t>& totals, std::uint32_t a,
                                 std::uint32_t b) const {
  if (a == kNobody || b == kNobody) return a == kNobody ? b : a;
  if (totals[a] != totals[b]) return totals[a] > totals[b] ? a : b;
  if (!ties_.empty() && ties_[a] != ties_[b]) return ties_[a] < ties_[b] ? a : b;
  return a;
}

void WinnerTree::build(const std::vector<std::int64_t>& totals) {
  for (std::uint32_t at = leaves_ - 1; at > 0; --at)
    best_[at] = better(totals, best_[2 * at], best_[2 * at + 1]);
}

void WinnerTree::update(const std::vector<std::int64_t>& totals, NodeIndex row) {
  for (std::uint32_t at = (leaves_ + leaf_of_[raw(row)]) / 2; at > 0; at /= 2) {
    const std::uint32_t now = better(totals, best_[2 * at], best_[2 * at + 1]);
    // Where another row won and wins again, nothing changes further up.
    if (now == best_[at] && now != raw(row)) return;
    best_[at] = now;
  }
}

NodeIndex WinnerTree::winner(const std::vector<std::int64_t>& totals) const {
  return if_in(totals, best_[leaves_ == 1 ? best_.size() - 1 : 1]);
}

NodeIndex WinnerTree::runner_up(const std::vector<std::int64_t>& totals) const {
  const NodeIndex first = winner(totals);
  if (first == kNoNode) return kNoNode;
  std::uint32_t second = kNobody;
  for (std::uint32_t at = leaves_ + leaf_of_[raw(first)]; at > 1; at /= 2) {
    const std::uint32_t other = best_[at ^ 1];
    if (other == kNobody) continue;
    const bool other_is_left = second == kNobody || leaf_of_[other] < leaf_of_[second];
    second = other_is_left ? better(totals, other, second) : better(totals, second, other);
  }
  return if_in(totals, second);
}

}  // namespace gedge
