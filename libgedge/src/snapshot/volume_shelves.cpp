#include "snapshot/volume_shelves.hpp"

#include <algorithm>
#include <limits>

#include "gedge/model/volume_offer.hpp"

namespace gedge {
namespace {

using Claims = VolumeShelves::Claims;

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
// Where every claim has a selector of its own, there are as many shelves as claims.
constexpr std::size_t kLeastShelves = 64, kMostShelfBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesPerVolume = 96, kBytesPerRow = 32;

bool has_modes(const PersistentVolume& volume, bool is_block,
               const std::vector<std::string>& modes) {
  return volume.is_block == is_block &&
         std::all_of(modes.begin(), modes.end(), [&](const std::string& mode) {
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
      known_(volumes().size()),
      shelf_of_claim_(lookup.facts().claims.size(), nullptr),
      served_(cluster.slots()) {
  for (std::uint32_t i = 0; i < known_.size(); ++i) add(i);
  RowSet& all = reaches_.emplace_back();
  for (std::uint32_t row = 0; row < cluster.slots(); ++row) add_row(all, NodeIndex{row});
}

std::uint32_t VolumeShelves::index_of(const PersistentVolume& volume) const {
  return static_cast<std::uint32_t>(&volume - volumes().data());
}

std::size_t VolumeShelves::index_of(const PersistentVolumeClaim& claim) const {
  return static_cast<std::size_t>(&claim - lookup_->facts().claims.data());
}

// What is there now.
void VolumeShelves::add(std::uint32_t place) {
  const PersistentVolume& volume = volumes()[place];
  Known& known = known_[place];
  known.reach = kUnknown;
  if (!volume.claim_name.empty() || !volume.is_offered) {
    known.reserved_for = hash_of_name(volume.claim_namespace, volume.claim_name);
    reserved_.emplace(known.reserved_for, place);
    return;
  }
  known.stock = &stocks_[volume.storage_class];
  Places& there = known.stock->volumes;
  there.insert(std::lower_bound(there.begin(), there.end(), place), place);
  known.stock->by_label.clear();
}

// What was there before.
void VolumeShelves::remove(std::uint32_t place) {
  Known& known = known_[place];
  if (known.stock != nullptr) {
    Places& there = known.stock->volumes;
    there.erase(std::lower_bound(there.begin(), there.end(), place));
    for (const OnShelf& at : known.on_shelves) at.shelf->change(at.item, false);
  } else {
    const auto [begin, end] = reserved_.equal_range(known.reserved_for);
    reserved_.erase(
        std::find_if(begin, end, [&](const auto& entry) { return entry.second == place; }));
  }
  known = {};
}

bool VolumeShelves::suits_a_shelf(const PersistentVolume& volume) const {
  return std::any_of(shelves_.begin(), shelves_.end(), [&](const auto& entry) {
    const auto& [storage, is_block, modes, selector] = entry.first;
    return storage->name == volume.storage_class && has_modes(volume, is_block, modes) &&
           selector.matches(volume.labels);
  });
}

void VolumeShelves::renew(const StorageNews& news) {
  for (const std::uint32_t place : news.volumes)
    if (place < known_.size()) remove(place);
  known_.resize(volumes().size());
  bool are_shelves_true = true;
  for (const std::uint32_t place : news.volumes) {
    if (place >= known_.size()) continue;
    add(place);
    if (known_[place].stock != nullptr && suits_a_shelf(volumes()[place])) are_shelves_true = false;
  }
  if (!are_shelves_true) clear_shelves();
  shelf_of_claim_.resize(lookup_->facts().claims.size(), nullptr);
  for (const std::uint32_t place : news.claims)
    if (place < shelf_of_claim_.size()) shelf_of_claim_[place] = nullptr;
}

void VolumeShelves::change(const PersistentVolume& volume, bool is_taken) {
  Known& known = known_[index_of(volume)];
  known.is_taken = is_taken;
  for (const OnShelf& at : known.on_shelves) at.shelf->change(at.item, !is_taken);
}

std::uint32_t VolumeShelves::reach_of(const PersistentVolume& volume) {
  if (!volume.has_node_affinity) return 0;
  std::uint32_t& reach = known_[index_of(volume)].reach;
  if (reach != kUnknown) return reach;
  const auto [at, is_new] =
      reach_of_terms_.try_emplace(volume.node_terms, static_cast<std::uint32_t>(reaches_.size()));
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

// The first by name that names the claim decides, wherever it can be reached from; null: any will
// do.
const PersistentVolume* VolumeShelves::reserved_for(const PersistentVolumeClaim& claim) const {
  const auto [begin, end] = reserved_.equal_range(hash_of_name(claim.namespace_name, claim.name));
  const StorageClass* storage = begin == end ? nullptr : lookup_->class_of(claim);
  if (storage == nullptr) return nullptr;
  const PersistentVolume* first = nullptr;
  for (auto at = begin; at != end; ++at) {
    const PersistentVolume& volume = volumes()[at->second];
    if (is_reserved_for(volume, claim) && may_be_bound(volume, claim) &&
        volume.storage_class == storage->name && !known_[at->second].is_taken &&
        volume.capacity_bytes >= claim.request_bytes &&
        (first == nullptr || volume.name < first->name))
      first = &volume;
  }
  return first;
}

// Places of the class of which those that suit the selector are a part.
const VolumeShelves::Places& VolumeShelves::candidates(const StorageClass& storage,
                                                       const LabelSelector& selector) {
  static const Places kNone;
  Stock& stock = stocks_[storage.name];
  const Requirement* named = narrowing(selector);
  if (named == nullptr) return stock.volumes;
  const auto [by_value, is_new] = stock.by_label.try_emplace(named->key);
  if (is_new)
    for (const std::uint32_t place : stock.volumes)
      if (const std::string* value = volumes()[place].labels.find(named->key))
        by_value->second[*value].push_back(place);
  const auto at = by_value->second.find(named->values.front());
  return at == by_value->second.end() ? kNone : at->second;
}

std::unique_ptr<VolumeShelf> VolumeShelves::make_shelf(const Kind& kind) {
  const auto& [storage, is_block, modes, selector] = kind;
  std::vector<VolumeShelf::Item> items;
  const Stock& stock = stocks_[storage->name];
  for (const std::uint32_t place : candidates(*storage, selector)) {
    if (place >= known_.size() || known_[place].stock != &stock) continue;
    const PersistentVolume& volume = volumes()[place];
    if (has_modes(volume, is_block, modes) && selector.matches(volume.labels))
      items.push_back({&volume, reach_of(volume)});
  }
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return std::tie(a.volume->capacity_bytes, a.volume->name) <
           std::tie(b.volume->capacity_bytes, b.volume->name);
  });
  kept_bytes_ += kBytesPerVolume * items.size() + kBytesPerRow * cluster_->slots();
  auto shelf = std::make_unique<VolumeShelf>(items, reaches_, cluster_->slots());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    Known& known = known_[index_of(*items[i].volume)];
    known.on_shelves.push_back({shelf.get(), i});
    if (known.is_taken) shelf->change(i, false);
  }
  return shelf;
}

VolumeShelf& VolumeShelves::shelf_of(const PersistentVolumeClaim& claim) {
  VolumeShelf*& known = shelf_of_claim_[index_of(claim)];
  if (known != nullptr) return *known;
  std::vector<std::string> modes = claim.access_modes;
  std::sort(modes.begin(), modes.end());
  const auto [at, is_new] = shelves_.try_emplace(
      Kind{lookup_->class_of(claim), claim.is_block, std::move(modes), claim.selector});
  if (is_new) at->second = make_shelf(at->first);
  known = at->second.get();
  return *known;
}

// Where there are too many, all go. Not while any is looked at.
void VolumeShelves::make_room() {
  if (shelves_.size() >= kLeastShelves && kept_bytes_ >= kMostShelfBytes) clear_shelves();
}

void VolumeShelves::clear_shelves() {
  shelves_.clear();
  std::fill(shelf_of_claim_.begin(), shelf_of_claim_.end(), nullptr);
  for (auto& [storage, stock] : stocks_)
    for (const std::uint32_t place : stock.volumes) known_[place].on_shelves.clear();
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
