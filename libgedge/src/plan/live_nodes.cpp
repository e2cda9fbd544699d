#include "plan/live_nodes.hpp"

#include <algorithm>
#include <utility>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

std::optional<std::uint32_t> LiveNodes::find(std::string_view name) const {
  const auto at = places_.find(std::string(name));
  return at == places_.end() ? std::nullopt : std::optional(at->second);
}

const Node* LiveNodes::find_node(std::string_view name) const {
  const auto place = find(name);
  if (!place) return nullptr;
  const auto changed = changed_.find(*place);
  return changed == changed_.end() ? &nodes_[*place] : changed->second;
}

std::vector<PodName> LiveNodes::names() const {
  std::vector<PodName> names;
  names.reserve(places_.size());
  for (const auto& [name, place] : places_) names.push_back({{}, nodes_[place].name});
  return names;
}

LiveNodes::News LiveNodes::put(Node&& node, bool has_state) {
  node.place = {};
  images_.share(node.images);
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [at, fresh] = places_.try_emplace(node.name, next);
  const std::uint32_t place = at->second;
  if (fresh) {
    nodes_.push_back(std::move(node));
    return {place, nullptr};
  }
  Node& known = this->node(place);
  if (differing_parts(known, node) == 0) {
    // What no state reads. A kubelet says again and again that nothing else has changed.
    known.ready = node.ready;
    known.addresses = std::move(node.addresses);
    return {place, nullptr};
  }
  if (!has_state) {
    known = std::move(node);
    return {place, &known};
  }
  Node& newer = newer_.emplace_back(std::move(node));
  changed_[place] = &newer;
  return {place, &newer};
}

std::optional<std::uint32_t> LiveNodes::remove(std::string_view name) {
  const auto at = places_.find(std::string(name));
  if (at == places_.end()) return std::nullopt;
  const std::uint32_t place = at->second;
  gone_.insert(place);
  places_.erase(at);
  return place;
}

void LiveNodes::settle() {
  for (const auto& [place, newer] : changed_) nodes_[place] = std::move(*newer);
  std::vector<Node> nodes;
  nodes.reserve(places_.size());
  for (std::uint32_t place = 0; place < nodes_.size(); ++place)
    if (!gone_.contains(place)) nodes.push_back(std::move(nodes_[place]));
  std::sort(nodes.begin(), nodes.end(),
            [](const Node& a, const Node& b) { return a.name < b.name; });
  nodes_ = std::move(nodes);
  changed_.clear();
  newer_.clear();
  gone_.clear();
  places_.clear();
  for (std::uint32_t place = 0; place < nodes_.size(); ++place)
    places_.emplace(nodes_[place].name, place);
}

}  // namespace gedge
