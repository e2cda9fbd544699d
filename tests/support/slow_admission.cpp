#include "support/slow_admission.hpp"

#include <algorithm>

namespace gedge::test {
namespace {

// By size, then by the number that the nodes are as bits.
bool is_narrower(const std::set<int>& a, const std::set<int>& b) {
  const auto bits = [](const std::set<int>& nodes) {
    unsigned sum = 0;
    for (const int node : nodes) sum |= 1u << node;
    return sum;
  };
  return a.size() != b.size() ? a.size() < b.size() : bits(a) < bits(b);
}

}  // namespace

SlowKubelet::SlowKubelet(const Machine& machine, const KubeletRules& rules, const Cpus& reserved)
    : machine_(machine), rules_(rules) {
  for (const Cpu& cpu : machine.cpus) {
    all_.insert(cpu.id);
    if (!reserved.contains(cpu.id)) free_.insert(cpu.id);
  }
}

int SlowKubelet::cpus_in(const std::set<int>& nodes, const Cpus& among) const {
  int count = 0;
  for (const Cpu& cpu : machine_.cpus)
    count += among.contains(cpu.id) && nodes.contains(cpu.numa) ? 1 : 0;
  return count;
}

SlowKubelet::Choice SlowKubelet::choose(int cpus) const {
  const TopologyPolicy policy = rules_.topology.policy;
  if (cpus == 0 || policy == TopologyPolicy::kNone) return {true, {}};
  const std::size_t count = machine_.numa_nodes.size();
  std::size_t fewest = count + 1;  // nodes that an empty machine needs
  std::vector<std::set<int>> possible;
  for (unsigned bits = 1; bits < 1u << count; ++bits) {
    std::set<int> nodes;
    for (std::size_t i = 0; i < count; ++i)
      if ((bits >> i & 1) != 0) nodes.insert(machine_.numa_nodes[i].id);
    if (cpus_in(nodes, all_) >= cpus) fewest = std::min(fewest, nodes.size());
    if (cpus_in(nodes, free_) >= cpus) possible.push_back(nodes);
  }
  const auto best = std::min_element(possible.begin(), possible.end(), is_narrower);
  const bool preferred = best != possible.end() && best->size() == fewest;
  Choice choice;
  if (best != possible.end()) choice.nodes = *best;
  if (policy == TopologyPolicy::kBestEffort) choice.content = true;
  if (policy == TopologyPolicy::kRestricted) choice.content = preferred;
  if (policy == TopologyPolicy::kSingleNumaNode) choice.content = preferred && best->size() == 1;
  return choice;
}

std::optional<Cpus> SlowKubelet::take(int cpus, const std::set<int>& nodes) const {
  SlowOptions options;
  options.whole_cores = rules_.cpu.full_pcpus_only;
  options.across_numa = rules_.cpu.distribute_cpus_across_numa;
  if (options.whole_cores) {
    std::map<int, int> threads, left;
    for (const Cpu& cpu : machine_.cpus) {
      ++threads[cpu.core];
      left[cpu.core] += free_.contains(cpu.id) ? 1 : 0;
    }
    const int per_core = static_cast<int>(machine_.cpus.size() / threads.size());
    int whole = 0;
    for (const auto& [core, count] : threads) whole += left[core] == count ? count : 0;
    if (cpus % per_core != 0 || cpus > whole) return std::nullopt;
  }
  if (nodes.empty()) return slow_take(machine_, options, free_, cpus);
  return slow_take_near(machine_, options, free_, cpus, nodes);
}

std::optional<std::vector<Cpus>> SlowKubelet::admit(const std::vector<int>& containers) {
  const Cpus before = free_;
  int sum = 0;
  for (const int cpus : containers) sum += cpus;
  const bool whole = rules_.topology.scope == TopologyScope::kPod;
  Choice choice = choose(sum);
  std::vector<Cpus> given;
  for (const int cpus : containers) {
    if (!whole) choice = choose(cpus);
    const auto taken = !choice.content ? std::nullopt
                       : cpus == 0     ? std::optional(Cpus{})
                                       : take(cpus, choice.nodes);
    if (!taken) {
      free_ = before;
      return std::nullopt;
    }
    for (const int cpu : *taken) free_.erase(cpu);
    given.push_back(*taken);
  }
  return given;
}

}  // namespace gedge::test
