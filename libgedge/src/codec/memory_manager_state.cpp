// Source: pkg/kubelet/cm/memorymanager/state/checkpoint.go of Kubernetes, 1.36.
#include "gedge/codec/memory_manager_state.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/checkpoint.hpp"
#include "codec/cpu_manager_texts.hpp"
#include "codec/cursor.hpp"
#include "codec/fields.hpp"

namespace gedge {
namespace {

using codec::Cursor;
using Blocks = std::vector<MemoryBlock>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// As Go's printer for hashes shows lists and maps: "[a b]", "map[k:a l:b]".
template <typename List, typename Show>
std::string shown_list(const List& list, Show show) {
  std::string text = "[";
  for (const auto& value : list) {
    if (text.size() > 1) text += ' ';
    text += show(value);
  }
  return text + ']';
}

template <typename Map, typename Show>
std::string shown_map(const Map& map, Show show) {
  return "map" + shown_list(map, [&](const auto& entry) {
           const auto& [key, value] = entry;
           return show(key, value);
         });
}

std::string shown(const std::vector<int>& numbers) {
  return "([]int)" + shown_list(numbers, [](int number) { return std::to_string(number); });
}

std::string shown(const Blocks& blocks) {
  return shown_list(blocks, [](const MemoryBlock& block) {
    return "{NUMAAffinity:" + shown(block.nodes) + " Type:(v1.ResourceName)" + block.type +
           " Size:(uint64)" + std::to_string(block.bytes) + '}';
  });
}

std::string shown(const MemoryTable& table) {
  const auto number = [](std::uint64_t bytes) { return "(uint64)" + std::to_string(bytes); };
  return "<*>{TotalMemSize:" + number(table.total) +
         " SystemReserved:" + number(table.system_reserved) +
         " Allocatable:" + number(table.allocatable) + " Reserved:" + number(table.reserved) +
         " Free:" + number(table.free) + '}';
}

std::string shown(const MemoryNodeState& node) {
  return "<*>{NumberOfAssignments:(int)" + std::to_string(node.assignments) +
         " MemoryMap:(map[v1.ResourceName]*state.MemoryTable)" +
         shown_map(node.tables,
                   [](const std::string& type, const MemoryTable& table) {
                     return type + ':' + shown(table);
                   }) +
         " Cells:" + shown(node.cells) + '}';
}

std::string printed(const MemoryManagerState& state, std::string_view pod_entries) {
  using Containers = std::map<std::string, Blocks>;
  return "(*state.MemoryManagerCheckpoint){PolicyName:(string)" + state.policy +
         " MachineState:(state.NUMANodeMap)" +
         shown_map(state.memory.nodes,
                   [](int id, const MemoryNodeState& node) {
                     return std::to_string(id) + ':' + shown(node);
                   }) +
         " Entries:(state.ContainerMemoryAssignments)" +
         shown_map(state.memory.pods,
                   [](const std::string& pod, const Containers& containers) {
                     return pod + ':' +
                            shown_map(containers,
                                      [](const std::string& name, const Blocks& blocks) {
                                        return name + ':' + shown(blocks);
                                      });
                   }) +
         std::string(pod_entries) + " Checksum:(checksum.Checksum)0}";
}

bool is_checksum_of(const MemoryManagerState& state, std::int64_t checksum) {
  for (const std::string_view pod_entries : {"", " PodEntries:(state.PodMemoryAssignments)map[]"})
    if (codec::fnv(printed(state, pod_entries)) == checksum) return true;
  return false;
}

std::uint64_t bytes_in(Cursor value) {
  return static_cast<std::uint64_t>(value.integer(0, kMost).value_or(0));
}

void read_numbers(Cursor list, std::vector<int>& out) {
  list.items([&](Cursor item) {
    out.push_back(static_cast<int>(item.integer(0, std::numeric_limits<int>::max()).value_or(0)));
  });
}

MemoryTable read_table(Cursor value) {
  MemoryTable table;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "total") table.total = bytes_in(field);
    if (key == "systemReserved") table.system_reserved = bytes_in(field);
    if (key == "allocatable") table.allocatable = bytes_in(field);
    if (key == "reserved") table.reserved = bytes_in(field);
    if (key == "free") table.free = bytes_in(field);
  });
  return table;
}

MemoryNodeState read_node(Cursor value) {
  MemoryNodeState node;
  value.fields([&](std::string_view key, Cursor field) {
    if (key == "numberOfAssignments")
      node.assignments =
          static_cast<int>(field.integer(0, std::numeric_limits<int>::max()).value_or(0));
    if (key == "cells") read_numbers(field, node.cells);
    if (key == "memoryMap")
      field.fields([&](std::string_view type, Cursor table) {
        node.tables[std::string(type)] = read_table(table);
      });
  });
  return node;
}

Blocks read_blocks(Cursor list) {
  Blocks blocks;
  list.items([&](Cursor item) {
    MemoryBlock& block = blocks.emplace_back();
    item.fields([&](std::string_view key, Cursor field) {
      if (key == "numaAffinity") read_numbers(field, block.nodes);
      if (key == "type") codec::read_text(field, block.type);
      if (key == "size") block.bytes = bytes_in(field);
    });
  });
  return blocks;
}

void read_nodes(Cursor map, MemoryAssignments& out) {
  map.fields([&](std::string_view text, Cursor value) {
    int id = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || id < 0)
      return value.fail(codec::quote(text) + " is no number of a NUMA node");
    out.nodes[id] = read_node(value);
  });
}

void read_pods(Cursor map, MemoryAssignments& out) {
  map.fields([&](std::string_view pod, Cursor containers) {
    auto& held = out.pods[std::string(pod)];
    containers.fields([&](std::string_view name, Cursor blocks) {
      held[std::string(name)] = read_blocks(blocks);
    });
  });
}

class Reader {
 public:
  void read(Cursor root, bool inside = false) {
    constexpr std::int64_t kMostSum = std::numeric_limits<std::uint32_t>::max();
    std::optional<Cursor> data, sum;
    std::int64_t checksum = 0, data_checksum = 0;
    root.fields([&](std::string_view key, Cursor value) {
      if (key == "policyName") codec::read_text(value, state_.policy);
      if (key == "machineState") read_nodes(value, state_.memory);
      if (key == "entries") read_pods(value, state_.memory);
      if (key == "podEntries") pods_as_a_whole_ = value;
      if (key == "checksum") {
        checksum = value.integer(0, kMostSum).value_or(0);
        sum = value;
      }
      if (key == "data") data = value;
      if (key == "dataChecksum") data_checksum = value.integer(0, kMostSum).value_or(0);
    });
    if (data && !inside) return read_data(*data, data_checksum);
    if (has_pods_as_a_whole())
      return pods_as_a_whole_->fail("memory that a pod holds as a whole is not known here",
                                    "turn PodLevelResourceManagers off");
    if (checksum != 0 && !is_checksum_of(state_, checksum)) codec::refuse_checkpoint(*sum);
  }

  MemoryManagerState take() { return std::move(state_); }

 private:
  bool has_pods_as_a_whole() const {
    bool has = false;
    if (pods_as_a_whole_ && pods_as_a_whole_->is_map())
      pods_as_a_whole_->fields([&](std::string_view, Cursor) { has = true; });
    return has;
  }

  // What stands beside it is for older kubelets.
  void read_data(Cursor data, std::int64_t checksum) {
    state_ = {};
    pods_as_a_whole_.reset();
    codec::read_within(data, checksum, [this](Cursor root) { read(root, true); });
  }

  MemoryManagerState state_;
  std::optional<Cursor> pods_as_a_whole_;
};

}  // namespace

MemoryManagerStateReading read_memory_manager_state(const InputFile& file) {
  return codec::read_checkpoint<MemoryManagerStateReading, Reader>(file);
}

}  // namespace gedge
