// codec/claim_binding.hpp - what the volume controller does to new claims before any pod is
// scheduled.
#pragma once

#include "gedge/model/facts.hpp"

namespace gedge::codec {

/// Binds each unbound claim whose class does not wait for a pod to the free volume that the
/// controller would take: one reserved for it, else the smallest that has its class, size, mode,
/// access modes and labels; ties by name. Claims without such a volume stay as they are. `volumes`
/// and `claims` are sorted by name.
/// Cost     O((claims + volumes) * log volumes), and the volumes of its class that a claim passes
/// over because of their modes or labels.
/// Source   pkg/controller/volume/persistentvolume, findBestMatchForClaim (component-helpers
/// storage/volume FindMatchingVolume).
void bind_immediate_claims(Facts& facts);

}  // namespace gedge::codec
