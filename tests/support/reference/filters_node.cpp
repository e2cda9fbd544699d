// Filters that look at the node and at what is on it.
#include <algorithm>
#include <array>

#include "support/reference/filters.hpp"

namespace gedge::reference {
namespace {

Evidence unresolvable(Reason reason, std::string subject = {}) {
  return {reason, Verdict::kUnresolvable, kNoNumber, kNoNumber, Unit::kNone, std::move(subject)};
}

/// The ports of two pods exclude each other: same protocol and port, and one address covers the
/// other.
bool conflict(const HostPort& a, const HostPort& b) {
  return a.protocol == b.protocol && a.port == b.port &&
         (a.ip == b.ip || a.ip == "0.0.0.0" || b.ip == "0.0.0.0");
}

bool is_core(std::string_view resource) {
  return resource == kCpu || resource == kMemory || resource == kEphemeralStorage;
}

bool is_ignored(const PolicyArgs& args, const std::string& resource) {
  if (resource.find('/') == std::string::npos) return false;
  const std::string group = resource.substr(0, resource.find('/'));
  const auto has = [](const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  return has(args.ignored_resources, resource) || has(args.ignored_resource_groups, group);
}

Evidence insufficient(const std::string& resource, std::int64_t asked, std::int64_t used,
                      std::int64_t allocatable, Compat compat) {
  Evidence out{Reason::kInsufficient, Verdict::kUnschedulable,
               used + asked,          allocatable,
               Unit::kNone,           resource};
  if (compat != Compat::k1_20 && asked > allocatable) out.verdict = Verdict::kUnresolvable;
  return out;
}

/// cpu, memory and ephemeral storage; then whatever else was asked for, by name.
std::vector<std::string> compared_resources(const Resources& asked) {
  std::vector<std::string> out{std::string(kCpu), std::string(kMemory),
                               std::string(kEphemeralStorage)};
  for (const auto& [name, amount] : asked)
    if (!is_core(name)) out.push_back(name);
  return out;
}

bool asks_for_nothing(const Resources& asked) {
  return std::all_of(asked.begin(), asked.end(),
                     [](const auto& entry) { return is_core(entry.first) && entry.second == 0; });
}

}  // namespace

Objections node_unschedulable(const Seat& pod, const Node& node) {
  const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  if (!node.unschedulable || tolerates(*pod.spec, cordon)) return {};
  return {unresolvable(Reason::kNodeUnschedulable)};
}

Objections node_name(const Seat& pod, const Node& node) {
  if (pod.spec->node_name.empty() || pod.spec->node_name == node.name) return {};
  return {unresolvable(Reason::kNodeName)};
}

Objections taint_toleration(const Seat& pod, const Node& node) {
  for (const Taint& taint : node.taints) {
    if (taint.effect == TaintEffect::kPreferNoSchedule || tolerates(*pod.spec, taint)) continue;
    return {unresolvable(Reason::kUntoleratedTaint, taint.key + ": " + taint.value)};
  }
  return {};
}

Objections node_affinity(const PolicyArgs& args, const Seat& pod, const Node& node) {
  const auto& added = args.added_required_terms;
  const bool enforced =
      added.empty() || std::any_of(added.begin(), added.end(), [&](const auto& term) {
        return term.matches(node.labels, node.name);
      });
  if (!enforced) return {unresolvable(Reason::kNodeAffinity, std::string(kAddedAffinity))};
  if (!matches_node_affinity(*pod.spec, node)) return {unresolvable(Reason::kNodeAffinity)};
  return {};
}

Objections node_ports(const World& world, const Seat& pod, const Node& node) {
  for (const Seat* other : world.on(node))
    for (const HostPort& wanted : pod.spec->host_ports)
      for (const HostPort& taken : other->spec->host_ports)
        if (conflict(wanted, taken))
          return {{Reason::kPorts, Verdict::kUnschedulable, kNoNumber, kNoNumber, Unit::kNone, {}}};
  return {};
}

Objections resources_fit(const PolicyArgs& args, const World& world, const Seat& pod,
                         const Node& node) {
  Objections out;
  const auto others = world.on(node);
  const auto count = static_cast<std::int64_t>(others.size());
  if (count + 1 > node.allocatable.amount(kPods)) {
    out.push_back({Reason::kTooManyPods,
                   Verdict::kUnschedulable,
                   count + 1,
                   node.allocatable.amount(kPods),
                   Unit::kCount,
                   {}});
  }
  const Resources& asked = pod.requests;
  if (asks_for_nothing(asked)) return out;
  for (const std::string& name : compared_resources(asked)) {
    if (is_ignored(args, name)) continue;
    const std::int64_t mine = asked.amount(name);
    if (!world.is_1_20() && mine == 0) continue;
    std::int64_t used = 0;
    for (const Seat* other : others) used += other->requests.amount(name);
    const std::int64_t room = node.allocatable.amount(name);
    if (used + mine > room) out.push_back(insufficient(name, mine, used, room, world.compat));
  }
  return out;
}

}  // namespace gedge::reference
