#include "plan/winner_tree.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "support/dice.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

// The best two rows of `among`, looked for one by one.
BestTwo slow_best(const WinnerTree& tree, const std::vector<std::int64_t>& totals,
                  const NodeMask& among) {
  BestTwo best;
  among.for_each([&](NodeIndex row) {
    if (totals[raw(row)] == WinnerTree::kOut) return;
    if (best.winner == kNoNode || tree.beats(totals, row, best.winner)) {
      best.runner_up = best.winner;
      best.winner = row;
    } else if (best.runner_up == kNoNode || tree.beats(totals, row, best.runner_up)) {
      best.runner_up = row;
    }
  });
  return best;
}

}  // namespace

TEST_CASE("the tree finds the best two of all rows and of those of a mask, while totals change") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    const std::size_t rows = 1 + dice.below(dice.chance(80) ? 300 : 2000);
    std::vector<std::uint32_t> leaf_of(rows);
    std::iota(leaf_of.begin(), leaf_of.end(), 0U);
    if (dice.chance(50)) dice.shuffle(leaf_of);
    std::vector<std::uint64_t> ties;
    if (dice.chance(30))
      for (std::size_t i = 0; i < rows; ++i) ties.push_back(dice.below(3));
    std::vector<std::int64_t> totals(rows);
    const auto total = [&] { return dice.chance(10) ? WinnerTree::kOut : dice.between(-3, 3); };
    for (std::int64_t& t : totals) t = total();
    WinnerTree tree(leaf_of, ties);
    tree.build(totals);
    const NodeMask all(rows, true);
    for (int round = 0; round < 20; ++round) {
      for (std::uint64_t changes = 1 + dice.below(dice.chance(70) ? 4 : 100); changes > 0;
           --changes) {
        const NodeIndex row{static_cast<std::uint32_t>(dice.below(rows))};
        totals[raw(row)] = total();
        tree.update(row, totals[raw(row)]);
      }
      NodeMask some(rows);
      for (std::uint32_t i = 0; i < rows; ++i)
        if (dice.chance(30)) some.set(NodeIndex{i});
      const BestTwo part = tree.best(totals, some, some.count());
      CHECK(part.winner == slow_best(tree, totals, some).winner);
      CHECK(part.runner_up == slow_best(tree, totals, some).runner_up);
      if (dice.chance(50)) continue;
      const BestTwo whole = tree.best(totals);
      CHECK(whole.winner == slow_best(tree, totals, all).winner);
      CHECK(whole.runner_up == slow_best(tree, totals, all).runner_up);
    }
  }
}
