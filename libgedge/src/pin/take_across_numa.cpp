// Idea: of all sets of k NUMA nodes, k from small to large, that can give equal shares, the one
// that leaves the numbers of free CPUs most even (least standard deviation over all nodes). What
// equal shares leave over goes, group by group, to as many of the nodes as keep it even. Source:
// KEP-2902.
#include "pin/take_across_numa.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace gedge {
namespace {

using Numbers = std::vector<int>;
constexpr double kWorst = std::numeric_limits<double>::max();

// Calls `visit` with every choice of `count` out of `from`, in the order of `from`, until it says
// false.
template <typename Visit>
bool each_choice(const Numbers& from, std::size_t count, std::size_t start, Numbers& chosen,
                 Visit& visit) {
  if (chosen.size() == count) return visit(std::as_const(chosen));
  const std::size_t missing = count - chosen.size();
  for (std::size_t i = start; i + missing <= from.size(); ++i) {
    chosen.push_back(from[i]);
    const bool go_on = each_choice(from, count, i + 1, chosen, visit);
    chosen.pop_back();
    if (!go_on) return false;
  }
  return true;
}

// Of the whole population, to three decimals, halves up: smaller differences are none.
double deviation(const Numbers& values) {
  double sum = 0;
  for (const int value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const int value : values) squares += (value - mean) * (value - mean);
  const double exact = std::sqrt(squares / static_cast<double>(values.size()));
  const double scaled = exact * 1000;
  auto whole = static_cast<std::int64_t>(scaled);
  if (scaled - static_cast<double>(whole) >= 0.5) ++whole;
  return static_cast<double>(whole) / 1000;
}

struct Best {
  double balance = kWorst;
  Numbers nodes, extra;  // who gives shares, who gives what is left over
};

class Search {
 public:
  Search(const CpuTopology& topology, const CpuSet& free, int count, int group)
      : nodes_(order_numa_nodes(topology, free)), count_(count), group_(group) {
    free_in_.resize(topology.units(CpuLevel::kNuma).size());
    for (std::size_t i = 0; i < free_in_.size(); ++i)
      free_in_[i] = topology.units(CpuLevel::kNuma)[i].cpus.common(free);
  }

  const Numbers& nodes() const { return nodes_; }
  int share(std::size_t k) const { return count_ / static_cast<int>(k) / group_ * group_; }

  Best best_of(std::size_t k) {
    Best best;
    Numbers chosen;
    const auto visit = [&](const Numbers& nodes) {
      if (best.balance == 0) return false;
      consider(nodes, best);
      return true;
    };
    each_choice(nodes_, k, 0, chosen, visit);
    return best;
  }

 private:
  int& at(Numbers& list, int node) const { return list[static_cast<std::size_t>(node)]; }
  int free_in(int node) const { return free_in_[static_cast<std::size_t>(node)]; }

  void consider(const Numbers& nodes, Best& best) const {
    int all = 0, groups = 0;
    for (const int node : nodes) {
      all += free_in(node);
      groups += free_in(node) / group_;
    }
    const int part = share(nodes.size());
    if (all < count_ || groups * group_ < count_) return;
    for (const int node : nodes)
      if (free_in(node) < part) return;

    Numbers after = free_in_;
    for (const int node : nodes) at(after, node) -= part;
    const int rest = count_ - part * static_cast<int>(nodes.size());
    Best here;
    if (rest == 0) here.balance = balance(after);
    Numbers able;
    for (const int node : nodes)
      if (at(after, node) >= group_) able.push_back(node);
    for (std::size_t k = able.size(); rest > 0 && k >= 1; --k) stripe(able, k, after, rest, here);
    if (here.balance < best.balance) best = {here.balance, nodes, std::move(here.extra)};
  }

  void stripe(const Numbers& able, std::size_t k, const Numbers& after, int rest,
              Best& here) const {
    Numbers chosen;
    const auto visit = [&](const Numbers& some) {
      Numbers left = after;
      int room = 0;
      for (const int node : some) room += at(left, node);
      if (room < rest) return true;
      for (int open = rest; open > 0;) {
        const int before = open;
        for (const int node : some) {
          if (open == 0) break;
          if (at(left, node) < group_) continue;
          at(left, node) -= group_;
          open -= group_;
        }
        if (open == before) return true;  // halves of cores only: nobody can give a group
      }
      const double even = balance(left);
      if (even < here.balance) {
        here.balance = even;
        here.extra = some;
      }
      return true;
    };
    each_choice(able, k, 0, chosen, visit);
  }

  // Of the nodes that had free CPUs at first.
  double balance(const Numbers& left) const {
    Numbers values;
    for (const int node : nodes_) values.push_back(left[static_cast<std::size_t>(node)]);
    std::sort(values.begin(), values.end());
    return deviation(values);
  }

  Numbers nodes_;  // in the order in which they are filled
  Numbers free_in_;
  int count_, group_;
};

int over(int amount, int size) { return (amount - 1) / size + 1; }

}  // namespace

std::optional<CpuSet> take_across_numa(const CpuTopology& topology, const PackedOptions& options,
                                       const CpuSet& free, int count, int group) {
  Search search(topology, free, count, group);
  const auto& units = topology.units(CpuLevel::kNuma);
  const int groups = over(count, group);
  const int groups_of_node =
      over(over(topology.cpu_count(), group), static_cast<int>(units.size()));
  const int fewest = over(groups, groups_of_node);
  const int most = std::min(groups, static_cast<int>(search.nodes().size()));
  for (int k = fewest; k <= most; ++k) {
    const Best best = search.best_of(static_cast<std::size_t>(k));
    if (best.nodes.empty()) continue;
    CpuSet left = free, taken;
    const auto take = [&](int node, int some) {
      const CpuSet cpus =
          take_packed(topology, options, units[static_cast<std::size_t>(node)].cpus & left, some);
      taken |= cpus;
      left -= cpus;
      return cpus.size();
    };
    const int share = search.share(best.nodes.size());
    int rest = count;
    for (const int node : best.nodes) rest -= take(node, share);
    while (rest > 0)
      for (const int node : best.extra) {
        if (rest <= 0) break;
        if (units[static_cast<std::size_t>(node)].cpus.common(left) < group) continue;
        rest -= take(node, group);
      }
    return taken;
  }
  return std::nullopt;
}

}  // namespace gedge
