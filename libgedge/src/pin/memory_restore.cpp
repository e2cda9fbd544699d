// Source: validateState of pkg/kubelet/cm/memorymanager/policy_static.go of Kubernetes, 1.36.
#include <algorithm>
#include <string>
#include <utility>

#include "gedge/pin/memory_desk.hpp"

namespace gedge {
namespace {

constexpr const char* kMemory = "memory";

Error refuse(std::string what) {
  return {Errc::kConflict,
          "[memorymanager] " + std::move(what),
          {},
          "drain the node, then remove the state file"};
}

Error differs() { return refuse("the expected machine state is different from the real one"); }

NumaMask mask_of(const std::vector<int>& nodes) {
  NumaMask mask = 0;
  for (const int id : nodes)
    if (id >= 0 && id < kNumaIds) mask |= numa_bit(id);
  return mask;
}

}  // namespace

// Huge pages are taken out of the memory; of them a machine's description says nothing, so what the
// kubelet noted is believed.
Status MemoryDesk::take_size_of_nodes(const MemoryAssignments& assignments) {
  if (assignments.nodes.size() != nodes_.size()) return differs();
  for (Node& node : nodes_) {
    const auto state = assignments.nodes.find(node.id);
    if (state == assignments.nodes.end()) return differs();
    const auto& tables = state->second.tables;
    const auto table = tables.find(kMemory);
    if (table == tables.end()) return differs();
    std::uint64_t away = node.system_reserved;
    for (const auto& [type, other] : tables)
      if (type != kMemory) away += other.total;
    if (table->second.total != node.total ||
        table->second.system_reserved != node.system_reserved || away > node.total ||
        table->second.allocatable != node.total - away)
      return differs();
    node = {node.id,           node.total, node.system_reserved, node.total - away,
            node.total - away, 0,          numa_bit(node.id)};
  }
  return {};
}

Status MemoryDesk::take_blocks_of(const std::string& uid, const std::string& container,
                                  const std::vector<MemoryBlock>& blocks) {
  if (blocks.empty()) return {};
  Block all{0, 0, static_cast<int>(blocks.size())};
  for (const MemoryBlock& block : blocks) {
    const auto is_there = [&](int id) {
      return std::any_of(nodes_.begin(), nodes_.end(),
                         [id](const Node& node) { return node.id == id; });
    };
    if (!std::all_of(block.nodes.begin(), block.nodes.end(), is_there))
      return refuse("(pod: " + uid + ", container: " + container +
                    ") the memory assignment uses the NUMA that does not exist");
    all.nodes |= mask_of(block.nodes);
    if (block.type == kMemory) all.bytes += block.bytes;
  }
  take(all.nodes, all.bytes, all.holders);
  held_[uid][container] = all;
  return {};
}

// Nodes that give together are compared together: which of them gave how much depends on the order.
Status MemoryDesk::check_against(const MemoryAssignments& assignments) const {
  for (const Node& node : nodes_) {
    const MemoryNodeState& state = assignments.nodes.at(node.id);
    const NumaMask cells = mask_of(state.cells);
    if (state.assignments != node.holders || cells != node.group) return differs();
    std::uint64_t free = 0;
    for (const Node& other : nodes_) {
      const auto& tables = assignments.nodes.at(other.id).tables;
      if ((cells & numa_bit(other.id)) != 0) free += tables.at(kMemory).free;
    }
    if (free != free_in(cells)) return differs();
  }
  return {};
}

Status MemoryDesk::restore(const MemoryAssignments& assignments) {
  if (assignments.nodes.empty() && !assignments.pods.empty())
    return refuse("machine state can not be empty when it has memory assignments");
  if (assignments.nodes.empty()) return {};
  MemoryDesk made = *this;
  made.held_.clear();
  made.reusing_.clear();
  made.reusable_.clear();
  GEDGE_TRY(made.take_size_of_nodes(assignments));
  for (const auto& [uid, containers] : assignments.pods)
    for (const auto& [container, blocks] : containers)
      GEDGE_TRY(made.take_blocks_of(uid, container, blocks));
  GEDGE_TRY(made.check_against(assignments));
  *this = std::move(made);
  return {};
}

}  // namespace gedge
