#include "pin/take_1_20.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace gedge {
namespace {

// Go sorts so few by insertion, whatever the order.
constexpr std::size_t kFew = 12;

// Upstream compares by `before` alone, which is no order: a later criterion may overrule an earlier
// one. What insertion sort makes of that is what it does with few. Of many, its sort makes what the
// order that was meant does, as far as the recorded answers show.
template <typename T, typename Before, typename Meant>
void sort_as_upstream(std::vector<T>& list, Before before, Meant meant) {
  if (list.size() > kFew) {
    std::sort(list.begin(), list.end(),
              [&](const T& a, const T& b) { return meant(a) < meant(b); });
    return;
  }
  for (std::size_t i = 1; i < list.size(); ++i)
    for (std::size_t j = i; j > 0 && before(list[j], list[j - 1]); --j)
      std::swap(list[j], list[j - 1]);
}

class Taking {
 public:
  Taking(const CpuTopology& topology, const CpuSet& free, int count)
      : topology_(topology), free_(free), left_(count) {}

  CpuSet run() {
    for (const CpuUnit* socket : whole(CpuLevel::kSocket, topology_.cpus_per_socket()))
      if (left_ >= topology_.cpus_per_socket()) take(socket->cpus & free_);
    if (left_ > 0)
      for (const CpuUnit* core : free_cores())
        if (left_ >= topology_.cpus_per_core()) take(core->cpus & free_);
    if (left_ > 0)
      for (const int cpu : free_cpus())
        if (left_ > 0) take(CpuSet{cpu});
    return taken_;
  }

 private:
  void take(const CpuSet& cpus) {
    taken_ |= cpus;
    free_ -= cpus;
    left_ -= cpus.size();
  }

  // As many free as the mean of the machine: all, on most machines.
  std::vector<const CpuUnit*> whole(CpuLevel level, int size) const {
    std::vector<const CpuUnit*> units;
    for (const CpuUnit& unit : topology_.units(level))
      if (unit.cpus.common(free_) == size) units.push_back(&unit);
    return units;
  }

  std::vector<const CpuUnit*> free_cores() const {
    struct Socket {
      int id = 0;
      std::vector<const CpuUnit*> cores;
    };
    std::vector<Socket> sockets;
    const auto cores = whole(CpuLevel::kCore, topology_.cpus_per_core());
    for (const CpuUnit& socket : topology_.units(CpuLevel::kSocket)) {
      if (!socket.cpus.meets(free_)) continue;
      Socket& entry = sockets.emplace_back(Socket{socket.id, {}});
      for (const CpuUnit* core : cores)
        if (core->cpus.meets(socket.cpus)) entry.cores.push_back(core);
    }
    sort_as_upstream(
        sockets,
        [](const Socket& a, const Socket& b) {
          return a.cores.size() < b.cores.size() || a.id < b.id;
        },
        [](const Socket& a) { return std::tuple(a.cores.size(), a.id); });
    std::vector<const CpuUnit*> sorted;
    for (const Socket& socket : sockets)
      sorted.insert(sorted.end(), socket.cores.begin(), socket.cores.end());
    return sorted;
  }

  std::vector<int> free_cpus() const {
    struct Core {
      int id = 0, socket = 0, taken_beside = 0, free_beside = 0;
      CpuSet free;
    };
    std::vector<Core> cores;
    for (const CpuUnit& unit : topology_.units(CpuLevel::kCore)) {
      if (!unit.cpus.meets(free_)) continue;
      const CpuUnit& socket = topology_.units(CpuLevel::kSocket)[static_cast<std::size_t>(
          topology_.unit_of(CpuLevel::kSocket, unit.cpus.first()))];
      cores.push_back({unit.id, socket.id, socket.cpus.common(taken_), socket.cpus.common(free_),
                       unit.cpus & free_});
    }
    sort_as_upstream(
        cores,
        [](const Core& a, const Core& b) {
          return a.taken_beside > b.taken_beside || a.free_beside < b.free_beside ||
                 a.free.size() < b.free.size() || a.socket < b.socket || a.id < b.id;
        },
        [](const Core& a) {
          return std::tuple(-a.taken_beside, a.free_beside, a.free.size(), a.socket, a.id);
        });
    std::vector<int> cpus;
    for (const Core& core : cores) core.free.for_each([&](int cpu) { cpus.push_back(cpu); });
    return cpus;
  }

  const CpuTopology& topology_;
  CpuSet free_, taken_;
  int left_;
};

}  // namespace

CpuSet take_by_1_20(const CpuTopology& topology, const CpuSet& free, int count) {
  return Taking(topology, free, count).run();
}

}  // namespace gedge
