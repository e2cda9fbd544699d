// gedge/model/volume_offer.hpp - which volume is for which claim, as far as both say.
#pragma once

#include "gedge/model/facts.hpp"

namespace gedge {

/// claimRef means this claim, and none of another UID: one before it may have had its name. Who has
/// no UID was written by hand, and is whoever is meant.
/// Source   component-helpers storage/volume IsVolumeBoundToClaim.
inline bool is_reserved_for(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.claim_name == claim.name && volume.claim_namespace == claim.namespace_name &&
         (volume.claim_uid.empty() || claim.uid.empty() || volume.claim_uid == claim.uid);
}

/// What no volume may lack that is bound to the claim, be it reserved for it or not.
/// Source   component-helpers storage/volume FindMatchingVolume.
inline bool may_be_bound(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.is_offered && volume.is_block == claim.is_block;
}

}  // namespace gedge
