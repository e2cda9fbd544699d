// policy/volume_lookup.hpp - claims, volumes and classes by name, and which volume suits which
// node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/model/facts.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// Looks storage objects up by name. Building it costs O(objects); `facts` must outlive it.
class VolumeLookup {
 public:
  explicit VolumeLookup(const Facts& facts);

  /// Null where there is none of that name.
  const PersistentVolumeClaim* claim(std::string_view namespace_name, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  /// The class of a claim; null if it has none, or one that does not exist.
  const StorageClass* class_of(const PersistentVolumeClaim& claim) const;
  const std::vector<PersistentVolume>& volumes() const { return facts_->volumes; }

 private:
  const Facts* facts_;
  std::unordered_map<std::string, const PersistentVolumeClaim*> claims_;  // by "namespace/name"
  std::unordered_map<std::string_view, const PersistentVolume*> volumes_;
  std::unordered_map<std::string_view, const StorageClass*> classes_;
  const StorageClass* default_class_ = nullptr;
};

/// The volume can be reached from the node. Labels only, as upstream: no matchFields.
/// Source   component-helpers storage/volume CheckNodeAffinity.
bool reaches(const PersistentVolume& volume, const Node& node);

/// The class may provision volumes for this node.
bool provisions_on(const StorageClass& storage, const Node& node);

/// The claim waits for its first pod: unbound, of a class with WaitForFirstConsumer.
bool waits_for_pod(const VolumeLookup& lookup, const PersistentVolumeClaim& claim);

}  // namespace gedge
