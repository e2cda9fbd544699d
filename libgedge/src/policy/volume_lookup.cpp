#include "policy/volume_lookup.hpp"

#include <algorithm>

namespace gedge {
namespace {

std::string key_of(std::string_view namespace_name, std::string_view name) {
  return std::string(namespace_name).append("/").append(name);
}

template <typename Map, typename Key>
auto find_or_null(const Map& map, const Key& key) -> typename Map::mapped_type {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : at->second;
}

}  // namespace

VolumeLookup::VolumeLookup(const Facts& facts) : facts_(&facts) {
  for (const PersistentVolumeClaim& claim : facts.claims)
    claims_.try_emplace(key_of(claim.namespace_name, claim.name), &claim);
  for (const PersistentVolume& volume : facts.volumes) volumes_.try_emplace(volume.name, &volume);
  for (const StorageClass& storage : facts.storage_classes) {
    classes_.try_emplace(storage.name, &storage);
    if (storage.is_default && (default_class_ == nullptr || storage.name < default_class_->name))
      default_class_ = &storage;
  }
}

const PersistentVolumeClaim* VolumeLookup::claim(std::string_view namespace_name,
                                                 std::string_view name) const {
  return find_or_null(claims_, key_of(namespace_name, name));
}

const PersistentVolume* VolumeLookup::volume(std::string_view name) const {
  return find_or_null(volumes_, name);
}

const StorageClass* VolumeLookup::class_of(const PersistentVolumeClaim& claim) const {
  if (!claim.storage_class) return default_class_;
  return find_or_null(classes_, std::string_view(*claim.storage_class));
}

bool reaches(const PersistentVolume& volume, const Node& node) {
  if (!volume.has_node_affinity) return true;
  return std::any_of(
      volume.node_terms.begin(), volume.node_terms.end(),
      [&](const NodeSelectorTerm& term) { return term.matches(node.labels, std::string()); });
}

bool provisions_on(const StorageClass& storage, const Node& node) {
  if (!storage.provisions) return false;
  if (storage.allowed_topologies.empty()) return true;
  return std::any_of(
      storage.allowed_topologies.begin(), storage.allowed_topologies.end(),
      [&](const NodeSelectorTerm& term) { return term.matches(node.labels, std::string()); });
}

bool waits_for_pod(const VolumeLookup& lookup, const PersistentVolumeClaim& claim) {
  if (!claim.volume_name.empty()) return false;
  const StorageClass* storage = lookup.class_of(claim);
  return storage != nullptr && storage->binding == VolumeBinding::kWaitForFirstConsumer;
}

}  // namespace gedge
