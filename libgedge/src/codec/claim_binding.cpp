// codec/claim_binding.cpp
#include "codec/claim_binding.hpp"

#include <algorithm>

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

bool reserved_for(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.claim_name == claim.name && volume.claim_namespace == claim.namespace_name;
}

bool suits(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
           const std::string& storage_class) {
  const auto offered = [&](const std::string& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  };
  return volume.storage_class == storage_class && volume.capacity_bytes >= claim.request_bytes &&
         std::all_of(claim.access_modes.begin(), claim.access_modes.end(), offered) &&
         (claim.selector.nothing || claim.selector.matches(volume.labels));
}

PersistentVolume* choose(const PersistentVolumeClaim& claim, Facts& facts) {
  const std::string storage_class = class_of(claim, facts);
  if (waits_for_pod(storage_class, facts)) return nullptr;
  PersistentVolume* best = nullptr;
  for (PersistentVolume& volume : facts.volumes) {
    if (reserved_for(volume, claim)) return &volume;
    if (!volume.claim_name.empty() || !suits(volume, claim, storage_class)) continue;
    if (best == nullptr || volume.capacity_bytes < best->capacity_bytes) best = &volume;
  }
  return best;
}

}  // namespace

void bind_immediate_claims(Facts& facts) {
  for (const PersistentVolumeClaim& claim : facts.claims) {
    if (claim.volume_name.empty()) continue;
    for (PersistentVolume& volume : facts.volumes) {
      if (volume.name != claim.volume_name || !volume.claim_name.empty()) continue;
      volume.claim_namespace = claim.namespace_name;
      volume.claim_name = claim.name;
    }
  }
  for (PersistentVolumeClaim& claim : facts.claims) {
    if (!claim.volume_name.empty()) continue;
    PersistentVolume* volume = choose(claim, facts);
    if (volume == nullptr) continue;
    claim.volume_name = volume->name;
    volume->claim_namespace = claim.namespace_name;
    volume->claim_name = claim.name;
  }
}

}  // namespace gedge::codec
