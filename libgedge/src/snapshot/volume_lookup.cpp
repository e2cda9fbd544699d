#include "gedge/snapshot/volume_lookup.hpp"

#include <algorithm>
#include <string>

namespace gedge {
namespace {

std::size_t hash_of(const PersistentVolumeClaim& claim) {
  return hash_of_name(claim.namespace_name, claim.name);
}
std::size_t hash_of(const PersistentVolume& volume) { return hash_of_name({}, volume.name); }

template <typename T>
void fill(HashedPlaces& places, const std::vector<T>& all) {
  places.reserve(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) places.put(i, hash_of(all[i]));
}

template <typename T>
void follow(HashedPlaces& places, const std::vector<T>& all,
            const std::vector<std::uint32_t>& news) {
  while (places.size() > all.size()) places.drop_last();
  for (const std::uint32_t place : news)
    if (place < all.size()) places.put(place, hash_of(all[place]));
}

bool any_matches(const std::vector<NodeSelectorTerm>& terms, const Node& node) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    return term.matches(node.labels, std::string());
  });
}

}  // namespace

VolumeLookup::VolumeLookup(const Facts& facts) : facts_(&facts) {
  fill(claims_, facts.claims);
  fill(volumes_, facts.volumes);
  for (const StorageClass& storage : facts.storage_classes) {
    classes_.try_emplace(storage.name, &storage);
    if (storage.is_default && (default_class_ == nullptr || storage.name < default_class_->name))
      default_class_ = &storage;
  }
}

void VolumeLookup::renew(const StorageNews& news) {
  follow(claims_, facts_->claims, news.claims);
  follow(volumes_, facts_->volumes, news.volumes);
}

const PersistentVolumeClaim* VolumeLookup::claim(std::string_view namespace_name,
                                                 std::string_view name) const {
  const std::vector<PersistentVolumeClaim>& all = facts_->claims;
  const std::uint32_t at = claims_.find(hash_of_name(namespace_name, name), [&](std::uint32_t i) {
    return all[i].name == name && all[i].namespace_name == namespace_name;
  });
  return at == HashedPlaces::kNowhere ? nullptr : &all[at];
}

const PersistentVolume* VolumeLookup::volume(std::string_view name) const {
  const std::vector<PersistentVolume>& all = facts_->volumes;
  const std::uint32_t at =
      volumes_.find(hash_of_name({}, name), [&](std::uint32_t i) { return all[i].name == name; });
  return at == HashedPlaces::kNowhere ? nullptr : &all[at];
}

const StorageClass* VolumeLookup::class_of(const PersistentVolumeClaim& claim) const {
  if (!claim.storage_class) return default_class_;
  const auto at = classes_.find(*claim.storage_class);
  return at == classes_.end() ? nullptr : at->second;
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
