// verify/world.cpp - facts by name, and what stands where.
#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

template <typename Map, typename Key>
auto find_in(const Map& map, const Key& key) -> typename Map::mapped_type {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : at->second;
}

}  // namespace

std::string name_of(const Pod& pod) { return pod.namespace_name + "/" + pod.name; }

World::World(const VerifyInput& input) : input_(input) {
  for (const Node& node : facts().nodes) nodes_.emplace(node.name, &node);
  for (const Pod& pod : facts().pods) {
    pods_.emplace(Name{pod.namespace_name, pod.name}, &pod);
    workloads_[{pod.namespace_name, pod.workload_name}].push_back(&pod);
  }
  for (const auto& claim : facts().claims)
    claims_.emplace(Name{claim.namespace_name, claim.name}, &claim);
  for (const auto& volume : facts().volumes) volumes_.emplace(volume.name, &volume);
  for (const auto& space : facts().namespaces) namespaces_.emplace(space.name, &space);
}

const Node* World::node(std::string_view name) const { return find_in(nodes_, name); }

const Pod* World::pod(std::string_view namespace_name, std::string_view name) const {
  return find_in(pods_, Name{namespace_name, name});
}

const PersistentVolumeClaim* World::claim(std::string_view namespace_name,
                                          std::string_view name) const {
  return find_in(claims_, Name{namespace_name, name});
}

const PersistentVolume* World::volume(std::string_view name) const {
  return find_in(volumes_, name);
}

std::vector<const Pod*> World::workload(std::string_view namespace_name,
                                        std::string_view name) const {
  const auto at = workloads_.find(Name{namespace_name, name});
  return at == workloads_.end() ? std::vector<const Pod*>{} : at->second;
}

Labels World::namespace_labels(const std::string& name) const {
  const Namespace* space = find_in(namespaces_, std::string_view(name));
  Labels labels = space == nullptr ? Labels{} : space->labels;
  labels.set("kubernetes.io/metadata.name", name);
  return labels;
}

std::optional<NameIndex> World::matrix_name(const Node& node) const {
  if (input_.rtt_by.empty()) return input_.rtt.find(node.name);
  const std::string* label = node.labels.find(input_.rtt_by);
  return label == nullptr ? std::nullopt : input_.rtt.find(*label);
}

Placed World::describe(const Pod& pod, const Node& node) const {
  const PodSpec& spec = facts().spec_of(pod);
  return {&pod, &spec, &node, pod_labels(pod, spec), total_requests(spec, compat())};
}

void World::add(Placed placed) {
  Resources& requested = requested_[placed.node->name];
  for (const auto& [name, amount] : placed.requests)
    requested.set(name, sum(requested.amount(name), amount));
  requested.set(kPods, requested.amount(kPods) + 1);
  place_of_[{placed.pod->namespace_name, placed.pod->name}] = placed.node;
  placed_on_[placed.node->name].push_back(placed_.size());
  if (!placed.spec->required_anti_affinity.empty()) with_anti_affinity_.push_back(placed_.size());
  placed_.push_back(std::move(placed));
}

const Node* World::place_of(const Pod& pod) const {
  return find_in(place_of_, Name{pod.namespace_name, pod.name});
}

const std::vector<std::size_t>& World::placed_on(const Node& node) const {
  static const std::vector<std::size_t> kNobody;
  const auto at = placed_on_.find(node.name);
  return at == placed_on_.end() ? kNobody : at->second;
}

const Resources& World::requested_on(const Node& node) const {
  static const Resources kNothing;
  const auto at = requested_.find(node.name);
  return at == requested_.end() ? kNothing : at->second;
}

}  // namespace gedge::verify_detail
