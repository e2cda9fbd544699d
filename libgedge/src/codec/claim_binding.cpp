// codec/claim_binding.cpp
#include "codec/claim_binding.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "gedge/model/volume_offer.hpp"

namespace gedge::codec {
namespace {

// The name of the class that a claim asks for; "" for none.
std::string class_of(const PersistentVolumeClaim& claim, const Facts& facts) {
  if (claim.storage_class) return *claim.storage_class;
  for (const StorageClass& storage : facts.storage_classes)
    if (storage.is_default) return storage.name;
  return "";
}

bool waits_for_pod(const std::string& name, const Facts& facts) {
  const auto waits = [&](const StorageClass& storage) {
    return storage.name == name && storage.binding == VolumeBinding::kWaitForFirstConsumer;
  };
  return std::any_of(facts.storage_classes.begin(), facts.storage_classes.end(), waits);
}

// Of the class, and large enough.
bool suits(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto offered = [&](const std::string& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  };
  return may_be_bound(volume, claim) &&
         std::all_of(claim.access_modes.begin(), claim.access_modes.end(), offered) &&
         (claim.selector.nothing || claim.selector.matches(volume.labels));
}

using Volumes = std::vector<PersistentVolume>;

/// Which volumes claims may be bound to, so that no claim looks at all of them.
class Offers {
 public:
  explicit Offers(Volumes& volumes) : volumes_(volumes) {
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      const PersistentVolume& volume = volumes[i];
      if (!volume.claim_name.empty())
        reserved_.emplace(std::pair(volume.claim_namespace, volume.claim_name), i);
      else if (volume.is_offered)
        free_[volume.storage_class].emplace(volume.capacity_bytes, i);
    }
  }

  /// Null where nothing suits. One that is free is so no more.
  PersistentVolume* take(const PersistentVolumeClaim& claim, const std::string& storage_class) {
    PersistentVolume* const reserved = reserved_for(claim);
    return reserved != nullptr ? reserved : take_free(claim, storage_class);
  }

 private:
  PersistentVolume* reserved_for(const PersistentVolumeClaim& claim) {
    const auto [begin, end] = reserved_.equal_range({claim.namespace_name, claim.name});
    const auto at = std::find_if(begin, end, [&](const auto& entry) {
      const PersistentVolume& volume = volumes_[entry.second];
      return is_reserved_for(volume, claim) && may_be_bound(volume, claim);
    });
    return at == end ? nullptr : &volumes_[at->second];
  }

  PersistentVolume* take_free(const PersistentVolumeClaim& claim,
                              const std::string& storage_class) {
    const auto of_class = free_.find(storage_class);
    if (of_class == free_.end()) return nullptr;
    std::set<SizeAndPlace>& free = of_class->second;
    const auto at =
        std::find_if(free.lower_bound({claim.request_bytes, 0}), free.end(),
                     [&](const auto& one) { return suits(volumes_[one.second], claim); });
    if (at == free.end()) return nullptr;
    PersistentVolume& volume = volumes_[at->second];
    free.erase(at);
    return &volume;
  }

  using SizeAndPlace = std::pair<std::int64_t, std::size_t>;
  Volumes& volumes_;  // by name
  std::multimap<std::pair<std::string, std::string>, std::size_t> reserved_;
  std::unordered_map<std::string, std::set<SizeAndPlace>> free_;  // by class; only looked up
};

void reserve(PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  volume.claim_namespace = claim.namespace_name;
  volume.claim_name = claim.name;
}

void reserve_bound_volumes(Facts& facts) {
  for (const PersistentVolumeClaim& claim : facts.claims) {
    if (claim.volume_name.empty()) continue;
    auto at = std::lower_bound(
        facts.volumes.begin(), facts.volumes.end(), claim.volume_name,
        [](const PersistentVolume& volume, const std::string& name) { return volume.name < name; });
    for (; at != facts.volumes.end() && at->name == claim.volume_name; ++at)
      if (at->claim_name.empty()) reserve(*at, claim);
  }
}

}  // namespace

void bind_immediate_claims(Facts& facts) {
  reserve_bound_volumes(facts);
  Offers offers(facts.volumes);
  for (PersistentVolumeClaim& claim : facts.claims) {
    if (!claim.volume_name.empty()) continue;
    const std::string storage_class = class_of(claim, facts);
    if (waits_for_pod(storage_class, facts)) continue;
    PersistentVolume* const volume = offers.take(claim, storage_class);
    if (volume == nullptr) continue;
    claim.volume_name = volume->name;
    reserve(*volume, claim);
  }
}

}  // namespace gedge::codec
