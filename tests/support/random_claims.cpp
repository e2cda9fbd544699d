#include "support/random_claims.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gedge::test {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";

NodeSelectorTerm term(std::string key, SelectorOp op, Strings values) {
  NodeSelectorTerm made;
  std::sort(values.begin(), values.end());
  made.expressions.push_back({std::move(key), op, std::move(values)});
  return made;
}

// The same for all pods of a site: few sizes make claims alike, many make each its own.
struct Taste {
  std::int64_t sizes = 3;
  std::size_t wild = 10;  // percent of volumes and claims that are odd in some way
};

void add_classes(Dice& dice, Facts& facts) {
  const auto add = [&](const char* name, VolumeBinding binding, bool provisions) {
    StorageClass storage;
    storage.name = name;
    storage.binding = binding;
    storage.provisions = provisions;
    facts.storage_classes.push_back(std::move(storage));
  };
  constexpr VolumeBinding kWaits = VolumeBinding::kWaitForFirstConsumer;
  add("disks", kWaits, false);
  add("zonal", kWaits, true);
  facts.storage_classes.back().allowed_topologies = {term(kZone, SelectorOp::kIn, {"z1", "z2"})};
  if (dice.chance(30))
    facts.storage_classes.back().allowed_topologies.push_back(
        term(kZone, SelectorOp::kDoesNotExist, {}));
  add("cloud", kWaits, true);
  add("at-once", VolumeBinding::kImmediate, true);
  if (dice.chance(30)) facts.storage_classes[dice.below(3)].is_default = true;
}

void add_reach(Dice& dice, const Facts& facts, const Taste& taste, PersistentVolume& volume) {
  volume.has_node_affinity = !dice.chance(15);
  if (!volume.has_node_affinity) return;
  const auto host = [&] { return std::string(dice.pick(facts.nodes).name); };
  const std::size_t what = dice.chance(taste.wild) ? dice.below(6) : 6 + dice.below(2);
  switch (what) {
    case 0:
      volume.node_terms = {term(kHostname, SelectorOp::kIn, {host(), host()})};
      break;
    case 1:
      volume.node_terms = {term(kHostname, SelectorOp::kIn, {host()}),
                           term(kZone, SelectorOp::kNotIn, {"z1", "z3"})};
      break;
    case 2:
      volume.node_terms = {term(kZone, SelectorOp::kExists, {})};
      volume.node_terms.front().expressions.push_back({kHostname, SelectorOp::kNotIn, {host()}});
      break;
    case 3:
      volume.node_terms = {term(kZone, SelectorOp::kIn, {"z1"})};
      volume.node_terms.front().broken = dice.chance(50);
      break;
    case 4:
      if (dice.chance(50)) volume.node_terms.emplace_back();  // of nothing; without any: neither
      break;
    case 5:
      volume.node_terms = {term(kZone, SelectorOp::kIn, {"z1", "z2"})};
      volume.node_terms.front().expressions.push_back({kHostname, SelectorOp::kIn, {host()}});
      break;
    case 6:
      volume.node_terms = {
          term(kZone, SelectorOp::kIn, {dice.pick<std::string>({"z0", "z1", "z2", "z3"})})};
      break;
    default:
      volume.node_terms = {term(kHostname, SelectorOp::kIn, {host()})};
  }
}

void add_volumes(Dice& dice, const Taste& taste, std::size_t count, Facts& facts) {
  for (std::size_t i = 0; i < count; ++i) {
    PersistentVolume volume;
    volume.name = "vol-" + std::to_string(i * 7919 % 10'007);  // names are in no order
    volume.storage_class = dice.pick<std::string>({"disks", "disks", "disks", "zonal", "cloud"});
    volume.capacity_bytes = dice.between(1, taste.sizes);
    volume.access_modes =
        dice.chance(85)
            ? Strings{"ReadWriteOnce", "ReadOnlyMany"}
            : Strings{dice.pick<std::string>({"ReadOnlyMany", "ReadWriteOnce", "ReadWriteMany"})};
    add_reach(dice, facts, taste, volume);
    if (dice.chance(30)) volume.labels.set("speed", dice.pick<std::string>({"high", "low"}));
    if (dice.chance(40)) volume.labels.set("id", std::to_string(i));
    volume.is_block = dice.chance(5);
    volume.is_offered = !dice.chance(5);
    if (dice.chance(20)) volume.labels.set(kZone, dice.pick<std::string>({"z1", "z2", "z1__z2"}));
    facts.volumes.push_back(std::move(volume));
  }
}

LabelSelector make_selector(Dice& dice, std::size_t volumes) {
  LabelSelector selector;
  switch (dice.below(6)) {
    case 0:
      selector.requirements = {{"id", SelectorOp::kIn, {std::to_string(dice.below(volumes))}}};
      break;
    case 1:
      selector.requirements = {{"speed", SelectorOp::kIn, {"high", "low"}}};
      break;
    case 2:
      selector.requirements = {{"id", SelectorOp::kExists, {}},
                               {"speed", SelectorOp::kIn, {"high"}}};
      break;
    case 3:
      selector.requirements = {{"speed", SelectorOp::kNotIn, {"low"}}};
      break;
    case 4:
      selector.nothing = true;
      break;
    default:
      selector.requirements = {{"speed", SelectorOp::kIn, {"high"}}};
  }
  return selector;
}

// Bound to a volume, reserved one, or one that names it and is too small or of another class.
void tie_to_volume(Dice& dice, Facts& facts, PersistentVolumeClaim& claim) {
  PersistentVolume& volume = facts.volumes[dice.below(facts.volumes.size())];
  if (!volume.claim_name.empty()) return;
  volume.claim_namespace = claim.namespace_name;
  volume.claim_name = claim.name;
  if (dice.chance(20)) volume.claim_uid = dice.pick<std::string>({claim.uid, "of-one-before"});
  if (dice.chance(60)) claim.volume_name = volume.name;
  if (dice.chance(5)) claim.volume_name = "lost";
}

PersistentVolumeClaim make_claim(Dice& dice, const Taste& taste, Facts& facts, std::string space,
                                 std::string name) {
  PersistentVolumeClaim claim;
  claim.namespace_name = std::move(space);
  claim.name = std::move(name);
  claim.storage_class = dice.pick<std::string>({"disks", "disks", "disks", "zonal", "cloud"});
  claim.request_bytes = dice.between(1, taste.sizes);
  claim.access_modes = {"ReadWriteOnce"};
  claim.uid = claim.namespace_name + "-" + claim.name;
  if (!dice.chance(taste.wild)) return claim;
  switch (dice.below(9)) {
    case 0:
      claim.storage_class.reset();
      break;
    case 1:
      claim.storage_class = dice.pick<std::string>({"at-once", "", "unknown"});
      break;
    case 2:
      claim.access_modes = dice.some(Strings{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"}, 2);
      break;
    case 3:
      claim.selected_node = dice.chance(90) ? std::string(dice.pick(facts.nodes).name) : "gone";
      break;
    case 4:
      tie_to_volume(dice, facts, claim);
      break;
    case 5:
      claim.is_block = true;
      break;
    case 6:
      claim.terminating = dice.chance(50);
      claim.volume_name = facts.volumes[dice.below(facts.volumes.size())].name;
      claim.is_half_bound = !claim.terminating;
      break;
    default:
      claim.selector = make_selector(dice, facts.volumes.size());
  }
  return claim;
}

// A claim of the pod's own, one that it shares, or none that exists.
std::string some_claim(Dice& dice, const Taste& taste, Facts& facts, const Pod& pod,
                       std::size_t number) {
  if (dice.chance(2)) return "nowhere";
  const bool is_shared = dice.chance(15);
  std::string name = is_shared ? "shared-" + std::to_string(dice.below(4))
                               : "of-" + pod.name + "-" + std::to_string(number);
  const auto is_it = [&](const PersistentVolumeClaim& claim) {
    return claim.name == name && claim.namespace_name == pod.namespace_name.str();
  };
  if (std::none_of(facts.claims.begin(), facts.claims.end(), is_it))
    facts.claims.push_back(make_claim(dice, taste, facts, pod.namespace_name, name));
  return name;
}

// Its claim was made for the pod, most times: or for another one of that name, or of none.
void make_ephemeral(Dice& dice, Facts& facts, Pod& pod, PodVolume& volume) {
  volume.ephemeral = true;
  if (pod.uid.empty()) pod.uid = "uid-" + pod.name;
  for (PersistentVolumeClaim& claim : facts.claims)
    if (claim.name == volume.claim && claim.namespace_name == pod.namespace_name.str() &&
        dice.chance(80))
      claim.owner_uid = pod.uid;
}

}  // namespace

void add_random_claims(Dice& dice, Facts& facts, std::size_t scale) {
  if (facts.nodes.empty()) return;
  Taste taste;
  taste.sizes = dice.chance(60) ? 3 : 1000;
  taste.wild = dice.chance(50) ? 5 : 40;
  const std::size_t users = dice.chance(70) ? 80 : 30;  // percent of pods
  add_classes(dice, facts);
  add_volumes(dice, taste, 3 + scale / 2 + dice.below(scale + 1), facts);
  for (Pod& pod : facts.pods) {
    if (!dice.chance(users)) continue;
    PodSpec spec = facts.spec_of(pod);
    std::vector<PodVolume> used;
    const std::size_t count = dice.chance(70) ? 1 : 2 + dice.below(2);
    for (std::size_t i = 0; i < count; ++i) {
      PodVolume volume{"v" + std::to_string(i), some_claim(dice, taste, facts, pod, i), false};
      if (dice.chance(10)) make_ephemeral(dice, facts, pod, volume);
      const auto is_same = [&](const PodVolume& other) { return other.claim == volume.claim; };
      if (std::none_of(used.begin(), used.end(), is_same)) used.push_back(std::move(volume));
    }
    spec.volumes = used;
    pod.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(std::move(spec));
  }
}

}  // namespace gedge::test
