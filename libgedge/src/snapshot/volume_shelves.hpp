// snapshot/volume_shelves.hpp - which volumes are free, and what claims that wait find on a row.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gedge/snapshot/volume_lookup.hpp"
#include "snapshot/label_rows.hpp"
#include "snapshot/volume_shelf.hpp"

namespace gedge {

/// True while no node changes its labels. Shelves, sets of rows and indexes are made when they are
/// first needed. `lookup` must outlive it.
class VolumeShelves {
 public:
  using Claims = std::vector<const PersistentVolumeClaim*>;

  VolumeShelves(const ClusterState& cluster, const VolumeLookup& lookup);

  /// Follows facts that have changed: the lookup knows. No volume is taken. Cost: O(news); where a
  /// volume that is free suits a shelf, all shelves are made anew when they are needed.
  void renew(const StorageNews& news);

  void take(const PersistentVolume& volume) { change(volume, true); }
  void give_back(const PersistentVolume& volume) { change(volume, false); }

  /// As VolumeLedger says.
  std::vector<const PersistentVolume*> match(const Claims& claims, NodeIndex row);
  void keep_reaching(const PersistentVolume& volume, NodeMask& rows);
  void keep_provisioning(const StorageClass& storage, NodeMask& rows);
  void keep_served(const Claims& claims, NodeMask& rows);

 private:
  using Volumes = std::vector<const PersistentVolume*>;
  using Places = std::vector<std::uint32_t>;  // of volumes in the facts
  using Terms = std::vector<NodeSelectorTerm>;
  // Volumes of one class that are free to be had.
  struct Stock {
    Places volumes;  // ascending
    // By a label and its value. Some may have gone since.
    std::map<std::string, std::unordered_map<std::string, Places>> by_label;
  };
  // Class, whether it is for block devices, access modes, selector.
  using Kind = std::tuple<const StorageClass*, bool, std::vector<std::string>, LabelSelector>;
  struct OnShelf {
    VolumeShelf* shelf = nullptr;
    std::uint32_t item = 0;
  };
  struct Known {
    Stock* stock = nullptr;        // null: it is reserved for a claim, or for none but not offered
    std::size_t reserved_for = 0;  // hash of the claim's name, which may be empty
    std::uint32_t reach = 0;       // kUnknown
    bool is_taken = false;
    std::vector<OnShelf> on_shelves;
  };

  const std::vector<PersistentVolume>& volumes() const { return lookup_->facts().volumes; }
  std::uint32_t index_of(const PersistentVolume& volume) const;
  std::size_t index_of(const PersistentVolumeClaim& claim) const;
  void add(std::uint32_t place);
  void remove(std::uint32_t place);
  bool suits_a_shelf(const PersistentVolume& volume) const;
  void change(const PersistentVolume& volume, bool is_taken);
  std::uint32_t reach_of(const PersistentVolume& volume);
  const RowSet& provisioning(const StorageClass& storage);
  const PersistentVolume* reserved_for(const PersistentVolumeClaim& claim) const;
  const Places& candidates(const StorageClass& storage, const LabelSelector& selector);
  std::unique_ptr<VolumeShelf> make_shelf(const Kind& kind);
  VolumeShelf& shelf_of(const PersistentVolumeClaim& claim);
  void make_room();
  void clear_shelves();
  void keep_served_by(const StorageClass& storage, const Claims& claims, NodeMask& rows);
  void add_row_by_row(const Claims& claims, const NodeMask& rows, NodeMask& served);

  const ClusterState* cluster_;
  const VolumeLookup* lookup_;
  LabelRows label_rows_;
  std::vector<Known> known_;                                      // [volumes]
  std::unordered_map<std::string, Stock> stocks_;                 // by class
  std::unordered_multimap<std::size_t, std::uint32_t> reserved_;  // by Known::reserved_for
  std::deque<RowSet> reaches_;                                    // the first: all rows
  std::map<Terms, std::uint32_t> reach_of_terms_;
  std::unordered_map<const StorageClass*, RowSet> provisioning_;
  std::map<Kind, std::unique_ptr<VolumeShelf>> shelves_;
  std::vector<VolumeShelf*> shelf_of_claim_;  // [claims]; null: unknown
  std::size_t kept_bytes_ = 0;                // of shelves, about
  NodeMask served_;                           // kept for its memory
};

}  // namespace gedge
