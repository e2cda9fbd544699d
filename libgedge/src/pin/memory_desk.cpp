#include "gedge/pin/memory_desk.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

PinRefusal refuse(const std::string& why) {
  return {"UnexpectedAdmissionError",
          "Allocate failed due to [memorymanager] " + why + ", which is unexpected"};
}

bool is_in(const NumaMask nodes, int id) { return (nodes & numa_bit(id)) != 0; }

// Preferred ones first, of these the narrowest.
const NumaHint* best_of(const std::vector<NumaHint>& hints, NumaMask around) {
  const NumaHint* best = nullptr;
  for (const NumaHint& hint : hints) {
    if ((*hint.nodes & around) != around) continue;
    const bool wins = best == nullptr || (hint.preferred && !best->preferred) ||
                      (hint.preferred == best->preferred && is_narrower(*hint.nodes, *best->nodes));
    if (wins) best = &hint;
  }
  return best;
}

Status check_reserved(const Machine& machine, const MemoryRules& rules) {
  std::uint64_t sum = 0;
  for (const auto& [id, bytes] : rules.reserved) {
    const auto is_it = [id = id](const NumaNode& node) { return node.id == id; };
    const auto node = std::find_if(machine.numa_nodes.begin(), machine.numa_nodes.end(), is_it);
    if (node == machine.numa_nodes.end())
      return invalid_input("the reserved memory configuration references a NUMA node " +
                           std::to_string(id) + " that does not exist on this machine");
    if (node->memory_bytes < bytes)
      return invalid_input("NUMA node " + std::to_string(id) + " has " +
                           std::to_string(node->memory_bytes) + " bytes, and " +
                           std::to_string(bytes) + " are reserved");
    sum += bytes;
  }
  if (rules.reserved_by_node && sum != *rules.reserved_by_node)
    return invalid_input("the total amount \"" + std::to_string(sum) +
                             "\" of type \"memory\" is not equal to the value \"" +
                             std::to_string(*rules.reserved_by_node) +
                             "\" determined by Node Allocatable feature",
                         {},
                         "let reservedMemory be what kubeReserved, systemReserved and evictionHard "
                         "(100Mi where it is not set) are together");
  if (sum == 0)
    return invalid_input("[memorymanager] you should specify the system reserved memory", {},
                         "set reservedMemory");
  return {};
}

}  // namespace

Result<MemoryDesk> MemoryDesk::create(const Machine& machine, const MemoryRules& rules) {
  MemoryDesk desk;
  if (!rules.is_static) return desk;
  GEDGE_TRY(check_reserved(machine, rules));
  for (const NumaNode& node : machine.numa_nodes) {
    const auto reserved = rules.reserved.find(node.id);
    const std::uint64_t bytes =
        node.memory_bytes - (reserved == rules.reserved.end() ? 0 : reserved->second);
    desk.nodes_.push_back({node.id, node.memory_bytes, node.memory_bytes - bytes, bytes, bytes, 0,
                           numa_bit(node.id)});
  }
  return desk;
}

std::uint64_t MemoryDesk::free_in(NumaMask nodes) const {
  std::uint64_t free = 0;
  for (const Node& node : nodes_)
    if (is_in(nodes, node.id)) free += node.free;
  return free;
}

// One node may give to many as long as it gives alone.
bool MemoryDesk::breaks_group(NumaMask nodes) const {
  if (count_of(nodes) == 1) return false;
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    return is_in(nodes, node.id) && node.holders > 0 && node.group != nodes;
  });
}

std::uint64_t MemoryDesk::reusable(const std::string& uid, NumaMask nodes) const {
  const auto at = reusable_.find(nodes);
  return uid == reusing_ && at != reusable_.end() ? at->second : 0;
}

std::vector<NumaHint> MemoryDesk::hints(const std::string& uid, std::uint64_t bytes) const {
  std::vector<int> ids;
  for (const Node& node : nodes_) ids.push_back(node.id);
  std::vector<NumaHint> all;
  int fewest = static_cast<int>(ids.size());
  each_numa_mask(ids, [&](NumaMask nodes) {
    std::uint64_t allocatable = 0;
    bool grouped = false;
    for (const Node& node : nodes_) {
      if (!is_in(nodes, node.id)) continue;
      allocatable += node.allocatable;
      grouped = grouped || count_of(node.group) > 1;
    }
    if (allocatable < bytes) return;
    fewest = std::min(fewest, count_of(nodes));
    if ((count_of(nodes) == 1 && grouped) || breaks_group(nodes)) return;
    if (free_in(nodes) + reusable(uid, nodes) >= bytes) all.push_back({nodes, false});
  });
  for (NumaHint& hint : all) hint.preferred = count_of(*hint.nodes) == fewest;
  return all;
}

NumaHints MemoryDesk::hints(const PodCpus& pod, const CpuRequest& request) const {
  if (nodes_.empty() || request.memory_bytes == 0) return std::nullopt;
  if (const auto held = held_by(pod.uid, request.container))
    return std::vector<NumaHint>{{*held, true}};
  auto all = hints(pod.uid, request.memory_bytes);
  if (all.empty()) return std::nullopt;
  return all;
}

NumaHints MemoryDesk::hints(const PodCpus& pod) const {
  const std::uint64_t most = nodes_.empty() ? 0 : pod.most_memory();
  if (most == 0) return std::nullopt;
  auto all = hints(pod.uid, most);
  if (all.empty()) return std::nullopt;
  return all;
}

void MemoryDesk::take(NumaMask nodes, std::uint64_t bytes, int holders) {
  for (Node& node : nodes_) {
    if (!is_in(nodes, node.id)) continue;
    node.holders += holders;
    node.group = nodes;
    const std::uint64_t some = std::min(node.free, bytes);
    node.free -= some;
    bytes -= some;
  }
}

void MemoryDesk::note_reusable(const std::string& uid, ContainerRole role, const Block& block) {
  if (uid != reusing_) reusable_.clear();
  reusing_ = uid;
  if (role == ContainerRole::kInit) {
    std::uint64_t& left = reusable_[block.nodes];
    left = std::max(left, block.bytes);
  } else if (const auto at = reusable_.find(block.nodes); at != reusable_.end()) {
    at->second -= std::min(at->second, block.bytes);
  }
}

// What an init container leaves to a later one is given back with the later one alone.
void MemoryDesk::use_again(const PodCpus& pod, const CpuRequest& request, const Block& block) {
  std::uint64_t bytes = block.bytes;
  auto& held = held_[pod.uid];
  for (const CpuRequest& earlier : pod.containers) {
    if (earlier.container == request.container || earlier.role == ContainerRole::kApp) break;
    const auto at = held.find(earlier.container);
    if (earlier.role != ContainerRole::kInit || at == held.end() || at->second.nodes != block.nodes)
      continue;
    const std::uint64_t some = std::min(bytes, at->second.bytes);
    at->second.bytes -= some;
    bytes -= some;
  }
}

std::optional<PinRefusal> MemoryDesk::allocate(const PodCpus& pod, const CpuRequest& request,
                                               const NumaHint& hint) {
  const std::uint64_t bytes = request.memory_bytes;
  if (nodes_.empty() || bytes == 0 || held_by(pod.uid, request.container)) return std::nullopt;
  NumaHint best = hint;
  const std::vector<NumaHint> all = hints(pod.uid, bytes);
  if (!best.nodes) {
    if (all.empty())
      return refuse(
          "failed to get the default NUMA affinity, no NUMA nodes with enough memory is available");
    const NumaHint* const usual = best_of(all, 0);
    if (!usual->preferred && best.preferred)
      return refuse("failed to find the default preferred hint");
    best = *usual;
  }
  // What init containers leave does not count here.
  if (free_in(*best.nodes) < bytes) {
    const NumaHint* const wider = best_of(all, *best.nodes);
    if (wider == nullptr)
      return refuse("failed to find NUMA nodes to extend the current topology hint");
    if (!wider->preferred && best.preferred)
      return refuse("failed to find the extended preferred hint");
    best = *wider;
  }
  if (breaks_group(*best.nodes)) return refuse("preferred hint violates NUMA node allocation");
  const Block block{*best.nodes, bytes};
  take(block.nodes, bytes - std::min(bytes, reusable(pod.uid, block.nodes)));
  note_reusable(pod.uid, request.role, block);
  held_[pod.uid][request.container] = block;
  use_again(pod, request, block);
  return std::nullopt;
}

void MemoryDesk::release(const std::string& uid, const std::string& container) {
  const auto pod = held_.find(uid);
  if (pod == held_.end()) return;
  const auto held = pod->second.find(container);
  if (held == pod->second.end()) return;
  std::uint64_t bytes = held->second.bytes;
  for (Node& node : nodes_) {
    if (!is_in(held->second.nodes, node.id)) continue;
    node.holders -= held->second.holders;
    if (node.holders == 0) node.group = numa_bit(node.id);
    const std::uint64_t some = std::min(node.allocatable - node.free, bytes);
    node.free += some;
    bytes -= some;
  }
  pod->second.erase(held);
  if (pod->second.empty()) held_.erase(pod);
}

std::optional<NumaMask> MemoryDesk::held_by(const std::string& uid,
                                            const std::string& container) const {
  const auto pod = held_.find(uid);
  if (pod == held_.end()) return std::nullopt;
  const auto held = pod->second.find(container);
  return held == pod->second.end() ? std::nullopt : std::optional(held->second.nodes);
}

}  // namespace gedge
