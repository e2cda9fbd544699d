#include "support/reference/spreading.hpp"

#include <algorithm>

#include "support/reference/filters.hpp"

namespace gedge::reference {
namespace {

constexpr std::int32_t kHostnameSkew = 3, kZoneSkew = 5;

std::vector<TopologySpread> default_constraints(const PolicyArgs& args) {
  if (args.list_defaulting) return args.default_spread;
  TopologySpread host, zone;
  host.topology_key = kHostname;
  host.max_skew = kHostnameSkew;
  zone.topology_key = kZone;
  zone.max_skew = kZoneSkew;
  host.hard = zone.hard = false;
  return {host, zone};
}

/// matchLabelKeys: the incoming pod's own values join the selector; a null selector stays null.
void add_match_label_keys(const World& world, const Seat& pod, TopologySpread& constraint) {
  if (world.is_1_20() || constraint.selector.nothing) return;
  for (const std::string& key : constraint.match_label_keys) {
    if (const std::string* value = pod.labels.find(key))
      constraint.selector.requirements.push_back({key, SelectorOp::kIn, {*value}});
  }
}

void add_requirements(LabelSelector& to, const LabelSelector& from) {
  to.requirements.insert(to.requirements.end(), from.requirements.begin(), from.requirements.end());
}

bool selects(const SpreadOwner& owner, const Seat& pod) {
  return owner.namespace_name == pod.pod->namespace_name && !owner.selector.nothing &&
         !owner.selector.requirements.empty() && owner.selector.matches(pod.labels);
}

bool controls(const SpreadOwner& owner, const Seat& pod) {
  const ControllerRef& ref = pod.pod->controller;
  return owner.namespace_name == pod.pod->namespace_name && owner.kind == ref.kind &&
         owner.name == ref.name;
}

}  // namespace

LabelSelector owners_selector(const World& world, const Seat& pod) {
  LabelSelector out;
  for (const SpreadOwner& owner : world.facts->spread_owners) {
    // 1.20 takes every controller that selects the pod, 1.36 only the one that the pod names as its
    // controller.
    const bool is_service = owner.kind == "Service";
    const bool counts = is_service || world.is_1_20() ? selects(owner, pod) : controls(owner, pod);
    if (counts) add_requirements(out, owner.selector);
  }
  return out;
}

Constraints constraints_of(const PolicyArgs& args, const World& world, const Seat& pod, bool hard) {
  Constraints out;
  const bool own = !pod.spec->spread.empty();
  std::vector<TopologySpread> all = own ? pod.spec->spread.get() : default_constraints(args);
  out.system_defaults = !own && !args.list_defaulting;
  const LabelSelector owners = own ? LabelSelector{} : owners_selector(world, pod);
  if (!own && owners.requirements.empty()) return out;
  for (TopologySpread& constraint : all) {
    if (constraint.hard != hard) continue;
    if (own)
      add_match_label_keys(world, pod, constraint);
    else
      constraint.selector = owners;
    out.list.push_back(constraint);
  }
  return out;
}

bool has_all_keys(const Node& node, const std::vector<TopologySpread>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const TopologySpread& c) {
    return node.labels.find(c.topology_key) != nullptr;
  });
}

bool is_eligible(const World& world, const Seat& pod, const Node& node,
                 const TopologySpread& constraint) {
  const bool affinity = world.is_1_20() || constraint.honor_node_affinity;
  if (affinity && !matches_node_affinity(*pod.spec, node)) return false;
  const bool taints = !world.is_1_20() && constraint.honor_node_taints;
  return !taints || taint_toleration(pod, node).empty();
}

std::int64_t count_on(const World& world, const Seat& pod, const Node& node,
                      const TopologySpread& constraint) {
  // 1.36 counts nothing for a selector without requirements; 1.20 everything.
  if (!world.is_1_20() && !constraint.selector.nothing && constraint.selector.requirements.empty())
    return 0;
  std::int64_t count = 0;
  for (const Seat& other : world.seats) {
    if (other.node != &node || other.pod->terminating) continue;
    if (other.pod->namespace_name != pod.pod->namespace_name) continue;
    if (constraint.selector.matches(other.labels)) ++count;
  }
  return count;
}

}  // namespace gedge::reference
