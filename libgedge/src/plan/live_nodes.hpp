// plan/live_nodes.hpp - nodes that are told of one by one, while a state refers to what they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gedge/model/fact_name.hpp"
#include "gedge/model/image_pool.hpp"
#include "gedge/model/node.hpp"

namespace gedge {

class LiveNodes {
 public:
  /// `nodes` outlive it, and change through it alone.
  explicit LiveNodes(std::vector<Node>& nodes) : nodes_(nodes) {}

  /// Among the nodes of the facts, where one lies; in a state it has the slot of that number.
  std::optional<std::uint32_t> find(std::string_view name) const;
  const Node* find_node(std::string_view name) const;
  std::size_t size() const { return places_.size(); }
  std::vector<PodName> names() const;

  struct News {
    std::uint32_t place = 0;
    const Node* changed = nullptr;  ///< as it is now, where that is news to a state; not a new one
  };
  /// A node that came or changed. `has_state`: some state refers to what there is, so that it stays
  /// where it is until settle(). There is none when a node is new.
  News put(Node&& node, bool has_state);
  /// Where it lay; empty where there is none.
  std::optional<std::uint32_t> remove(std::string_view name);
  /// What is kept for the state is more than what it would be made anew of.
  bool is_crowded() const { return newer_.size() + gone_.size() >= places_.size() + kMostNewer; }
  /// No state refers to anything: the facts have what is so now, by name.
  void settle();

 private:
  static constexpr std::size_t kMostNewer = 1'024;

  Node& node(std::uint32_t place) {
    const auto changed = changed_.find(place);
    return changed == changed_.end() ? nodes_[place] : *changed->second;
  }

  std::vector<Node>& nodes_;
  ImagePool images_;
  std::unordered_map<std::string, std::uint32_t> places_;  // by name
  // What is so since the state was made.
  std::unordered_map<std::uint32_t, Node*> changed_;  // by place
  std::deque<Node> newer_;
  std::unordered_set<std::uint32_t> gone_;  // places
};

}  // namespace gedge
