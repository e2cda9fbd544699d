#include "support/slow_cpus.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

namespace gedge::test {
namespace {

enum Level { kSocket, kNode, kCache, kCore };

// A socket counts as one where there is none.
int cache_of(const Cpu& cpu) {
  constexpr int kBeforeAll = -1'000'000;
  return cpu.cache < 0 ? kBeforeAll + cpu.socket : cpu.cache;
}

class Slow {
 public:
  Slow(const Machine& machine, const SlowOptions& options) : options_(options) {
    for (const Cpu& cpu : machine.cpus) {
      of_[cpu.id] = {cpu.socket, cpu.numa, cache_of(cpu), cpu.core};
      for (int level = 0; level < 4; ++level)
        all_[static_cast<std::size_t>(level)][of_[cpu.id][static_cast<std::size_t>(level)]].insert(
            cpu.id);
    }
    nodes_above_ = ids(kSocket) >= ids(kNode);
  }

  Cpus packed(Cpus free, int count, bool by_cache) const {
    Cpus taken;
    const auto take = [&](const Cpus& some) {
      for (const int cpu : some) {
        taken.insert(cpu);
        free.erase(cpu);
      }
    };
    const auto missing = [&] { return count - static_cast<int>(taken.size()); };
    const auto take_whole = [&](Level level) {
      std::vector<int> whole;
      for (const int id : walk(level, free))
        if (size(inside(level, id, free)) == whole_size(level, id)) whole.push_back(id);
      for (const int id : whole)
        if (missing() >= size(all(level, id)) &&
            size(inside(level, id, free)) == size(all(level, id)))
          take(all(level, id));
    };
    take_whole(nodes_above_ ? kNode : kSocket);
    take_whole(nodes_above_ ? kSocket : kNode);
    if (by_cache && missing() > 0)
      for (const int cache : walk(kCache, free)) {
        if (missing() >= cpus() / ids(kCache)) take_whole(kCache);
        if (missing() == 0) break;
        take(rest_of_cache(inside(kCache, cache, free), missing()));
        if (missing() == 0) break;
      }
    if (!options_.across_cores) take_whole(kCore);
    const Level single = options_.across_cores ? kSocket : kCore;
    for (const int id : missing() > 0 ? walk(single, free) : std::vector<int>{})
      for (const int cpu : inside(single, id, free))
        if (missing() > 0) take({cpu});
    return taken;
  }

  std::optional<Cpus> across(const Cpus& free, int count) const {
    const int group = options_.whole_cores ? cpus() / ids(kCore) : 1;
    if (count % group != 0) return std::nullopt;
    const std::vector<int> nodes = walk(kNode, free);
    const int groups = count / group;
    const int a_node = up(up(cpus(), group), ids(kNode));
    for (int k = up(groups, a_node); k <= std::min(groups, static_cast<int>(nodes.size())); ++k) {
      double best = std::numeric_limits<double>::max();
      std::vector<int> best_nodes, best_extra;
      for (const std::vector<int>& some : choices(nodes, k)) {
        std::vector<int> extra;
        const double balance = even(nodes, some, free, count, group, extra);
        if (balance < best) {
          best = balance;
          best_nodes = some;
          best_extra = extra;
        }
        if (best == 0) break;
      }
      if (best_nodes.empty()) continue;
      return shares(free, count, group, best_nodes, best_extra);
    }
    return std::nullopt;
  }

  Cpus near(const Cpus& free, const std::set<int>& nodes) const {
    std::set<int> sockets;
    for (const auto& [cpu, of] : of_)
      if (nodes.count(of[kNode]) != 0) sockets.insert(of[kSocket]);
    Cpus near;
    for (const int cpu : free)
      if (options_.by_socket ? sockets.count(of_.at(cpu)[kSocket]) != 0
                             : nodes.count(of_.at(cpu)[kNode]) != 0)
        near.insert(cpu);
    return near;
  }

 private:
  static int size(const Cpus& set) { return static_cast<int>(set.size()); }
  static int up(int amount, int by) { return (amount + by - 1) / by; }
  int cpus() const { return static_cast<int>(of_.size()); }
  int ids(Level level) const { return static_cast<int>(all_[level].size()); }
  const Cpus& all(Level level, int id) const { return all_[level].at(id); }

  Cpus inside(Level level, int id, const Cpus& free) const {
    Cpus some;
    for (const int cpu : free)
      if (of_.at(cpu)[level] == id) some.insert(cpu);
    return some;
  }

  int whole_size(Level level, int id) const {
    if (level == kSocket) return cpus() / ids(kSocket);
    if (level == kCore) return cpus() / ids(kCore);
    return size(all(level, id));
  }

  // Sorted by how many are free in each level above, then here; ids where as many are free.
  std::vector<int> walk(Level level, const Cpus& free) const {
    std::vector<Level> path;
    const Level high = nodes_above_ ? kNode : kSocket, low = nodes_above_ ? kSocket : kNode;
    path.push_back(high);
    if (level != high) path.push_back(low);
    if (level == kCache && nodes_above_) path.pop_back();
    if (level != high && level != low) path.push_back(level);
    std::map<std::vector<int>, int> keys;
    for (const int cpu : free) {
      std::vector<int> key;
      for (const Level at : path) {
        key.push_back(size(inside(at, of_.at(cpu)[at], free)));
        key.push_back(of_.at(cpu)[at]);
      }
      keys[key] = of_.at(cpu)[level];
    }
    std::vector<int> sorted;
    for (const auto& [key, id] : keys) sorted.push_back(id);
    return sorted;
  }

  Cpus rest_of_cache(const Cpus& cache, int missing) const {
    const int threads = cpus() / ids(kCore);
    std::set<int> cores;
    for (const int cpu : cache) cores.insert(of_.at(cpu)[kCore]);
    while (static_cast<int>(cores.size()) > up(missing, threads)) cores.erase(*cores.rbegin());
    Cpus some;
    for (const int cpu : cache)
      if (cores.count(of_.at(cpu)[kCore]) != 0) some.insert(cpu);
    if (missing % 2 != 0 && threads > 1 && size(some) > missing) some.erase(*some.rbegin());
    return size(some) == missing ? some : Cpus{};
  }

  static std::vector<std::vector<int>> choices(const std::vector<int>& from, int k) {
    std::vector<bool> in(from.size(), false);
    std::fill(in.begin(), in.begin() + k, true);
    std::vector<std::vector<int>> all;
    do {
      std::vector<int>& some = all.emplace_back();
      for (std::size_t i = 0; i < from.size(); ++i)
        if (in[i]) some.push_back(from[i]);
    } while (std::prev_permutation(in.begin(), in.end()));
    return all;
  }

  static double deviation(const std::map<int, int>& left) {
    double sum = 0, squares = 0;
    for (const auto& [node, count] : left) sum += count;
    const double mean = sum / static_cast<double>(left.size());
    for (const auto& [node, count] : left) squares += (count - mean) * (count - mean);
    return std::round(std::sqrt(squares / static_cast<double>(left.size())) * 1000) / 1000;
  }

  double even(const std::vector<int>& nodes, const std::vector<int>& some, const Cpus& free,
              int count, int group, std::vector<int>& extra) const {
    constexpr double kNever = std::numeric_limits<double>::max();
    const int k = static_cast<int>(some.size());
    const int share = count / k / group * group;
    std::map<int, int> left;
    for (const int node : nodes) left[node] = size(inside(kNode, node, free));
    int groups = 0;
    for (const int node : some) {
      groups += left[node] / group;
      if (left[node] < share) return kNever;
    }
    if (groups * group < count) return kNever;
    for (const int node : some) left[node] -= share;
    if (count == share * k) return deviation(left);
    std::vector<int> able;
    for (const int node : some)
      if (left[node] >= group) able.push_back(node);
    double best = kNever;
    for (int among = static_cast<int>(able.size()); among >= 1; --among)
      for (const std::vector<int>& givers : choices(able, among)) {
        std::map<int, int> then = left;
        int rest = count - share * k, room = 0;
        for (const int node : givers) room += left[node] / group * group;
        if (room < rest) continue;
        for (std::size_t i = 0; rest > 0; i = (i + 1) % givers.size())
          if (then[givers[i]] >= group) {
            then[givers[i]] -= group;
            rest -= group;
          }
        if (deviation(then) < best) {
          best = deviation(then);
          extra = givers;
        }
      }
    return best;
  }

  Cpus shares(const Cpus& free, int count, int group, const std::vector<int>& nodes,
              const std::vector<int>& extra) const {
    Cpus left = free, taken;
    const auto give = [&](int node, int some) {
      for (const int cpu : packed(inside(kNode, node, left), some, false)) {
        taken.insert(cpu);
        left.erase(cpu);
      }
    };
    for (const int node : nodes) give(node, count / static_cast<int>(nodes.size()) / group * group);
    for (std::size_t i = 0; size(taken) < count; i = (i + 1) % extra.size())
      if (size(inside(kNode, extra[i], left)) >= group) give(extra[i], group);
    return taken;
  }

  SlowOptions options_;
  std::map<int, std::vector<int>> of_;
  std::map<int, Cpus> all_[4];
  bool nodes_above_ = false;
};

}  // namespace

std::optional<Cpus> slow_take(const Machine& machine, const SlowOptions& options, const Cpus& free,
                              int count) {
  if (count > static_cast<int>(free.size())) return std::nullopt;
  if (count == 0) return Cpus{};
  const Slow slow(machine, options);
  if (options.across_numa)
    if (auto shares = slow.across(free, count)) return shares;
  return slow.packed(free, count, options.by_cache && !options.across_numa);
}

std::optional<Cpus> slow_take_near(const Machine& machine, const SlowOptions& options,
                                   const Cpus& free, int count, const std::set<int>& nodes) {
  const Cpus near = Slow(machine, options).near(free, nodes);
  auto taken = slow_take(machine, options, near, std::min(count, static_cast<int>(near.size())));
  Cpus left = free;
  for (const int cpu : *taken) left.erase(cpu);
  const auto rest = slow_take(machine, options, left, count - static_cast<int>(taken->size()));
  if (!rest) return std::nullopt;
  taken->insert(rest->begin(), rest->end());
  return taken;
}

}  // namespace gedge::test
