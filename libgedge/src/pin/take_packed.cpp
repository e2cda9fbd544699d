// Idea: every step of the kubelet's allocator walks the units of one level in the same order: the
// fewest free CPUs first, ties to the lowest id, level inside level from the largest down. The
// order is made once a step, from the CPUs that are free when the step begins.
#include "pin/take_packed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gedge {
namespace {

using Numbers = std::vector<int>;  // of units of one level, ascending with their ids

class Taking {
 public:
  Taking(const CpuTopology& topology, const CpuSet& free, int count)
      : topology_(topology),
        numa_first_(topology.socket_count() >=
                    static_cast<int>(topology.units(CpuLevel::kNuma).size())),
        free_(free),
        left_(count) {}

  CpuSet run(const PackedOptions& options) {
    const CpuLevel outer = numa_first_ ? CpuLevel::kNuma : CpuLevel::kSocket;
    const CpuLevel inner = numa_first_ ? CpuLevel::kSocket : CpuLevel::kNuma;
    take_whole(outer);
    take_whole(inner);
    if (options.by_cache) take_caches();
    if (!options.spread) take_whole(CpuLevel::kCore);
    if (left_ > 0) take_single(options.spread ? CpuLevel::kSocket : CpuLevel::kCore);
    return taken_;
  }

  Numbers order(CpuLevel level) const {
    switch (level) {
      case CpuLevel::kNuma:
        return numa_first_ ? sorted(level)
                           : nested(order(CpuLevel::kSocket), CpuLevel::kSocket, level);
      case CpuLevel::kSocket:
        return numa_first_ ? nested(order(CpuLevel::kNuma), CpuLevel::kNuma, level) : sorted(level);
      case CpuLevel::kCache:
        return nested(order(CpuLevel::kNuma), CpuLevel::kNuma, level);
      case CpuLevel::kCore:
        break;
    }
    const CpuLevel above = numa_first_ ? CpuLevel::kSocket : CpuLevel::kNuma;
    return nested(order(above), above, level);
  }

 private:
  const CpuUnit& unit(CpuLevel level, int number) const {
    return topology_.units(level)[static_cast<std::size_t>(number)];
  }
  int free_in(CpuLevel level, int number) const { return unit(level, number).cpus.common(free_); }

  void take(const CpuSet& cpus) {
    taken_ |= cpus;
    free_ -= cpus;
    left_ -= cpus.size();
  }

  Numbers sort(Numbers numbers, CpuLevel level) const {
    std::vector<std::pair<int, int>> keys;
    for (const int number : numbers) keys.emplace_back(free_in(level, number), number);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) numbers[i] = keys[i].second;
    return numbers;
  }

  // Those with free CPUs.
  Numbers sorted(CpuLevel level) const {
    Numbers numbers;
    for (int i = 0; i < static_cast<int>(topology_.units(level).size()); ++i)
      if (unit(level, i).cpus.meets(free_)) numbers.push_back(i);
    return sort(std::move(numbers), level);
  }

  Numbers nested(const Numbers& outer, CpuLevel outer_level, CpuLevel level) const {
    std::vector<Numbers> inside(topology_.units(outer_level).size());
    free_.for_each([&](int cpu) {
      Numbers& list = inside[static_cast<std::size_t>(topology_.unit_of(outer_level, cpu))];
      const int number = topology_.unit_of(level, cpu);
      const auto at = std::lower_bound(list.begin(), list.end(), number);
      if (at == list.end() || *at != number) list.insert(at, number);
    });
    Numbers all;
    for (const int number : outer) {
      const Numbers part = sort(std::move(inside[static_cast<std::size_t>(number)]), level);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  // What counts as all of a unit: of sockets and cores the mean of the machine.
  int whole_size(CpuLevel level, int number) const {
    if (level == CpuLevel::kSocket) return topology_.cpus_per_socket();
    if (level == CpuLevel::kCore) return topology_.cpus_per_core();
    return unit(level, number).cpus.size();
  }

  void take_whole(CpuLevel level) {
    if (left_ <= 0) return;
    Numbers whole;
    for (const int number : order(level))
      if (free_in(level, number) == whole_size(level, number)) whole.push_back(number);
    for (const int number : whole) {
      const CpuSet& cpus = unit(level, number).cpus;
      // A mean may call a unit whole that has CPUs which are not free: those are never taken.
      if (left_ >= cpus.size() && cpus.is_subset_of(free_)) take(cpus);
    }
  }

  void take_caches() {
    for (const int cache : order(CpuLevel::kCache)) {
      if (left_ >= topology_.cpus_per_cache()) take_whole(CpuLevel::kCache);
      if (left_ <= 0) return;
      take_part(unit(CpuLevel::kCache, cache).cpus & free_);
      if (left_ <= 0) return;
    }
  }

  // The rest out of one cache, if its lowest cores are enough.
  void take_part(const CpuSet& cache) {
    const int per_core = topology_.cpus_per_core();
    int cores = (left_ + per_core - 1) / per_core;
    CpuSet some;
    for (const CpuUnit& core : topology_.units(CpuLevel::kCore)) {
      if (cores == 0) break;
      if (!core.cpus.meets(cache)) continue;
      some |= core.cpus & free_;
      --cores;
    }
    if (left_ % 2 != 0 && per_core > 1 && some.size() > left_) some.remove(some.last());
    if (some.size() == left_) take(some);
  }

  void take_single(CpuLevel level) {
    for (const int number : order(level)) {
      const CpuSet cpus = unit(level, number).cpus & free_;
      take(cpus.lowest(left_));
      if (left_ <= 0) return;
    }
  }

  const CpuTopology& topology_;
  bool numa_first_;
  CpuSet free_, taken_;
  int left_;
};

}  // namespace

CpuSet take_packed(const CpuTopology& topology, const PackedOptions& options, const CpuSet& free,
                   int count) {
  return Taking(topology, free, count).run(options);
}

std::vector<int> order_numa_nodes(const CpuTopology& topology, const CpuSet& free) {
  return Taking(topology, free, 0).order(CpuLevel::kNuma);
}

}  // namespace gedge
