#include "support/machines.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>

namespace gedge::test {
namespace {

struct Thread {
  int socket = 0, core = 0, thread = 0;  // core: in its socket
};

std::vector<Thread> in_order(const Shape& shape) {
  std::vector<Thread> all;
  for (int socket = 0; socket < shape.sockets; ++socket)
    for (int core = 0; core < shape.cores; ++core) {
      const int threads = core >= shape.cores - shape.frugal_cores ? 1 : shape.threads;
      for (int thread = 0; thread < threads; ++thread) all.push_back({socket, core, thread});
    }
  if (shape.numbering != Numbering::kSiblingsTogether)
    std::stable_sort(all.begin(), all.end(),
                     [](const Thread& a, const Thread& b) { return a.thread < b.thread; });
  if (shape.numbering == Numbering::kSocketsInTurn)
    std::stable_sort(all.begin(), all.end(), [](const Thread& a, const Thread& b) {
      return a.thread != b.thread ? a.thread < b.thread : a.core < b.core;
    });
  return all;
}

// By lowest CPU, as a Machine has them.
void sort_caches(Machine& machine) {
  std::sort(machine.caches.begin(), machine.caches.end(),
            [](const Cache& a, const Cache& b) { return a.cpus.first() < b.cpus.first(); });
  for (Cpu& cpu : machine.cpus)
    for (std::size_t i = 0; i < machine.caches.size(); ++i)
      if (machine.caches[i].cpus.contains(cpu.id)) cpu.cache = static_cast<int>(i);
}

}  // namespace

std::string Shape::text() const {
  std::string text = std::to_string(sockets) + " sockets, " + std::to_string(nodes) +
                     " nodes each, " + std::to_string(cores) + " cores, " +
                     std::to_string(threads) + " threads, " + std::to_string(caches) +
                     " caches, numbering " + std::to_string(static_cast<int>(numbering)) + ", " +
                     std::to_string(frugal_cores) + " frugal, offline";
  for (const int cpu : offline) text += ' ' + std::to_string(cpu);
  return text;
}

Machine make_machine(const Shape& shape) {
  Machine machine;
  std::map<std::pair<int, int>, int> lowest;  // of a core
  const std::vector<Thread> threads = in_order(shape);
  for (int id = 0; id < static_cast<int>(threads.size()); ++id) {
    if (std::find(shape.offline.begin(), shape.offline.end(), id) != shape.offline.end()) {
      machine.offline.add(id);
      continue;
    }
    const Thread& at = threads[static_cast<std::size_t>(id)];
    const int core = lowest.emplace(std::pair(at.socket, at.core), id).first->second;
    const int node =
        shape.nodes == 0 ? 0 : at.socket * shape.nodes + at.core * shape.nodes / shape.cores;
    const int cache = at.socket * shape.caches + at.core * shape.caches / shape.cores;
    int kind = -1;
    if (shape.frugal_cores > 0) kind = at.core >= shape.cores - shape.frugal_cores ? 0 : 1;
    machine.cpus.push_back({id, core, at.socket, node, cache, kind});
  }
  for (const Cpu& cpu : machine.cpus) {
    const auto node = static_cast<std::size_t>(cpu.numa);
    const auto cache = static_cast<std::size_t>(cpu.cache);
    if (machine.numa_nodes.size() <= node) machine.numa_nodes.resize(node + 1);
    if (machine.caches.size() <= cache) machine.caches.resize(cache + 1);
    machine.numa_nodes[node].id = cpu.numa;
    machine.numa_nodes[node].cpus.add(cpu.id);
    machine.caches[cache].level = 3;
    machine.caches[cache].cpus.add(cpu.id);
  }
  sort_caches(machine);
  return machine;
}

std::vector<Shape> many_shapes() {
  std::vector<Shape> all;
  for (const int threads : {1, 2, 4})
    for (const auto numbering :
         {Numbering::kSiblingsTogether, Numbering::kSiblingsApart, Numbering::kSocketsInTurn}) {
      all.push_back({1, 1, 4, threads, numbering, 2});
      all.push_back({2, 1, 3, threads, numbering, 1});
      all.push_back({2, 2, 4, threads, numbering, 2});
      all.push_back({2, 0, 3, threads, numbering, 1});
    }
  all.push_back({1, 4, 8, 2, Numbering::kSiblingsApart, 4});  // sub-NUMA clusters
  all.push_back({4, 2, 4, 1, Numbering::kSocketsInTurn, 1});  // 8 NUMA nodes
  all.push_back({8, 1, 2, 2, Numbering::kSiblingsTogether, 1});
  all.push_back({1, 2, 6, 2, Numbering::kSiblingsApart, 1});        // nodes smaller than the cache
  all.push_back({1, 1, 6, 2, Numbering::kSiblingsTogether, 1, 4});  // hybrid
  all.push_back({2, 1, 5, 2, Numbering::kSiblingsApart, 1, 2});
  all.push_back({2, 1, 4, 2, Numbering::kSiblingsApart, 2, 0, {3, 9}});  // CPUs offline
  all.push_back({2, 2, 4, 2, Numbering::kSiblingsTogether, 2, 0, {0, 1, 7}});
  return all;
}

}  // namespace gedge::test
