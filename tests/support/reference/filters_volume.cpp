// VolumeBinding (claims that are bound or wait for their first consumer) and VolumeZone.
#include <algorithm>
#include <array>
#include <tuple>

#include "support/reference/filters.hpp"
#include "support/reference/spreading.hpp"

namespace gedge::reference {
namespace {

constexpr const char* kRegion = "topology.kubernetes.io/region";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr const char* kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::array<const char*, 4> kZoneLabels{kBetaZone, kBetaRegion, kZone, kRegion};

const PersistentVolumeClaim* find_claim(const World& world, const Seat& pod,
                                        const std::string& name) {
  for (const PersistentVolumeClaim& claim : world.facts->claims)
    if (claim.namespace_name == pod.pod->namespace_name && claim.name == name) return &claim;
  return nullptr;
}

const PersistentVolume* find_volume(const World& world, const std::string& name) {
  for (const PersistentVolume& volume : world.facts->volumes)
    if (volume.name == name) return &volume;
  return nullptr;
}

/// The class of a claim; null: none, or one that nobody defined.
const StorageClass* class_of(const World& world, const PersistentVolumeClaim& claim) {
  for (const StorageClass& c : world.facts->storage_classes)
    if (claim.storage_class ? c.name == *claim.storage_class : c.is_default) return &c;
  return nullptr;
}

bool any_term(const std::vector<NodeSelectorTerm>& terms, const Node& node) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    return term.matches(node.labels, node.name);
  });
}

bool reachable(const PersistentVolume& volume, const Node& node) {
  return !volume.has_node_affinity || any_term(volume.node_terms, node);
}

bool serves(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
            const StorageClass& wanted) {
  const bool its_uid =
      volume.claim_uid.empty() || claim.uid.empty() || volume.claim_uid == claim.uid;
  const bool mine =
      volume.claim_namespace == claim.namespace_name && volume.claim_name == claim.name && its_uid;
  if (!volume.claim_name.empty() && !mine) return false;
  if (!volume.is_offered || volume.is_block != claim.is_block) return false;
  if (volume.capacity_bytes < claim.request_bytes || volume.storage_class != wanted.name)
    return false;
  if (mine) return true;
  const bool modes =
      std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const auto& mode) {
        return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) !=
               volume.access_modes.end();
      });
  return modes && claim.selector.matches(volume.labels);
}

bool can_provision(const StorageClass& wanted, const Node& node) {
  return wanted.provisions &&
         (wanted.allowed_topologies.empty() || any_term(wanted.allowed_topologies, node));
}

const TakenClaim* find_taken(const World& world, const PersistentVolumeClaim& claim) {
  for (const TakenClaim& taken : world.taken)
    if (taken.claim == &claim) return &taken;
  return nullptr;
}

using Claims = std::vector<const PersistentVolumeClaim*>;
using Volumes = std::vector<const PersistentVolume*>;

/// The smallest free volume that suits the claim on this node, one reserved for it before all
/// others: the first of these by name.
const PersistentVolume* best_volume(const World& world, const PersistentVolumeClaim& claim,
                                    const Node& node, const Volumes& used) {
  const PersistentVolume *best = nullptr, *reserved = nullptr;
  for (const PersistentVolume& volume : world.facts->volumes) {
    const bool taken = std::find(used.begin(), used.end(), &volume) != used.end() ||
                       std::any_of(world.taken.begin(), world.taken.end(),
                                   [&](const TakenClaim& t) { return t.volume == &volume; });
    if (taken || !serves(volume, claim, *class_of(world, claim))) continue;
    if (!volume.claim_name.empty() && (reserved == nullptr || volume.name < reserved->name))
      reserved = &volume;
    if (!volume.claim_name.empty() || !reachable(volume, node)) continue;
    const auto size = [](const PersistentVolume& v) { return std::tie(v.capacity_bytes, v.name); };
    if (best == nullptr || size(volume) < size(*best)) best = &volume;
  }
  if (reserved != nullptr) return reachable(*reserved, node) ? reserved : nullptr;
  return best;
}

/// A claim whose volume is being provisioned, or will be on a certain node, looks at no other
/// volumes.
bool may_choose(const World& world, const PersistentVolumeClaim& claim) {
  return claim.selected_node.empty() && find_taken(world, claim) == nullptr;
}

/// Volumes for waiting claims on this node, smallest claim first; null where there is none.
/// Parallel to `claims`, which is sorted.
Volumes choose_volumes(const World& world, Claims& claims, const Node& node) {
  std::stable_sort(claims.begin(), claims.end(), [](const auto* a, const auto* b) {
    return a->request_bytes < b->request_bytes;
  });
  Volumes out;
  for (const PersistentVolumeClaim* claim : claims)
    out.push_back(may_choose(world, *claim) ? best_volume(world, *claim, node, out) : nullptr);
  return out;
}

bool may_provision(const World& world, const PersistentVolumeClaim& claim, const Node& node) {
  const bool here = claim.selected_node.empty() || claim.selected_node == node.name;
  return here && can_provision(*class_of(world, claim), node);
}

bool waits(const World& world, const PersistentVolumeClaim& claim) {
  const StorageClass* wanted = class_of(world, claim);
  return claim.volume_name.empty() && wanted != nullptr &&
         wanted->binding == VolumeBinding::kWaitForFirstConsumer;
}

/// "a__b": a volume of several zones.
bool lists(const std::string& zones, const std::string& zone) {
  std::size_t from = 0;
  while (true) {
    const std::size_t to = zones.find("__", from);
    if (zones.substr(from, to == std::string::npos ? to : to - from) == zone) return true;
    if (to == std::string::npos) return false;
    from = to + 2;
  }
}

const std::string* node_value(const World& world, const Node& node, const std::string& key) {
  const std::string* value = node.labels.find(key);
  if (value != nullptr || world.is_1_20()) return value;
  if (key == kBetaZone) return node.labels.find(kZone);
  if (key == kBetaRegion) return node.labels.find(kRegion);
  return nullptr;
}

bool in_zone(const World& world, const PersistentVolume& volume, const Node& node) {
  const bool labelled = std::any_of(kZoneLabels.begin(), kZoneLabels.end(), [&](const char* key) {
    return node.labels.find(key) != nullptr;
  });
  if (!labelled) return true;
  return std::all_of(kZoneLabels.begin(), kZoneLabels.end(), [&](const char* key) {
    const std::string* zones = volume.labels.find(key);
    if (zones == nullptr) return true;
    const std::string* value = node_value(world, node, key);
    return value != nullptr && lists(*zones, *value);
  });
}

Evidence volume_evidence(Reason reason, Verdict verdict, const std::string& subject) {
  return {reason, verdict, kNoNumber, kNoNumber, Unit::kNone, subject};
}

}  // namespace

Objections volume_binding(const World& world, const Seat& pod, const Node& node) {
  const auto no = [](Reason reason, const std::string& subject) {
    return volume_evidence(reason, Verdict::kUnresolvable, subject);
  };
  Objections out;
  Claims waiting;
  Volumes bound;
  for (const PodVolume& mounted : pod.spec->volumes) {
    const PersistentVolumeClaim* claim = find_claim(world, pod, mounted.claim);
    if (claim == nullptr) return {no(Reason::kClaimMissing, mounted.claim)};
    if (claim->terminating) return {no(Reason::kClaimTerminating, claim->name)};
    if (mounted.ephemeral && !claim->uid.empty() && !pod.pod->uid.empty() &&
        claim->owner_uid != pod.pod->uid)
      return {no(Reason::kClaimNotOwned, claim->name)};
    if (claim->is_half_bound) return {no(Reason::kClaimUnbound, claim->name)};
    const TakenClaim* taken = find_taken(world, *claim);
    const PersistentVolume* volume =
        taken != nullptr ? taken->volume : find_volume(world, claim->volume_name);
    if (volume != nullptr)
      bound.push_back(volume);
    else if (!claim->volume_name.empty())
      return {no(Reason::kVolumeMissing, claim->volume_name)};
    else if (!waits(world, *claim))
      return {no(Reason::kClaimUnbound, claim->name)};
    else
      waiting.push_back(claim);
  }
  const auto far = std::find_if(bound.begin(), bound.end(), [&](const PersistentVolume* volume) {
    return !reachable(*volume, node);
  });
  if (far != bound.end()) out.push_back(no(Reason::kVolumeNodeAffinity, (*far)->name));
  const Volumes chosen = choose_volumes(world, waiting, node);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (chosen[i] != nullptr || may_provision(world, *waiting[i], node)) continue;
    out.push_back(no(Reason::kNoVolume, waiting[i]->name));
    break;
  }
  return out;
}

void take_volumes(World& world, const Seat& seat) {
  Claims waiting;
  for (const PodVolume& mounted : seat.spec->volumes) {
    const PersistentVolumeClaim* claim = find_claim(world, seat, mounted.claim);
    if (claim != nullptr && waits(world, *claim) && find_taken(world, *claim) == nullptr)
      waiting.push_back(claim);
  }
  const Volumes chosen = choose_volumes(world, waiting, *seat.node);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    world.taken.push_back({waiting[i], chosen[i], seat.node});
}

void lift(World& world, Seat& seat) {
  seat.node = nullptr;
  std::erase_if(world.taken, [&](const TakenClaim& taken) {
    return std::none_of(world.seats.begin(), world.seats.end(), [&](const Seat& other) {
      const auto& volumes = other.spec->volumes;
      return other.node != nullptr &&
             std::any_of(volumes.begin(), volumes.end(), [&](const PodVolume& mounted) {
               return find_claim(world, other, mounted.claim) == taken.claim;
             });
    });
  });
}

Objections volume_zone(const World& world, const Seat& pod, const Node& node) {
  for (const PodVolume& mounted : pod.spec->volumes) {
    const PersistentVolumeClaim* claim = find_claim(world, pod, mounted.claim);
    if (claim == nullptr) continue;
    const TakenClaim* taken = find_taken(world, *claim);
    const PersistentVolume* volume =
        taken != nullptr ? taken->volume : find_volume(world, claim->volume_name);
    if (volume != nullptr && !in_zone(world, *volume, node))
      return {volume_evidence(Reason::kVolumeZone, Verdict::kUnresolvable, volume->name)};
  }
  return {};
}

}  // namespace gedge::reference
