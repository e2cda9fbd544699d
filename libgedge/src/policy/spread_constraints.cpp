#include "policy/spread_constraints.hpp"

#include <algorithm>

#include "policy/domain_rows.hpp"
#include "policy/node_inclusion.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

TopologySpread system_default(std::string key, std::int32_t max_skew) {
  TopologySpread constraint;
  constraint.topology_key = std::move(key);
  constraint.max_skew = max_skew;
  constraint.hard = false;
  return constraint;
}

void append(LabelSelector& selector, const LabelSelector& more) {
  selector.requirements.insert(selector.requirements.end(), more.requirements.begin(),
                               more.requirements.end());
}

bool is_spread_controller(const std::string& kind) {
  return kind == "ReplicationController" || kind == "ReplicaSet" || kind == "StatefulSet";
}

// matchLabelKeys: the selector also demands the incoming pod's own values; keys it lacks are left
// out.
LabelSelector with_match_label_keys(const TopologySpread& constraint, const PodFacts& pod) {
  LabelSelector selector = constraint.selector;
  if (selector.nothing) return selector;
  for (const std::string& key : constraint.match_label_keys)
    if (const std::string* value = pod.labels().find(key))
      selector.requirements.push_back({key, SelectorOp::kIn, {*value}});
  return selector;
}

SpreadConstraint resolve(const ClassContext& context, const TopologySpread& constraint,
                         Compat compat) {
  SpreadConstraint resolved;
  resolved.column = &context.cluster.topology(constraint.topology_key);
  resolved.max_skew = constraint.max_skew;
  resolved.selector = constraint.selector;
  resolved.empty_counts_all = compat == Compat::k1_20;
  if (compat == Compat::k1_20) return resolved;
  resolved.selector = with_match_label_keys(constraint, context.pod);
  resolved.min_domains = constraint.min_domains.value_or(1);
  resolved.honor_node_affinity = constraint.honor_node_affinity;
  resolved.honor_node_taints = constraint.honor_node_taints;
  return resolved;
}

bool leaves_out(const ClusterState& cluster, PodIndex pod) {
  return cluster.pod(pod).terminating && !cluster.counts_terminating();
}

}  // namespace

SpreadSource::SpreadSource(const PolicyArgs& args, Compat version)
    : compat(version), system(!args.list_defaulting) {
  if (system)
    defaults = {system_default("kubernetes.io/hostname", 3),
                system_default("topology.kubernetes.io/zone", 5)};
  else
    defaults = args.default_spread;
}

SpreadPlan SpreadSource::plan(const ClassContext& context, bool hard) const {
  SpreadPlan plan;
  const std::vector<TopologySpread>& own = context.pod.spec->spread;
  plan.require_all_keys = compat == Compat::k1_20 || !own.empty() || !system;
  const std::vector<TopologySpread>& effective = own.empty() ? defaults : own;
  const auto is_wanted = [&](const TopologySpread& c) { return c.hard == hard; };
  if (std::none_of(effective.begin(), effective.end(), is_wanted)) return plan;
  LabelSelector selector;
  if (own.empty()) selector = default_spread_selector(context, compat);
  if (own.empty() && selector.requirements.empty()) return plan;
  for (const TopologySpread& constraint : effective) {
    if (!is_wanted(constraint)) continue;
    plan.constraints.push_back(resolve(context, constraint, compat));
    if (own.empty()) plan.constraints.back().selector = selector;
  }
  return plan;
}

void SpreadSource::sign(const PodFacts& pod, bool hard, Signature& signature) const {
  const std::vector<TopologySpread>& own = pod.spec->spread;
  const std::vector<TopologySpread>& effective = own.empty() ? defaults : own;
  const bool any = std::any_of(effective.begin(), effective.end(),
                               [&](const TopologySpread& c) { return c.hard == hard; });
  signature.add(own.size());
  signature.add(static_cast<std::uint64_t>(any));
  if (!any) return;
  for (const TopologySpread& constraint : own) gedge::sign(signature, constraint);
  signature.add(pod.namespace_name());
  gedge::sign(signature, pod.labels());
  sign_node_affinity(signature, *pod.spec);
  if (std::any_of(effective.begin(), effective.end(),
                  [](const TopologySpread& c) { return c.honor_node_taints; }))
    gedge::sign(signature, pod.spec->tolerations);
  if (!own.empty() || compat == Compat::k1_20 || !is_spread_controller(pod.controller().kind))
    return;
  signature.add(pod.controller().kind);
  signature.add(pod.controller().name);
}

LabelSelector default_spread_selector(const ClassContext& context, Compat compat) {
  LabelSelector selector;
  const PodFacts& pod = context.pod;
  for (const SpreadOwner* owner : context.cluster.spread_owners_of(pod)) {
    if (owner->selector.nothing) continue;
    bool belongs = false;
    if (owner->kind == "Service")
      belongs = owner->selector.matches(pod.labels());
    else if (compat == Compat::k1_20)  // upstream lists no controllers for a pod without labels
      belongs = !pod.labels().empty() && owner->selector.matches(pod.labels());
    else
      belongs = owner->kind == pod.controller().kind && owner->name == pod.controller().name;
    if (belongs) append(selector, owner->selector);
  }
  return selector;
}

bool SpreadMatcher::counts(const ClusterState& cluster, PodIndex pod) {
  const PodFacts& facts = cluster.pod_facts(pod);
  if (facts.namespace_name() != namespace_ || leaves_out(cluster, pod)) return false;
  return memo_.get(facts, [&](const PodFacts& p) { return selector_.matches(p.labels()); });
}

bool has_all_keys(const std::vector<SpreadConstraint>& constraints, NodeIndex node) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& c) {
    return c.column->domain_of[raw(node)] != kNoDomain;
  });
}

NodeMask included_nodes(const ClassContext& context, const SpreadConstraint& constraint) {
  NodeMask included(context.cluster.slots());
  context.cluster.alive().for_each([&](NodeIndex n) {
    const Node& node = context.cluster.node(n);
    if (constraint.honor_node_affinity && !matches_node_affinity(*context.pod.spec, node)) return;
    if (constraint.honor_node_taints && !tolerates_hard_taints(*context.pod.spec, node)) return;
    included.set(n);
  });
  return included;
}

}  // namespace gedge
