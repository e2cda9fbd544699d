#include "gedge/pin/cpu_topology.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <utility>

namespace gedge {
namespace {

constexpr int kFirstSocket = std::numeric_limits<int>::min();  // no cache has such a number

}  // namespace

CpuTopology::CpuTopology(const Machine& machine, KubeletForm form)
    : form_(form), cpus_(machine.cpu_set()), count_(cpus_.size()) {
  assert(count_ > 0);
  using Ids = std::vector<std::pair<int, int>>;
  Ids sockets, nodes, caches, cores;
  for (const Cpu& cpu : machine.cpus) {
    sockets.emplace_back(cpu.id, cpu.socket);
    nodes.emplace_back(cpu.id, cpu.numa);
    // Without such a cache the kubelet takes the socket for one, lower sockets first.
    caches.emplace_back(cpu.id, cpu.cache >= 0 ? cpu.cache : kFirstSocket + cpu.socket);
    cores.emplace_back(cpu.id, cpu.core);
  }
  group(CpuLevel::kSocket, sockets);
  group(CpuLevel::kNuma, nodes);
  group(CpuLevel::kCache, caches);
  group(CpuLevel::kCore, cores);
  // 1.20 took the machine's list of NUMA nodes for one of sockets.
  const CpuLevel counted = form == KubeletForm::k1_20 ? CpuLevel::kNuma : CpuLevel::kSocket;
  sockets_ = static_cast<int>(units(counted).size());
}

void CpuTopology::group(CpuLevel level, const std::vector<std::pair<int, int>>& id_of_cpu) {
  std::map<int, CpuSet> sets;
  for (const auto& [cpu, id] : id_of_cpu) sets[id].add(cpu);
  auto& of = unit_of_[index(level)];
  of.assign(static_cast<std::size_t>(cpus_.last()) + 1, -1);
  for (auto& [id, set] : sets) {
    const int number = static_cast<int>(units_[index(level)].size());
    set.for_each([&](int cpu) { of[static_cast<std::size_t>(cpu)] = number; });
    units_[index(level)].push_back({id, std::move(set)});
  }
}

}  // namespace gedge
