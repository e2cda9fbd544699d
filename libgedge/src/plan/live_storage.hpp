// plan/live_storage.hpp - claims and volumes as they come and go, found by name.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/snapshot/volume_lookup.hpp"

namespace gedge {

/// Keeps those of facts, in the order in which they came or in which others left them room, and
/// what has changed of them. Nobody else changes them. Cost: O(1) an object.
class LiveStorage {
 public:
  /// `facts` have neither, and must outlive it.
  explicit LiveStorage(Facts& facts) : facts_(facts) {}

  /// Replaces the one of its name. Equal ones are no news.
  void put(PersistentVolume&& volume);
  void put(PersistentVolumeClaim&& claim);
  /// False where there is none of that name.
  bool remove_volume(std::string_view name);
  bool remove_claim(const PodName& name);
  /// Classes have changed.
  void renew_all() { news_.all = true; }

  /// Null where there is none of that name.
  const PersistentVolume* find_volume(std::string_view name) const;
  const PersistentVolumeClaim* find_claim(std::string_view namespace_name,
                                          std::string_view name) const;
  /// To be changed, but for its name; null where there is none.
  PersistentVolume* change_volume(std::string_view name);
  PersistentVolumeClaim* change_claim(std::string_view namespace_name, std::string_view name);

  /// What has changed since this was asked last.
  StorageNews take_news();
  bool has_news() const { return !news_.empty(); }

 private:
  Facts& facts_;
  HashedPlaces volumes_, claims_;
  StorageNews news_;  // places in any order, some more than once
};

}  // namespace gedge
