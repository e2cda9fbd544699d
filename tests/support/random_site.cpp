#include "support/random_site.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace gedge::test {
namespace {

using Strings = std::vector<std::string>;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
constexpr const char* kRegionLabel = "topology.kubernetes.io/region";

Themes draw_themes(Dice& dice) {
  const auto on = [&](std::size_t percent) { return dice.chance(percent); };
  return {on(35), on(40), on(25), on(35), on(45), on(45), on(45), on(26),
          on(55), on(35), on(25), on(25), on(30), on(25), on(45)};
}

void add_labels(Dice& dice, Node& node) {
  if (dice.chance(95)) node.labels.set("kubernetes.io/hostname", node.name);
  if (dice.chance(85)) node.labels.set(kZoneLabel, dice.pick<std::string>({"z1", "z2", "z3"}));
  if (dice.chance(50)) node.labels.set(kRegionLabel, dice.pick<std::string>({"r1", "r2"}));
  if (dice.chance(70)) node.labels.set("rack", dice.pick<std::string>({"k1", "k2", "k3", "k4"}));
  if (dice.chance(60)) node.labels.set("disk", dice.pick<std::string>({"ssd", "hdd"}));
  if (dice.chance(50))
    node.labels.set("generation", dice.pick<std::string>({"1", "2", "3", "007", "v3"}));
  if (dice.chance(4)) node.labels.set("failure-domain.beta.kubernetes.io/zone", "z1");
}

void add_taints(Dice& dice, bool gentle, Node& node) {
  std::vector<TaintEffect> effects{TaintEffect::kPreferNoSchedule, TaintEffect::kPreferNoSchedule};
  if (!gentle) effects.insert(effects.end(), {TaintEffect::kNoSchedule, TaintEffect::kNoExecute});
  const auto count = dice.below(4);
  for (std::size_t i = 0; i < count; ++i)
    node.taints.push_back({dice.pick<std::string>({"dedicated", "gpu", "flaky"}),
                           dice.pick<std::string>({"", "yes", "db"}), dice.pick(effects)});
}

void add_room(Dice& dice, const Themes& themes, Node& node) {
  const std::int64_t scale = themes.gentle ? 8 : themes.crowded ? 1 : 4;
  if (!dice.chance(1))
    node.allocatable.set(kCpu, scale * dice.pick<std::int64_t>({500, 1000, 1930, 2000, 4000}));
  if (!dice.chance(1))
    node.allocatable.set(kMemory,
                         scale * dice.pick<std::int64_t>({512 * kMiB, 1024 * kMiB, 1'900'000'001,
                                                          4096 * kMiB, 3 * 1024 * kMiB}));
  if (themes.gentle || dice.chance(80))
    node.allocatable.set(kEphemeralStorage, dice.pick<std::int64_t>({100 * kMiB, 9000 * kMiB}));
  node.allocatable.set(kPods, themes.crowded && !themes.gentle ? dice.between(1, 8) : 110);
  if (themes.gpus && dice.chance(70)) {
    node.allocatable.set("alibabacloud.com/gpu-count", dice.between(1, 4));
    node.labels.set("alibabacloud.com/gpu-card-model",
                    dice.pick<std::string>({"T4", "V100", "A10"}));
  }
  if (!themes.extended) return;
  if (dice.chance(70)) node.allocatable.set("nvidia.com/gpu", dice.between(0, 4));
  if (dice.chance(50)) node.allocatable.set("example.com/fpga", dice.between(1, 3));
  if (dice.chance(40)) node.allocatable.set("hugepages-2Mi", 64 * kMiB);
}

void add_images(Dice& dice, Node& node) {
  const std::vector<NodeImage> all{{{"web:latest", "web@sha256:11"}, 40 * kMiB},
                                   {{"reg:5000/redis:6"}, 300 * kMiB},
                                   {{"cam/decode:latest"}, 900 * kMiB},
                                   {{"cam/detect:v2", "cam/detect@sha256:22"}, 1600 * kMiB},
                                   {{"busybox:latest"}, 1 * kMiB}};
  node.images = dice.some(all, dice.below(5));
}

Node make_node(Dice& dice, const Themes& themes, std::string name) {
  Node node;
  node.name = std::move(name);
  add_labels(dice, node);
  if (themes.taints) add_taints(dice, themes.gentle, node);
  add_room(dice, themes, node);
  if (themes.images) add_images(dice, node);
  if (themes.tiers && dice.chance(40)) node.labels.set("kubernetes.io/role", "cloud");
  if (themes.tiers && dice.chance(60))
    node.labels.set("gedge.io/tier", dice.pick<std::string>({"edge", "near-edge", "cloud"}));
  node.unschedulable = !themes.gentle && dice.chance(5);
  if (dice.chance(40))
    for (const std::string& uid :
         dice.some(Strings{"uid-web", "uid-api", "uid-redis", "uid-cam", "uid-db"}, 3))
      node.avoided.push_back({"ReplicaSet", uid});
  return node;
}

void add_nodes(Dice& dice, const Themes& themes, RandomSite& site) {
  const Strings names{"edge-1", "edge-2",  "edge-10", "near-1",
                      "near-2", "cloud-1", "cloud-2", "gateway",
                      "api",    "n",       "0-rack",  "node-with-a-rather-long-name"};
  const std::size_t count = dice.chance(15) ? 1 + dice.below(2) : 2 + dice.below(names.size() - 1);
  for (const std::string& name : dice.some(names, count))
    site.facts.nodes.push_back(make_node(dice, themes, name));
  std::sort(site.facts.nodes.begin(), site.facts.nodes.end(),
            [](const Node& a, const Node& b) { return a.name < b.name; });
}

Rtt draw_rtt(Dice& dice) {
  return Rtt{dice.pick<std::uint32_t>({0, 100, 900, 1000, 1001, 2000, 2500, 4999, 5000, 5001, 8000,
                                       10'000, 15'000, 20'000, 40'000})};
}

void add_rtts(Dice& dice, RandomSite& site) {
  if (dice.chance(15)) site.rtt_by = kZoneLabel;
  Strings names{"internet", "berlin"};
  if (!site.rtt_by.empty()) names.insert(names.end(), {"z1", "z2", "z3"});
  for (const Node& node : site.facts.nodes)
    if (site.rtt_by.empty() && dice.chance(95)) names.push_back(node.name);
  site.rtt = RttMatrix(names);
  const std::size_t measured = dice.chance(70) ? 97 : 60;
  for (std::uint32_t a = 0; a < site.rtt.size(); ++a) {
    if (!site.rtt_by.empty()) site.rtt.set(NameIndex{a}, NameIndex{a}, draw_rtt(dice));
    for (std::uint32_t b = a + 1; b < site.rtt.size(); ++b) {
      const Rtt there = draw_rtt(dice), back = dice.chance(25) ? draw_rtt(dice) : there;
      if (dice.chance(measured)) site.rtt.set(NameIndex{a}, NameIndex{b}, there);
      if (dice.chance(measured)) site.rtt.set(NameIndex{b}, NameIndex{a}, back);
    }
  }
  site.rtt.note_symmetry();  // as whoever reads one does; small ones are symmetric now and then
}

NodeSelectorTerm only(const std::string& key, const Strings& values) {
  NodeSelectorTerm term;
  term.expressions.push_back({key, SelectorOp::kIn, values});
  return term;
}

PersistentVolume make_volume(Dice& dice, const RandomSite& site, const std::string& name) {
  PersistentVolume volume;
  volume.name = name;
  volume.storage_class = dice.pick<std::string>({"local", "local", "later", "fast"});
  volume.capacity_bytes = dice.pick<std::int64_t>({50, 100, 200}) * kMiB;
  volume.access_modes =
      dice.chance(80) ? Strings{"ReadWriteOnce", "ReadOnlyMany"} : Strings{"ReadOnlyMany"};
  volume.has_node_affinity = dice.chance(70);
  if (volume.has_node_affinity)
    volume.node_terms.push_back(
        dice.chance(50) ? only("kubernetes.io/hostname", {dice.pick(site.facts.nodes).name})
                        : only(kZoneLabel, {dice.pick<std::string>({"z1", "z2"}), "z3"}));
  if (dice.chance(60))
    volume.labels.set(kZoneLabel, dice.pick<std::string>({"z1", "z2", "z1__z2"}));
  if (dice.chance(15)) volume.labels.set(kRegionLabel, "r1");
  if (dice.chance(30)) volume.labels.set("speed", "high");
  return volume;
}

PersistentVolumeClaim make_claim(Dice& dice, RandomSite& site, std::string space,
                                 std::string name) {
  PersistentVolumeClaim claim;
  claim.namespace_name = std::move(space);
  claim.name = std::move(name);
  claim.storage_class = dice.pick<std::string>({"local", "later", "fast"});
  claim.request_bytes = dice.pick<std::int64_t>({50, 100, 200}) * kMiB;
  claim.access_modes = {dice.pick<std::string>({"ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany"})};
  if (dice.chance(15)) claim.selector.requirements.push_back({"speed", SelectorOp::kIn, {"high"}});
  if (dice.chance(50) && !site.facts.volumes.empty()) {
    PersistentVolume& volume = site.facts.volumes[dice.below(site.facts.volumes.size())];
    if (!volume.claim_name.empty()) return claim;
    volume.claim_namespace = claim.namespace_name;
    volume.claim_name = claim.name;
    if (dice.chance(90)) claim.volume_name = volume.name;  // else reserved, but not bound yet
  }
  if (dice.chance(3)) claim.volume_name = "pv-lost";
  if (claim.volume_name.empty() && dice.chance(15))
    claim.selected_node = dice.pick(site.facts.nodes).name;
  return claim;
}

void add_storage(Dice& dice, RandomSite& site) {
  StorageClass fast, local, later;
  fast.name = "fast";
  local.name = "local";
  later.name = "later";
  local.binding = later.binding = VolumeBinding::kWaitForFirstConsumer;
  local.provisions = false;
  if (dice.chance(60)) later.allowed_topologies.push_back(only(kZoneLabel, {"z1", "z2"}));
  site.facts.storage_classes = {fast, later, local};
  const std::size_t count = dice.below(6);
  for (std::size_t i = 0; i < count; ++i)
    site.facts.volumes.push_back(make_volume(dice, site, "pv-" + std::to_string(i)));
  for (const char* space : {"default", "prod"})
    for (const char* name : {"data", "logs", "models"})
      if (dice.chance(85)) site.facts.claims.push_back(make_claim(dice, site, space, name));
}

Labels make_labels(Dice& dice, const std::string& name) {
  Labels labels;
  if (dice.chance(95)) labels.set("app", name);
  if (dice.chance(60)) labels.set("tier", dice.pick<std::string>({"front", "back"}));
  if (dice.chance(30)) labels.set("release", dice.pick<std::string>({"1", "2"}));
  return labels;
}

std::vector<RandomWorkload> draw_workloads(Dice& dice) {
  std::vector<RandomWorkload> all;
  std::set<std::pair<std::string, std::string>> taken;
  const std::size_t count = 1 + dice.below(7);
  std::size_t bound = dice.below(21), pending = 1 + dice.below(dice.chance(10) ? 16 : 8);
  for (std::size_t i = 0; i < count; ++i) {
    RandomWorkload w;
    w.namespace_name = dice.pick<std::string>({"default", "default", "prod"});
    w.kind = dice.pick<std::string>(
        {"Deployment", "Deployment", "StatefulSet", "Job", "ReplicaSet", "Pod"});
    w.name = dice.pick<std::string>({"web", "redis", "api", "cam", "web-1", "db", "gateway"});
    if (!taken.emplace(w.namespace_name, w.name).second) continue;
    const bool last = i + 1 == count;
    w.bound = std::min(bound, w.kind == "Pod" ? dice.below(2) : dice.below(8));
    w.pending = std::min(pending, last ? pending : 1 + dice.below(4));
    if (w.kind == "Pod") w.pending = w.bound == 0 ? std::min<std::size_t>(pending, 1) : 0;
    bound -= w.bound;
    pending -= w.pending;
    w.labels = make_labels(dice, w.name);
    if (w.kind == "Deployment") w.labels.set("pod-template-hash", "5d8f");
    all.push_back(w);
  }
  return all;
}

ControllerRef controller_of(const RandomWorkload& w) {
  if (w.kind == "Pod") return {};
  if (w.kind == "Deployment") return {"ReplicaSet", w.name + "-5d8f", "uid-" + w.name};
  return {w.kind, w.name, "uid-" + w.name};
}

Pod make_pod(Dice& dice, const RandomWorkload& w, std::int64_t ordinal) {
  Pod pod;
  pod.namespace_name = w.namespace_name;
  pod.workload_kind = w.kind;
  pod.workload_name = w.name;
  pod.ordinal = ordinal;
  pod.name = w.kind == "Pod" ? w.name : w.name + "-" + std::to_string(ordinal);
  pod.controller = controller_of(w);
  if (w.kind == "StatefulSet") {
    pod.extra_labels.set("statefulset.kubernetes.io/pod-name", pod.name);
    pod.extra_labels.set(std::string(kPodIndexLabel), std::to_string(ordinal));
  }
  if (dice.chance(40)) pod.created = dice.between(1000, 1010);
  return pod;
}

void bind(Dice& dice, const RandomSite& site, Pod& pod) {
  const std::vector<PodPhase> odd{PodPhase::kPending, PodPhase::kSucceeded, PodPhase::kFailed,
                                  PodPhase::kUnknown};
  pod.bound_node = dice.chance(3) ? "gone" : dice.pick(site.facts.nodes).name;
  pod.phase = dice.chance(88) ? PodPhase::kRunning : dice.pick(odd);
  pod.terminating = dice.chance(8);
}

void add_pods(Dice& dice, const RandomWorkload& w, SpecIndex spec, RandomSite& site) {
  const auto priority = static_cast<std::int32_t>(dice.chance(70) ? 0 : dice.between(-2, 3) * 10);
  std::set<std::string> names;
  for (const Pod& pod : site.facts.pods)
    if (pod.namespace_name == w.namespace_name) names.insert(pod.name);
  for (std::size_t i = 0; i < w.bound + w.pending; ++i) {
    Pod pod = make_pod(dice, w, static_cast<std::int64_t>(i));
    pod.spec = spec;
    pod.priority = priority;
    if (i < w.bound) bind(dice, site, pod);
    if (names.insert(pod.name).second) site.facts.pods.push_back(std::move(pod));
  }
}

void add_owners(Dice& dice, const RandomWorkload& w, RandomSite& site) {
  SpreadOwner service{"Service", w.namespace_name, w.name, {}};
  if (const std::string* app = w.labels.find("app"))
    service.selector.requirements.push_back({"app", SelectorOp::kIn, {*app}});
  if (const std::string* tier = w.labels.find("tier"); tier != nullptr && dice.chance(40))
    service.selector.requirements.push_back({"tier", SelectorOp::kIn, {*tier}});
  service.selector.nothing = service.selector.requirements.empty();
  if (dice.chance(45)) site.facts.spread_owners.push_back(service);
  const ControllerRef controller = controller_of(w);
  SpreadOwner owner{controller.kind, w.namespace_name, controller.name, service.selector};
  if (dice.chance(30)) owner.selector.requirements.push_back({"release", SelectorOp::kExists, {}});
  const bool spreads = owner.kind == "ReplicaSet" || owner.kind == "StatefulSet";
  if (spreads && !owner.selector.nothing && dice.chance(60))
    site.facts.spread_owners.push_back(owner);
}

void add_namespaces(RandomSite& site) {
  for (const char* name : {"default", "prod"}) {
    Namespace space{name, {{"kubernetes.io/metadata.name", name}}};
    if (space.name == "prod") space.labels.set("team", "edge");
    site.facts.namespaces.push_back(space);
  }
}

}  // namespace

void sort_pods(Facts& facts) {
  const auto place = [](const Pod& p) {
    return std::tie(p.namespace_name, p.workload_name, p.ordinal, p.name);
  };
  std::sort(facts.pods.begin(), facts.pods.end(),
            [&](const Pod& a, const Pod& b) { return place(a) < place(b); });
}

RandomSite make_random_site(Dice& dice, SiteOptions options) {
  RandomSite site;
  site.facts.files.emplace_back();
  const Themes themes = draw_themes(dice);
  add_namespaces(site);
  add_nodes(dice, themes, site);
  add_rtts(dice, site);
  if (themes.storage) add_storage(dice, site);
  const auto workloads = draw_workloads(dice);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const SpecIndex spec{static_cast<std::uint32_t>(site.facts.specs.size())};
    site.facts.specs.push_back(make_random_spec(dice, themes, site, workloads, i, options));
    add_pods(dice, workloads[i], spec, site);
    add_owners(dice, workloads[i], site);
  }
  sort_pods(site.facts);
  return site;
}

}  // namespace gedge::test
