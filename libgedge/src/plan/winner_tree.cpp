// plan/winner_tree.cpp
#include "plan/winner_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace gedge {
namespace {

constexpr std::uint32_t kNobody = raw(kNoNode);
constexpr std::uint32_t kWord = 64;  // rows in a word of a mask
constexpr std::size_t kFewRows = 256;
constexpr std::size_t kRowsToBuild = 8;  // one in as many changed: all places are played anew

NodeIndex if_in(const std::vector<std::int64_t>& totals, std::uint32_t row) {
  return row == kNobody || totals[row] == WinnerTree::kOut ? kNoNode : NodeIndex{row};
}

// The best two of the rows that it meets in name order, the first ones where totals are equal.
struct Meeting {
  /// Rows of `out` and less do not count.
  explicit Meeting(std::int64_t out) : best(out), second(out) {}

  void meet(const std::vector<std::int64_t>& totals, std::uint32_t word, std::uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t row = word * kWord + static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::int64_t total = totals[row];
      if (total <= second) continue;
      if (total > best) {
        second = std::exchange(best, total);
        found.runner_up = std::exchange(found.winner, NodeIndex{row});
      } else {
        second = total;
        found.runner_up = NodeIndex{row};
      }
    }
  }

  BestTwo found;
  std::int64_t best, second;
};

// Of the rows that both masks have. Words without any are left out by no branch: nobody could tell
// which they are.
BestTwo best_two(const std::vector<std::int64_t>& totals, const NodeMask& a, const NodeMask& b) {
  const auto words = static_cast<std::uint32_t>(a.words());
  Meeting rows(WinnerTree::kOut);
  std::array<std::uint64_t, kWord> common;
  for (std::uint32_t first = 0; first < words; first += kWord) {
    const std::uint32_t count = std::min(words - first, kWord);
    std::uint64_t found = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      common[i] = a.word(first + i) & b.word(first + i);
      found |= std::uint64_t{common[i] != 0} << i;
    }
    for (; found != 0; found &= found - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(found));
      rows.meet(totals, first + i, common[i]);
    }
  }
  return rows.found;
}

}  // namespace

WinnerTree::WinnerTree(const std::vector<std::uint32_t>& leaf_of,
                       const std::vector<std::uint64_t>& ties)
    : leaf_of_(leaf_of),
      ties_(ties),
      leaves_(std::bit_ceil(static_cast<std::uint32_t>(std::max<std::size_t>(leaf_of.size(), 1)))),
      best_(2 * std::size_t{leaves_}, kNobody) {
  bool in_order = leaves_ >= kWord;
  for (std::uint32_t row = 0; row < leaf_of.size(); ++row) {
    best_[leaves_ + leaf_of[row]] = row;
    in_order = in_order && leaf_of[row] == row;
  }
  if (in_order) words_ = leaves_ / kWord;
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
  changed_.clear();
  upper_.forget();
  for (std::uint32_t at = leaves_ - 1; at > 0; --at)
    best_[at] = better(totals, best_[2 * at], best_[2 * at + 1]);
}

void WinnerTree::update(NodeIndex row, std::int64_t total) {
  if (changed_.size() <= leaves_ / kRowsToBuild) changed_.push_back(row);
  upper_.update(row, total);
}

void WinnerTree::replay(const std::vector<std::int64_t>& totals) {
  if (changed_.size() > leaves_ / kRowsToBuild) return build(totals);
  for (const NodeIndex row : changed_) replay(totals, row);
  changed_.clear();
}

void WinnerTree::replay(const std::vector<std::int64_t>& totals, NodeIndex row) {
  for (std::uint32_t at = (leaves_ + leaf_of_[raw(row)]) / 2; at > 0; at /= 2) {
    const std::uint32_t now = better(totals, best_[2 * at], best_[2 * at + 1]);
    // Where another row won and wins again, nothing changes further up.
    if (now == best_[at] && now != raw(row)) return;
    best_[at] = now;
  }
}

bool WinnerTree::beats(const std::vector<std::int64_t>& totals, NodeIndex a, NodeIndex b) const {
  const std::uint32_t x = raw(a), y = raw(b);
  if (totals[x] != totals[y]) return totals[x] > totals[y];
  if (!ties_.empty() && ties_[x] != ties_[y]) return ties_[x] < ties_[y];
  return leaf_of_[x] < leaf_of_[y];
}

BestTwo WinnerTree::best(const std::vector<std::int64_t>& totals) {
  replay(totals);
  BestTwo found;
  found.winner = if_in(totals, best_[leaves_ == 1 ? best_.size() - 1 : 1]);
  if (found.winner != kNoNode) found.runner_up = runner_up(totals, found.winner);
  return found;
}

// The best of those that lost against the winner on its way up.
NodeIndex WinnerTree::runner_up(const std::vector<std::int64_t>& totals, NodeIndex winner) const {
  std::uint32_t second = kNobody;
  for (std::uint32_t at = leaves_ + leaf_of_[raw(winner)]; at > 1; at /= 2) {
    const std::uint32_t other = best_[at ^ 1];
    if (other == kNobody) continue;
    const bool other_is_left = second == kNobody || leaf_of_[other] < leaf_of_[second];
    second = other_is_left ? better(totals, other, second) : better(totals, second, other);
  }
  return if_in(totals, second);
}

BestTwo WinnerTree::best(const std::vector<std::int64_t>& totals, const NodeMask& among,
                         std::size_t count) {
  BestTwo found;
  // Few rows are gone through faster than found.
  if (words_ != 0 && among.words() + count <= kFewRows) {
    go_through(totals, among, found);
  } else {
    replay(totals);
    search(totals, among, 1, found);
  }
  return found;
}

// All rows, which stand in name order; but where the best two are among the upper ones, no others.
void WinnerTree::go_through(const std::vector<std::int64_t>& totals, const NodeMask& among,
                            BestTwo& found) {
  if (!ties_.empty()) {
    for (std::uint32_t word = 0; word < among.words(); ++word)
      search_word(totals, among, word, found);
    return;
  }
  found = best_two(totals, among, upper_.among(totals));
  if (found.runner_up == kNoNode) found = best_two(totals, among, among);
}

// The better half first; a part whose best row does not beat the second best is left out.
void WinnerTree::search(const std::vector<std::int64_t>& totals, const NodeMask& among,
                        std::uint32_t at, BestTwo& found) const {
  const NodeIndex row = if_in(totals, best_[at]);
  if (row == kNoNode) return;
  if (found.runner_up != kNoNode && !beats(totals, row, found.runner_up)) return;
  if (words_ != 0 && at >= words_) return search_word(totals, among, at - words_, found);
  if (at < leaves_) {
    const std::uint32_t left = 2 * at, first = best_[left] == raw(row) ? left : left + 1;
    search(totals, among, first, found);
    search(totals, among, first ^ 1, found);
    return;
  }
  if (among.test(row)) take(totals, row, found);
}

// Where rows stand in name order, the 64 below one place are a word of the mask. Without ties only
// its best two can be among the best two of all.
void WinnerTree::search_word(const std::vector<std::int64_t>& totals, const NodeMask& among,
                             std::uint32_t word, BestTwo& found) const {
  const std::int64_t least = found.runner_up == kNoNode ? kOut + 1 : totals[raw(found.runner_up)];
  if (ties_.empty()) {
    Meeting rows(least - 1);
    rows.meet(totals, word, among.word(word));
    if (rows.found.winner != kNoNode) take(totals, rows.found.winner, found);
    if (rows.found.runner_up != kNoNode) take(totals, rows.found.runner_up, found);
    return;
  }
  for (std::uint64_t bits = among.word(word); bits != 0; bits &= bits - 1) {
    const NodeIndex row{word * kWord + static_cast<std::uint32_t>(std::countr_zero(bits))};
    if (totals[raw(row)] >= least) take(totals, row, found);
  }
}

void WinnerTree::take(const std::vector<std::int64_t>& totals, NodeIndex row,
                      BestTwo& found) const {
  if (found.winner == kNoNode || beats(totals, row, found.winner)) {
    found.runner_up = found.winner;
    found.winner = row;
  } else if (found.runner_up == kNoNode || beats(totals, row, found.runner_up)) {
    found.runner_up = row;
  }
}

}  // namespace gedge
