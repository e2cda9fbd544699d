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
  for (const NumaNode& node : machine.numa_nodes) {
    const auto kept = rules.memory.reserved.find(node.id);
    const std::uint64_t bytes =
        node.memory_bytes - (kept == rules.memory.reserved.end() ? 0 : kept->second);
    memory_[node.id] = {bytes, bytes, 0, {node.id}};
  }
}

int SlowKubelet::cpus_in(const std::set<int>& nodes, const Cpus& among) const {
  int count = 0;
  for (const Cpu& cpu : machine_.cpus)
    count += among.contains(cpu.id) && nodes.contains(cpu.numa) ? 1 : 0;
  return count;
}

std::vector<std::set<int>> SlowKubelet::node_sets() const {
  std::vector<std::set<int>> sets;
  const std::size_t count = machine_.numa_nodes.size();
  for (unsigned bits = 1; bits < 1u << count; ++bits) {
    sets.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      if ((bits >> i & 1) != 0) sets.back().insert(machine_.numa_nodes[i].id);
  }
  return sets;
}

std::vector<SlowKubelet::Hint> SlowKubelet::cpu_hints(int cpus) const {
  if (cpus == 0) return {{{}, true}};
  std::size_t fewest = machine_.numa_nodes.size() + 1;  // nodes that an empty machine needs
  std::vector<Hint> hints;
  for (const std::set<int>& nodes : node_sets()) {
    if (cpus_in(nodes, all_) >= cpus) fewest = std::min(fewest, nodes.size());
    if (cpus_in(nodes, free_) >= cpus) hints.push_back({nodes, false});
  }
  for (Hint& hint : hints) hint.preferred = hint.nodes.size() == fewest;
  if (hints.empty()) hints.push_back({{}, false});
  return hints;
}

// Of several nodes, all are new to it or in just this group.
bool SlowKubelet::can_group(const std::set<int>& nodes) const {
  if (nodes.size() == 1) return true;
  for (const int id : nodes)
    if (memory_.at(id).holders > 0 && memory_.at(id).group != nodes) return false;
  return true;
}

std::vector<SlowKubelet::Hint> SlowKubelet::memory_hints(std::uint64_t bytes) const {
  std::size_t fewest = machine_.numa_nodes.size();
  std::vector<Hint> hints;
  for (const std::set<int>& nodes : node_sets()) {
    std::uint64_t all = 0, free = 0;
    for (const int id : nodes) {
      all += memory_.at(id).all;
      free += memory_.at(id).free;
    }
    if (all >= bytes) fewest = std::min(fewest, nodes.size());
    const bool alone = nodes.size() > 1 || memory_.at(*nodes.begin()).group.size() == 1;
    if (free >= bytes && alone && can_group(nodes)) hints.push_back({nodes, false});
  }
  for (Hint& hint : hints) hint.preferred = hint.nodes.size() == fewest;
  return hints;
}

// Every pair of hints. Pairs that are not preferred: as many nodes as the needier of both has to
// have are best, fewer are better than more.
SlowKubelet::Choice SlowKubelet::choose(int cpus, std::uint64_t bytes) const {
  const TopologyPolicy policy = rules_.topology.policy;
  if (policy == TopologyPolicy::kNone) return {true, {}, false};
  std::vector<Hint> first = cpu_hints(cpus), second;
  if (rules_.memory.is_static && bytes > 0) second = memory_hints(bytes);
  if (second.empty()) second.push_back({{}, true});
  const bool single = policy == TopologyPolicy::kSingleNumaNode;
  std::size_t needed = 0;
  for (std::vector<Hint>* const list : {&first, &second}) {
    if (single)
      std::erase_if(*list, [](const Hint& h) { return !h.preferred || h.nodes.size() > 1; });
    std::size_t fewest = 0;
    for (const Hint& hint : *list)
      if (!hint.nodes.empty() && (fewest == 0 || hint.nodes.size() < fewest))
        fewest = hint.nodes.size();
    needed = std::max(needed, fewest);
  }
  const std::set<int> all = node_sets().back();
  const auto wins = [&](const Hint& a, const Hint& b) {
    if (a.preferred != b.preferred) return a.preferred;
    const std::size_t size = a.nodes.size(), other = b.nodes.size();
    if (a.preferred || size == other) return is_narrower(a.nodes, b.nodes);
    if ((size > needed) != (other > needed)) return size <= needed;
    return size > needed ? size < other : size > other;
  };
  std::optional<Hint> best;
  for (const Hint& a : first)
    for (const Hint& b : second) {
      Hint both{
          {},
          a.preferred && b.preferred && (a.nodes.empty() || b.nodes.empty() || a.nodes == b.nodes)};
      for (const int id : all)
        if ((a.nodes.empty() || a.nodes.contains(id)) && (b.nodes.empty() || b.nodes.contains(id)))
          both.nodes.insert(id);
      if (!both.nodes.empty() && (!best || wins(both, *best))) best = both;
    }
  if (!best) best = Hint{all, false};
  Choice choice{policy == TopologyPolicy::kBestEffort || best->preferred, best->nodes,
                best->preferred};
  if (single && choice.nodes == all) choice.nodes.clear();
  return choice;
}

bool SlowKubelet::take_memory(std::uint64_t bytes, const Choice& choice) {
  if (!rules_.memory.is_static || bytes == 0) return true;
  Hint chosen{choice.nodes, choice.preferred};
  std::uint64_t free = 0;
  for (const int id : chosen.nodes) free += memory_.at(id).free;
  if (chosen.nodes.empty() || free < bytes) {
    std::optional<Hint> best;
    for (const Hint& hint : memory_hints(bytes)) {
      if (!std::includes(hint.nodes.begin(), hint.nodes.end(), chosen.nodes.begin(),
                         chosen.nodes.end()))
        continue;
      if (!best || (hint.preferred && !best->preferred) ||
          (hint.preferred == best->preferred && is_narrower(hint.nodes, best->nodes)))
        best = hint;
    }
    if (!best || (chosen.preferred && !best->preferred)) return false;
    chosen = *best;
  }
  if (!can_group(chosen.nodes)) return false;
  for (const int id : chosen.nodes) {
    Memory& node = memory_.at(id);
    ++node.holders;
    node.group = chosen.nodes;
    const std::uint64_t some = std::min(bytes, node.free);
    node.free -= some;
    bytes -= some;
  }
  return true;
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

std::optional<std::vector<Cpus>> SlowKubelet::admit(const std::vector<int>& containers,
                                                    const std::vector<std::uint64_t>& memory) {
  const Cpus before = free_;
  const std::map<int, Memory> memory_before = memory_;
  std::vector<std::uint64_t> bytes = memory;
  bytes.resize(containers.size());
  int sum = 0;
  std::uint64_t all_bytes = 0;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    sum += containers[i];
    all_bytes += bytes[i];
  }
  const bool whole = rules_.topology.scope == TopologyScope::kPod;
  Choice choice = choose(sum, all_bytes);
  std::vector<Cpus> given;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const int cpus = containers[i];
    if (!whole) choice = choose(cpus, bytes[i]);
    const auto taken = !choice.content ? std::nullopt
                       : cpus == 0     ? std::optional(Cpus{})
                                       : take(cpus, choice.nodes);
    if (!taken || !take_memory(bytes[i], choice)) {
      free_ = before;
      memory_ = memory_before;
      return std::nullopt;
    }
    for (const int cpu : *taken) free_.erase(cpu);
    given.push_back(*taken);
  }
  return given;
}

}  // namespace gedge::test
