// shelf_room.hpp - a SiteRoom of nodes that have so much each, first fit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gedge/scale/site_scaler.hpp"

namespace gedge::test {

class ShelfRoom : public SiteRoom {
 public:
  struct Node {
    std::uint32_t site = 0;
    std::int64_t free = 0;
  };
  ShelfRoom(std::vector<Node> nodes, std::int64_t base) : nodes_(std::move(nodes)), base_(base) {}

  Result<bool> add(std::uint32_t replica, std::uint32_t site) override {
    const auto node = find(site);
    if (!node) return false;
    nodes_[*node].free -= base_;
    held_[replica] = {*node, base_};
    return true;
  }
  Result<bool> resize(std::uint32_t replica, std::int64_t amount) override {
    Held& held = held_.at(replica);
    if (amount - held.amount > nodes_[held.node].free) return false;
    nodes_[held.node].free -= amount - held.amount;
    held.amount = amount;
    return true;
  }
  void remove(std::uint32_t replica) override {
    const Held held = held_.at(replica);
    nodes_[held.node].free += held.amount;
    held_.erase(replica);
  }
  /// Somebody else takes of a node, or gives back.
  void take(std::size_t node, std::int64_t amount) { nodes_[node].free -= amount; }
  const std::vector<Node>& nodes() const { return nodes_; }

 protected:
  struct Held {
    std::size_t node = 0;
    std::int64_t amount = 0;
  };
  std::optional<std::size_t> find(std::uint32_t site) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].site == site && nodes_[i].free >= base_) return i;
    return std::nullopt;
  }
  std::vector<Node> nodes_;
  std::int64_t base_;
  std::map<std::uint32_t, Held> held_;
};

}  // namespace gedge::test
