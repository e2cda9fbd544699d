// policy/volume_rows.hpp - what both volume policies keep of a class: the rows that it may not use,
// as of a version of the ledger of volumes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "gedge/snapshot/volume_ledger.hpp"

namespace gedge {

/// What a claim is bound to, or what an earlier pod of the plan took for it; null: neither.
inline const PersistentVolume* volume_of(const VolumeLedger& ledger, const ClaimedVolume& claimed) {
  if (claimed.volume != nullptr) return claimed.volume;
  return ledger.taken_for(*claimed.claim).value_or(nullptr);
}

class BarredRows {
 public:
  /// True to the cluster as it is. `keep(ledger, rows)` clears the rows that are barred.
  template <typename F>
  const NodeMask& as_of(const ClusterState& cluster, F&& keep) {
    const VolumeLedger& ledger = cluster.volume_ledger();
    const std::pair now{ledger.version(), cluster.static_epoch()};
    if (seen_ == now) return rows_;
    NodeMask kept(cluster.slots(), true);
    keep(ledger, kept);
    rows_ = NodeMask(cluster.slots(), true);
    rows_ -= kept;
    seen_ = now;
    return rows_;
  }

 private:
  std::optional<std::pair<std::uint64_t, std::uint64_t>> seen_;
  NodeMask rows_;
};

}  // namespace gedge
