#include "latency/center_radii.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "latency/near_rows.hpp"

namespace gedge {
namespace {

using Names = std::vector<std::uint32_t>;

/// Who is within a radius of whom, everybody of himself.
NearRows reached_within(const RttMatrix& matrix, Rtt limit) {
  NearRows near(matrix, limit);
  for (std::size_t i = 0; i < near.size(); ++i) near.set(i, i);
  return near;
}

// Whoever reaches most names that nobody reaches yet; who reached how many can only become less, so
// that a count is looked at again only at the top of the heap.
Names cover_greedily(const NearRows& reached, const RadiusGoal& goal) {
  std::vector<Word> open(reached.words());
  for (std::size_t i = 0; i < reached.size(); ++i) put(open, i);
  std::priority_queue<std::pair<std::size_t, std::uint32_t>> waiting;
  for (std::uint32_t i = 0; i < reached.size(); ++i) waiting.push({count_bits(reached.row(i)), ~i});
  std::size_t left = reached.size();
  Names chosen;
  while (left > goal.unreached && chosen.size() < goal.count) {
    const auto [count, turned] = waiting.top();
    waiting.pop();
    const auto row = reached.row(~turned);
    const std::size_t now = count_common(row, open);
    if (now < count) {
      waiting.push({now, turned});
      continue;
    }
    chosen.push_back(~turned);
    leave_out(open, row);
    left -= now;
  }
  if (left > goal.unreached) chosen.clear();
  return chosen;
}

// Names of which no two are reached by the same name, those with fewest neighbours first: one
// center reaches one of them at most.
std::size_t count_apart(const NearRows& reached) {
  Names order(reached.size());
  std::vector<std::size_t> degrees(reached.size());
  for (std::size_t i = 0; i < order.size(); ++i) degrees[i] = count_bits(reached.row(i));
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return degrees[a] < degrees[b]; });
  std::vector<Word> used(reached.words());
  std::size_t count = 0;
  for (const std::uint32_t name : order) {
    const auto row = reached.row(name);
    if (count_common(used, row) != 0) continue;
    ++count;
    add_all(used, row);
  }
  return count;
}

}  // namespace

std::vector<std::uint32_t> smaller_radius(const RttMatrix& matrix, const RadiusGoal& goal) {
  Names best;
  std::uint32_t none = 0, known = goal.radius.us;  // the least is in `none` .. `known`
  while (none < known) {
    const std::uint32_t middle = none + (known - none) / 2;
    Names chosen = cover_greedily(reached_within(matrix, Rtt{middle}), goal);
    if (chosen.empty()) {
      none = middle + 1;
      continue;
    }
    best = std::move(chosen);
    known = middle;
  }
  return best;
}

Rtt radius_at_least(const RttMatrix& matrix, const RadiusGoal& goal) {
  std::uint32_t proven = 0, open = goal.radius.us;
  while (proven < open) {
    // Whether every choice has at least `middle`: is one us less too little?
    const std::uint32_t middle = proven + (open - proven + 1) / 2;
    if (count_apart(reached_within(matrix, Rtt{middle - 1})) > goal.count + goal.unreached)
      proven = middle;
    else
      open = middle - 1;
  }
  return Rtt{proven};
}

}  // namespace gedge
