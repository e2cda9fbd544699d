// Random pod specs: each part of a pod that some filter or score reads.
#include <algorithm>

#include "support/random_site.hpp"

namespace gedge::test {
namespace {

using Strings = std::vector<std::string>;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
const Strings kApps{"web", "redis", "api", "cam", "db"};

Resources random_requests(Dice& dice, const Themes& themes) {
  Resources out;
  const std::int64_t scale = themes.crowded ? 2 : 1;
  if (dice.chance(75))
    out.set(kCpu, scale * dice.pick<std::int64_t>({0, 10, 100, 250, 333, 500, 1000}));
  if (dice.chance(70))
    out.set(kMemory,
            scale * dice.pick<std::int64_t>({0, 64 * kMiB, 100'000'000, 256 * kMiB, 700 * kMiB}));
  if (dice.chance(15))
    out.set(kEphemeralStorage, dice.pick<std::int64_t>({50 * kMiB, 2000 * kMiB}));
  if (!themes.extended) return out;
  if (dice.chance(30)) out.set("nvidia.com/gpu", dice.between(0, 2));
  if (dice.chance(20)) out.set("example.com/fpga", dice.between(1, 2));
  if (dice.chance(10)) out.set("hugepages-2Mi", 32 * kMiB);
  return out;
}

Container random_container(Dice& dice, const Themes& themes, std::string name) {
  Container out;
  out.name = std::move(name);
  out.image = dice.pick<std::string>(
      {"web", "reg:5000/redis:6", "cam/decode", "cam/detect:v2", "busybox", "none"});
  out.requests = random_requests(dice, themes);
  return out;
}

void add_containers(Dice& dice, const Themes& themes, PodSpec& spec) {
  const std::size_t count = 1 + dice.below(dice.chance(70) ? 1 : 3);
  for (std::size_t i = 0; i < count; ++i)
    spec.containers.push_back(random_container(dice, themes, "c" + std::to_string(i)));
  if (themes.init && dice.chance(60)) {
    const std::size_t starters = 1 + dice.below(3);
    for (std::size_t i = 0; i < starters; ++i) {
      Container starter = random_container(dice, themes, "i" + std::to_string(i));
      starter.restartable = dice.chance(40);
      spec.init_containers.push_back(starter);
    }
  }
  if (themes.overhead && dice.chance(60)) {
    spec.overhead.set(kCpu, dice.pick<std::int64_t>({50, 250, 1000, 1500}));
    if (dice.chance(70)) spec.overhead.set(kMemory, 120 * kMiB);
  }
  if (themes.overhead && dice.chance(20))
    spec.pod_requests = Resources{{std::string(kCpu), 400}, {std::string(kMemory), 300 * kMiB}};
}

Toleration random_toleration(Dice& dice) {
  Toleration out;
  out.exists = dice.chance(50);
  if (!out.exists || dice.chance(85))
    out.key = dice.pick<std::string>({"dedicated", "gpu", "flaky"});
  if (!out.exists) out.value = dice.pick<std::string>({"", "yes", "db"});
  if (dice.chance(55))
    out.effect = dice.pick<TaintEffect>(
        {TaintEffect::kNoSchedule, TaintEffect::kPreferNoSchedule, TaintEffect::kNoExecute});
  return out;
}

void add_tolerations(Dice& dice, PodSpec& spec) {
  const std::size_t count = dice.below(4);
  for (std::size_t i = 0; i < count; ++i) spec.tolerations.push_back(random_toleration(dice));
  if (dice.chance(20))
    spec.tolerations.push_back(
        {"node.kubernetes.io/unschedulable", true, "", TaintEffect::kNoSchedule});
}

Requirement random_node_requirement(Dice& dice) {
  switch (dice.below(7)) {
    case 0:
      return {"disk", SelectorOp::kIn, {"ssd"}};
    case 1:
      return {"disk", SelectorOp::kNotIn, {"hdd"}};
    case 2:
      return {"rack", SelectorOp::kIn, {"k1", "k2", "k3"}};
    case 3:
      return {"generation", dice.chance(50) ? SelectorOp::kGt : SelectorOp::kLt, {"2"}};
    case 4:
      return {dice.chance(50) ? "rack" : "disk", SelectorOp::kExists, {}};
    case 5:
      return {"generation", SelectorOp::kDoesNotExist, {}};
    default:
      return {kZoneLabel, SelectorOp::kIn, {"z1", "z2"}};
  }
}

NodeSelectorTerm random_node_term(Dice& dice, const RandomSite& site) {
  NodeSelectorTerm out;
  const std::size_t count = dice.below(3);
  for (std::size_t i = 0; i < count; ++i) out.expressions.push_back(random_node_requirement(dice));
  if (dice.chance(20))
    out.fields.push_back({"metadata.name",
                          dice.chance(50) ? SelectorOp::kIn : SelectorOp::kNotIn,
                          {dice.pick(site.facts.nodes).name}});
  return out;
}

void add_node_affinity(Dice& dice, const RandomSite& site, PodSpec& spec) {
  if (dice.chance(15)) spec.node_selector.set("disk", dice.pick<std::string>({"ssd", "hdd"}));
  if (dice.chance(5)) spec.node_selector.set("rack", "k1");
  spec.has_required_node_terms = dice.chance(35);
  const std::size_t required = spec.has_required_node_terms ? 1 + dice.below(2) : 0;
  for (std::size_t i = 0; i < required; ++i) {
    NodeSelectorTerm term = random_node_term(dice, site);
    if (dice.chance(3)) {
      term.expressions.push_back({"generation", SelectorOp::kGt, {"-1"}});
      term.broken = true;
    }
    spec.required_node_terms.push_back(std::move(term));
  }
  const std::size_t preferred = dice.below(4);
  for (std::size_t i = 0; i < preferred; ++i) {
    const auto weight = static_cast<std::int32_t>(dice.between(1, 100));
    spec.preferred_node_terms.push_back({weight, random_node_term(dice, site)});
  }
}

LabelSelector random_selector(Dice& dice) {
  LabelSelector out;
  out.nothing = dice.chance(3);
  if (out.nothing || dice.chance(5)) return out;
  if (dice.chance(85))
    out.requirements.push_back({"app", dice.chance(85) ? SelectorOp::kIn : SelectorOp::kNotIn,
                                dice.some(kApps, 1 + dice.below(2))});
  if (dice.chance(15)) out.requirements.push_back({"release", SelectorOp::kDoesNotExist, {}});
  if (dice.chance(25)) out.requirements.push_back({"tier", SelectorOp::kIn, {"back"}});
  if (dice.chance(10)) out.requirements.push_back({"tier", SelectorOp::kExists, {}});
  if (dice.chance(4))
    out.requirements.push_back({std::string(kPodIndexLabel),
                                dice.chance(50) ? SelectorOp::kIn : SelectorOp::kNotIn,
                                dice.some<std::string>({"0", "1", "2"}, 1 + dice.below(2))});
  for (Requirement& r : out.requirements) std::sort(r.values.begin(), r.values.end());
  return out;
}

std::string random_key(Dice& dice) {
  return dice.pick<std::string>(
      {"kubernetes.io/hostname", kZoneLabel, kZoneLabel, "rack", "topology.kubernetes.io/region"});
}

PodAffinityTerm random_pod_term(Dice& dice) {
  PodAffinityTerm out;
  out.selector = random_selector(dice);
  out.topology_key = random_key(dice);
  if (dice.chance(20))
    out.namespaces = dice.chance(50) ? Strings{"prod"} : Strings{"default", "prod"};
  if (dice.chance(12)) {
    out.namespace_selector.emplace();
    if (dice.chance(60))
      out.namespace_selector->requirements.push_back({"team", SelectorOp::kIn, {"edge"}});
  }
  if (dice.chance(10)) out.match_label_keys = {"release"};
  if (dice.chance(8)) out.mismatch_label_keys = {"tier"};
  return out;
}

void add_pod_affinity(Dice& dice, PodSpec& spec) {
  const auto weight = [&] { return static_cast<std::int32_t>(dice.between(1, 100)); };
  const auto times = [&](std::size_t percent) {
    return dice.chance(percent) ? 1 + dice.below(2) : 0;
  };
  for (std::size_t i = times(18); i > 0; --i)
    spec.required_affinity.push_back(random_pod_term(dice));
  for (std::size_t i = times(18); i > 0; --i)
    spec.required_anti_affinity.push_back(random_pod_term(dice));
  for (std::size_t i = times(35); i > 0; --i)
    spec.preferred_affinity.push_back({weight(), random_pod_term(dice)});
  for (std::size_t i = times(35); i > 0; --i)
    spec.preferred_anti_affinity.push_back({weight(), random_pod_term(dice)});
}

TopologySpread random_spread(Dice& dice, std::string key, bool hard) {
  TopologySpread out;
  out.topology_key = std::move(key);
  out.hard = hard;
  out.max_skew = static_cast<std::int32_t>(dice.between(1, 3));
  out.selector = random_selector(dice);
  if (hard && dice.chance(20)) out.min_domains = static_cast<std::int32_t>(dice.between(1, 4));
  out.honor_node_affinity = dice.chance(80);
  out.honor_node_taints = dice.chance(25);
  if (dice.chance(15)) out.match_label_keys = {"release"};
  return out;
}

void add_spread(Dice& dice, PodSpec& spec) {
  const Strings keys{"kubernetes.io/hostname", kZoneLabel, "rack", "topology.kubernetes.io/region"};
  for (const std::string& key : dice.some(keys, dice.below(3)))
    spec.spread.push_back(random_spread(dice, key, true));
  for (const std::string& key : dice.some(keys, dice.below(3)))
    spec.spread.push_back(random_spread(dice, key, false));
  dice.shuffle(spec.spread.edit());
}

void add_ports(Dice& dice, PodSpec& spec) {
  const std::size_t count = dice.below(3);
  for (std::size_t i = 0; i < count; ++i)
    spec.host_ports.push_back(
        {dice.pick<std::string>({"0.0.0.0", "0.0.0.0", "10.0.0.1", "127.0.0.1"}),
         dice.pick<std::string>({"TCP", "TCP", "UDP"}), dice.pick<std::int32_t>({80, 443, 8080})});
}

void add_volumes(Dice& dice, PodSpec& spec) {
  for (const std::string& claim : dice.some(Strings{"data", "logs", "models"}, dice.below(3)))
    spec.volumes.push_back({"v-" + claim, claim, false});
}

/// Only pods that have their place know their cards.
void add_gpus(Dice& dice, bool placed, PodSpec& spec) {
  if (dice.chance(80))
    spec.annotations.set("alibabacloud.com/gpu-milli",
                         dice.pick<std::string>({"100", "300", "460", "700", "1000"}));
  if (dice.chance(30))
    spec.annotations.set("alibabacloud.com/gpu-count", dice.pick<std::string>({"1", "2", "3"}));
  if (dice.chance(25))
    spec.annotations.set("alibabacloud.com/gpu-card-model",
                         dice.pick<std::string>({"T4", "T4|V100"}));
  if (placed && dice.chance(40))
    spec.annotations.set("alibabacloud.com/gpu-index", dice.pick<std::string>({"0", "1", "0-1"}));
}

/// Whom a budget may point at without making pods wait for each other in a circle.
bool may_wait_for(const std::vector<RandomWorkload>& all, std::size_t place, std::size_t peer,
                  SiteOptions options) {
  if (options.cycles || peer < place) return true;
  return all[peer].pending == 0 || (peer == place && all[peer].pending == 1);
}

DelayBudget towards_workload(Dice& dice, const RandomWorkload& from, const RandomWorkload& to) {
  DelayBudget out;
  out.name = to.name;
  out.from = to.name;
  const bool elsewhere = from.namespace_name != to.namespace_name;
  if (!elsewhere && dice.chance(40)) return out;  // a label: whatever bears the name
  out.kind = PeerKind::kWorkload;
  out.workload_kind = to.kind == "Pod" ? "" : to.kind;
  if (to.kind == "Pod") out.kind = PeerKind::kPod;
  std::string kind = to.kind;
  for (char& c : kind) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  out.from = kind + "/" + to.name;
  if (elsewhere) {
    out.namespace_name = to.namespace_name;
    out.from = to.namespace_name + "/" + out.from;
  }
  return out;
}

DelayBudget towards_pod(Dice& dice, const RandomWorkload& to) {
  DelayBudget out;
  out.name = to.kind == "Pod" ? to.name : to.name + "-" + std::to_string(dice.below(3));
  out.from = out.name;
  if (dice.chance(50)) {
    out.kind = PeerKind::kPod;
    out.from = "pod/" + out.name;
  }
  return out;
}

DelayBudget towards_fixed(Dice& dice, const RandomSite& site) {
  DelayBudget out;
  const std::size_t which = dice.below(10);
  out.name = dice.pick(site.facts.nodes).name;
  if (which == 6 || which == 7) {
    out.name = dice.pick<std::string>({"z1", "z2", "z9"});
    out.kind = PeerKind::kZone;
  } else if (which == 8) {
    out.name = dice.pick<std::string>({"internet", "berlin", "ghost"});
  } else if (which == 9) {
    out.name = dice.pick<std::string>({"internet", "berlin"});
    out.kind = PeerKind::kExternal;
  } else if (which > 3) {
    out.kind = PeerKind::kNode;
  }
  const char* prefix = out.kind == PeerKind::kZone       ? "zone/"
                       : out.kind == PeerKind::kExternal ? "external/"
                       : out.kind == PeerKind::kNode     ? "node/"
                                                         : "";
  out.from = prefix + out.name;
  return out;
}

void add_budgets(Dice& dice, const RandomSite& site, const std::vector<RandomWorkload>& all,
                 std::size_t place, SiteOptions options, PodSpec& spec) {
  const std::size_t count = dice.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t peer = dice.below(all.size());
    const bool towards_pods = dice.chance(60) && may_wait_for(all, place, peer, options);
    DelayBudget budget;
    if (!towards_pods)
      budget = towards_fixed(dice, site);
    else if (dice.chance(70) || all[place].namespace_name != all[peer].namespace_name)
      budget = towards_workload(dice, all[place], all[peer]);
    else
      budget = towards_pod(dice, all[peer]);
    budget.nearest = budget.kind != PeerKind::kAny && dice.chance(20);
    if (budget.nearest) budget.from = "any:" + budget.from;
    budget.limit_us = dice.pick<std::int64_t>(
        {0, 1000, 2500, 5000, 8000, 10'000, 15'000, 20'000, 20'000, 100'000});
    spec.budgets.push_back(std::move(budget));
  }
}

/// Leaves only what rarely forbids a node.
void soften(Dice& dice, PodSpec& spec) {
  spec.node_selector = {};
  spec.has_required_node_terms = false;
  spec.required_node_terms.clear();
  spec.node_name = {};
  if (dice.chance(80)) spec.required_affinity.clear();
  if (dice.chance(80)) spec.required_anti_affinity.clear();
  std::erase_if(spec.spread.edit(),
                [&](const TopologySpread& s) { return s.hard && dice.chance(80); });
  for (DelayBudget& budget : spec.budgets) budget.limit_us *= 4;
}

}  // namespace

PodSpec make_random_spec(Dice& dice, const Themes& themes, const RandomSite& site,
                         const std::vector<RandomWorkload>& workloads, std::size_t place,
                         SiteOptions options) {
  PodSpec spec;
  spec.labels = workloads[place].labels;
  add_containers(dice, themes, spec);
  if (themes.taints && dice.chance(70)) add_tolerations(dice, spec);
  if (themes.affinity && dice.chance(70)) add_node_affinity(dice, site, spec);
  if (themes.pods && dice.chance(70)) add_pod_affinity(dice, spec);
  if (themes.spread && dice.chance(60)) add_spread(dice, spec);
  if (themes.ports && dice.chance(themes.gentle ? 20 : 60)) add_ports(dice, spec);
  if (themes.storage && dice.chance(60)) add_volumes(dice, spec);
  if (themes.gpus && dice.chance(60)) add_gpus(dice, workloads[place].pending == 0, spec);
  if (themes.budgets && dice.chance(75)) add_budgets(dice, site, workloads, place, options, spec);
  if (dice.chance(3)) spec.node_name = dice.pick(site.facts.nodes).name;
  if (dice.chance(15)) spec.latency_source = dice.pick(site.facts.nodes).name;
  if (themes.gentle) soften(dice, spec);
  return spec;
}

}  // namespace gedge::test
