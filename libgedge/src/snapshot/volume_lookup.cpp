#include "gedge/snapshot/volume_lookup.hpp"

#include <algorithm>
#include <string>

namespace gedge {
namespace {

template <typename Map, typename Key>
auto find_or_null(const Map& map, const Key& key) -> typename Map::mapped_type {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : at->second;
}

bool any_matches(const std::vector<NodeSelectorTerm>& terms, const Node& node) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    return term.matches(node.labels, std::string());
  });
}

}  // namespace

VolumeLookup::VolumeLookup(const Facts& facts) : facts_(&facts) {
  for (const PersistentVolumeClaim& claim : facts.claims)
    claims_.try_emplace({claim.namespace_name, claim.name}, &claim);
  for (const PersistentVolume& volume : facts.volumes) volumes_.try_emplace(volume.name, &volume);
  for (const StorageClass& storage : facts.storage_classes) {
    classes_.try_emplace(storage.name, &storage);
    if (storage.is_default && (default_class_ == nullptr || storage.name < default_class_->name))
      default_class_ = &storage;
  }
}

const PersistentVolumeClaim* VolumeLookup::claim(std::string_view namespace_name,
                                                 std::string_view name) const {
  return find_or_null(claims_, NameInSpace{namespace_name, name});
}

const PersistentVolume* VolumeLookup::volume(std::string_view name) const {
  return find_or_null(volumes_, name);
}

const StorageClass* VolumeLookup::class_of(const PersistentVolumeClaim& claim) const {
  if (!claim.storage_class) return default_class_;
  return find_or_null(classes_, std::string_view(*claim.storage_class));
}

bool reaches(const PersistentVolume& volume, const Node& node) {
  return !volume.has_node_affinity || any_matches(volume.node_terms, node);
}

bool provisions_on(const StorageClass& storage, const Node& node) {
  if (!storage.provisions) return false;
  return storage.allowed_topologies.empty() || any_matches(storage.allowed_topologies, node);
}

bool waits_for_pod(const VolumeLookup& lookup, const PersistentVolumeClaim& claim) {
  if (!claim.volume_name.empty()) return false;
  const StorageClass* storage = lookup.class_of(claim);
  return storage != nullptr && storage->binding == VolumeBinding::kWaitForFirstConsumer;
}

}  // namespace gedge
