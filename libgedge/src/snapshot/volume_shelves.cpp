#include "snapshot/volume_shelves.hpp"

#include <algorithm>
#include <limits>

namespace gedge {
namespace {

using Claims = VolumeShelves::Claims;

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
// Where every claim has a selector of its own, there are as many shelves as claims.
constexpr std::size_t kLeastShelves = 64, kMostShelfBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesPerVolume = 96, kBytesPerRow = 32;

bool has_modes(const PersistentVolume& volume, const std::vector<std::string>& modes) {
  return std::all_of(modes.begin(), modes.end(), [&](const std::string& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
           volume.access_modes.end();
  });
}

// A requirement that only labels with its one value meet; null where the selector has none.
const Requirement* narrowing(const LabelSelector& selector) {
  for (const Requirement& r : selector.requirements) {
    const bool names_values =
        r.op == SelectorOp::kIn || r.op == SelectorOp::kEquals || r.op == SelectorOp::kDoubleEquals;
    if (names_values && r.values.size() == 1) return &r;
  }
  return nullptr;
}

// The smallest claims choose first.
Claims by_size(Claims claims) {
  std::stable_sort(claims.begin(), claims.end(), [](const auto* a, const auto* b) {
    return a->request_bytes < b->request_bytes;
  });
  return claims;
}

}  // namespace

VolumeShelves::VolumeShelves(const ClusterState& cluster, const VolumeLookup& lookup)
    : cluster_(&cluster),
      lookup_(&lookup),
      label_rows_(cluster),
      taken_(lookup.facts().volumes.size(), false),
      reach_of_volume_(lookup.facts().volumes.size(), kUnknown),
      shelf_of_claim_(lookup.facts().claims.size(), nullptr),
      on_shelves_(lookup.facts().volumes.size()),
      served_(cluster.slots()) {
  for (const PersistentVolume& volume : lookup.facts().volumes) {
    if (volume.claim_name.empty()) {
      stocks_[volume.storage_class].volumes.push_back(&volume);
      continue;
    }
    const auto* claim = lookup.claim(volume.claim_namespace, volume.claim_name);
    if (claim != nullptr && claim->volume_name.empty())
      reserved_[{volume.claim_namespace, volume.claim_name}].push_back(&volume);
  }
  RowSet& all = reaches_.emplace_back();
  for (std::uint32_t row = 0; row < cluster.slots(); ++row) add_row(all, NodeIndex{row});
}

std::size_t VolumeShelves::index_of(const PersistentVolume& volume) const {
  return static_cast<std::size_t>(&volume - lookup_->facts().volumes.data());
}

std::size_t VolumeShelves::index_of(const PersistentVolumeClaim& claim) const {
  return static_cast<std::size_t>(&claim - lookup_->facts().claims.data());
}

void VolumeShelves::change(const PersistentVolume& volume, bool is_taken) {
  const std::size_t index = index_of(volume);
  taken_[index] = is_taken;
  for (const OnShelf& place : on_shelves_[index]) place.shelf->change(place.item, !is_taken);
}

std::uint32_t VolumeShelves::reach_of(const PersistentVolume& volume) {
  if (!volume.has_node_affinity) return 0;
  std::uint32_t& reach = reach_of_volume_[index_of(volume)];
  if (reach != kUnknown) return reach;
  const auto [at, is_new] =
      reach_of_terms_.try_emplace(&volume.node_terms, static_cast<std::uint32_t>(reaches_.size()));
  if (is_new) reaches_.push_back(label_rows_.find(volume.node_terms));
  return reach = at->second;
}

void VolumeShelves::keep_reaching(const PersistentVolume& volume, NodeMask& rows) {
  if (volume.has_node_affinity) keep_rows(rows, reaches_[reach_of(volume)]);
}

const RowSet& VolumeShelves::provisioning(const StorageClass& storage) {
  const auto [at, is_new] = provisioning_.try_emplace(&storage);
  if (is_new && storage.provisions)
    at->second = storage.allowed_topologies.empty() ? reaches_.front()
                                                    : label_rows_.find(storage.allowed_topologies);
  return at->second;
}

void VolumeShelves::keep_provisioning(const StorageClass& storage, NodeMask& rows) {
  keep_rows(rows, provisioning(storage));
}

// The first that names the claim decides, wherever it can be reached from; null: any will do.
const PersistentVolume* VolumeShelves::reserved_for(const PersistentVolumeClaim& claim) const {
  const auto at = reserved_.find({claim.namespace_name, claim.name});
  const StorageClass* storage = lookup_->class_of(claim);
  if (at == reserved_.end() || storage == nullptr) return nullptr;
  for (const PersistentVolume* volume : at->second)
    if (volume->storage_class == storage->name && !taken_[index_of(*volume)] &&
        volume->capacity_bytes >= claim.request_bytes)
      return volume;
  return nullptr;
}

// Volumes of the class of which those that the selector matches are a part.
const VolumeShelves::Volumes& VolumeShelves::candidates(const StorageClass& storage,
                                                        const LabelSelector& selector) {
  static const Volumes kNoVolumes;
  Stock& stock = stocks_[storage.name];
  const Requirement* named = narrowing(selector);
  if (named == nullptr) return stock.volumes;
  const auto [by_value, is_new] = stock.by_label.try_emplace(named->key);
  if (is_new)
    for (const PersistentVolume* volume : stock.volumes)
      if (const std::string* value = volume->labels.find(named->key))
        by_value->second[*value].push_back(volume);
  const auto at = by_value->second.find(named->values.front());
  return at == by_value->second.end() ? kNoVolumes : at->second;
}

std::unique_ptr<VolumeShelf> VolumeShelves::make_shelf(const Kind& kind) {
  const auto& [storage, modes, selector] = kind;
  std::vector<VolumeShelf::Item> items;
  for (const PersistentVolume* volume : candidates(*storage, selector))
    if (has_modes(*volume, modes) && selector.matches(volume->labels))
      items.push_back({volume, reach_of(*volume)});
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return std::tie(a.volume->capacity_bytes, a.volume->name) <
           std::tie(b.volume->capacity_bytes, b.volume->name);
  });
  kept_bytes_ += kBytesPerVolume * items.size() + kBytesPerRow * cluster_->slots();
  auto shelf = std::make_unique<VolumeShelf>(items, reaches_, cluster_->slots());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const std::size_t index = index_of(*items[i].volume);
    on_shelves_[index].push_back({shelf.get(), i});
    if (taken_[index]) shelf->change(i, false);
  }
  return shelf;
}

VolumeShelf& VolumeShelves::shelf_of(const PersistentVolumeClaim& claim) {
  VolumeShelf*& known = shelf_of_claim_[index_of(claim)];
  if (known != nullptr) return *known;
  std::vector<std::string> modes = claim.access_modes;
  std::sort(modes.begin(), modes.end());
  const auto [at, is_new] =
      shelves_.try_emplace(Kind{lookup_->class_of(claim), std::move(modes), claim.selector});
  if (is_new) at->second = make_shelf(at->first);
  known = at->second.get();
  return *known;
}

// Where there are too many, all go. Not while any is looked at.
void VolumeShelves::make_room() {
  if (shelves_.size() < kLeastShelves || kept_bytes_ < kMostShelfBytes) return;
  shelves_.clear();
  std::fill(shelf_of_claim_.begin(), shelf_of_claim_.end(), nullptr);
  for (std::vector<OnShelf>& places : on_shelves_) places.clear();
  kept_bytes_ = 0;
}

std::vector<const PersistentVolume*> VolumeShelves::match(const Claims& claims, NodeIndex row) {
  make_room();
  std::vector<const PersistentVolume*> found(claims.size(), nullptr), chosen;
  for (const PersistentVolumeClaim* claim : by_size(claims)) {
    const PersistentVolume* volume = reserved_for(*claim);
    if (volume == nullptr)
      volume = shelf_of(*claim).find(row, claim->request_bytes, chosen);
    else if (!contains(reaches_[reach_of(*volume)], row))
      volume = nullptr;
    const auto at = std::find(claims.begin(), claims.end(), claim) - claims.begin();
    found[static_cast<std::size_t>(at)] = volume;
    if (volume != nullptr) chosen.push_back(volume);
  }
  return found;
}

// Adds the rows on which each of the claims, which are in the order in which they choose, finds a
// volume.
void VolumeShelves::add_row_by_row(const Claims& claims, const NodeMask& rows, NodeMask& served) {
  Volumes chosen;
  rows.for_each([&](NodeIndex row) {
    if (served.test(row)) return;
    chosen.clear();
    for (const PersistentVolumeClaim* claim : claims) {
      const PersistentVolume* volume = shelf_of(*claim).find(row, claim->request_bytes, chosen);
      if (volume == nullptr) return;
      chosen.push_back(volume);
    }
    served.set(row);
  });
}

// Claims of one class, in the order in which they choose; nothing is reserved for any.
void VolumeShelves::keep_served_by(const StorageClass& storage, const Claims& claims,
                                   NodeMask& rows) {
  if (storage.provisions && storage.allowed_topologies.empty()) return;
  VolumeShelf& shelf = shelf_of(*claims.front());
  const bool is_one_shelf =
      std::all_of(claims.begin(), claims.end(),
                  [&](const PersistentVolumeClaim* claim) { return &shelf_of(*claim) == &shelf; });
  if (is_one_shelf) {
    std::vector<std::int64_t> bytes;
    for (const PersistentVolumeClaim* claim : claims) bytes.push_back(claim->request_bytes);
    const NodeMask& found = shelf.rows(bytes);
    if (!storage.provisions) {
      rows &= found;
      return;
    }
    served_ = found;
    add_rows(served_, provisioning(storage));
  } else {
    served_.reset();
    add_rows(served_, provisioning(storage));
    add_row_by_row(claims, rows, served_);
  }
  rows &= served_;
}

void VolumeShelves::keep_served(const Claims& claims, NodeMask& rows) {
  make_room();
  Claims left;
  for (const PersistentVolumeClaim* claim : by_size(claims)) {
    const PersistentVolume* volume = reserved_for(*claim);
    if (volume == nullptr) {
      left.push_back(claim);
      continue;
    }
    served_.reset();
    add_rows(served_, reaches_[reach_of(*volume)]);
    add_rows(served_, provisioning(*lookup_->class_of(*claim)));
    rows &= served_;
  }
  while (!left.empty()) {
    const StorageClass* storage = lookup_->class_of(*left.front());
    const auto others = std::stable_partition(
        left.begin(), left.end(),
        [&](const PersistentVolumeClaim* claim) { return lookup_->class_of(*claim) == storage; });
    keep_served_by(*storage, Claims(left.begin(), others), rows);
    left.erase(left.begin(), others);
  }
}

}  // namespace gedge
