// gedge/snapshot/volume_lookup.hpp - claims, volumes and classes by name, and which volume suits
// which node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/model/facts.hpp"
#include "gedge/snapshot/hashed_places.hpp"

namespace gedge {

/// Which claims and volumes of facts are not what they were. A list grows and shrinks at its end;
/// who goes from elsewhere leaves its place to another, which is news of that place.
struct StorageNews {
  /// Places, ascending, each once: those with another object, those that are new, and those behind
  /// the end of the list at which objects were.
  std::vector<std::uint32_t> claims, volumes;
  bool all = false;  ///< anything may be another, classes too, and lie elsewhere in memory

  bool empty() const { return !all && claims.empty() && volumes.empty(); }
};

/// Looks storage objects up by name; the first of two with one name. Building it costs O(objects);
/// `facts` must outlive it.
class VolumeLookup {
 public:
  explicit VolumeLookup(const Facts& facts);
  /// Follows. `news`: not of everything. Cost: O(news).
  void renew(const StorageNews& news);

  /// Null where there is none of that name.
  const PersistentVolumeClaim* claim(std::string_view namespace_name, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  /// The class of a claim; null if it has none, or one that does not exist.
  const StorageClass* class_of(const PersistentVolumeClaim& claim) const;
  const Facts& facts() const { return *facts_; }
  /// As of the last renewal: places of claims, and hash_of_name of who is there.
  const HashedPlaces& claim_places() const { return claims_; }

 private:
  const Facts* facts_;
  HashedPlaces claims_, volumes_;
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
