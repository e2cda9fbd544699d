// gedge/snapshot/volume_lookup.hpp - claims, volumes and classes by name, and which volume suits
// which node.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gedge/model/facts.hpp"

namespace gedge {

/// An object of a namespace: namespace, then name.
using NameInSpace = std::pair<std::string_view, std::string_view>;

struct NameInSpaceHash {
  std::size_t operator()(const NameInSpace& name) const {
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15U;
    const std::hash<std::string_view> hash;
    return (hash(name.first) * kOdd) ^ hash(name.second);
  }
};

/// Looks storage objects up by name; the first of two with one name. Building it costs O(objects);
/// `facts` must outlive it.
class VolumeLookup {
 public:
  explicit VolumeLookup(const Facts& facts);

  /// Null where there is none of that name.
  const PersistentVolumeClaim* claim(std::string_view namespace_name, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  /// The class of a claim; null if it has none, or one that does not exist.
  const StorageClass* class_of(const PersistentVolumeClaim& claim) const;
  const Facts& facts() const { return *facts_; }

 private:
  const Facts* facts_;
  std::unordered_map<NameInSpace, const PersistentVolumeClaim*, NameInSpaceHash> claims_;
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
