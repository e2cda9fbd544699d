// verify/pod_rules.cpp - rules that look at pods on other nodes: inter-pod affinity, topology
// spread and pod groups.
#include <algorithm>
#include <limits>

#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

/// `selector` narrowed by the values that `owner` has for `keys`.
LabelSelector narrowed(LabelSelector selector, const std::vector<std::string>& keys, SelectorOp op,
                       const Labels& owner) {
  for (const std::string& key : keys) {
    if (const std::string* value = owner.find(key))
      selector.requirements.push_back({key, op, {*value}});
  }
  return selector;
}

bool selects_namespace(const World& world, const PodAffinityTerm& term, const Placed& owner,
                       const std::string& name) {
  const bool knows_selectors = world.compat() != Compat::k1_20;
  const bool has_selector = knows_selectors && term.namespace_selector.has_value();
  if (term.namespaces.empty() && !has_selector) return name == owner.pod->namespace_name;
  if (std::find(term.namespaces.begin(), term.namespaces.end(), name) != term.namespaces.end())
    return true;
  return has_selector && term.namespace_selector->matches(world.namespace_labels(name));
}

/// True if `term` of `owner` means `other`, wherever that is.
bool means(const World& world, const PodAffinityTerm& term, const Placed& owner,
           const Placed& other) {
  LabelSelector selector = term.selector;
  if (world.compat() != Compat::k1_20) {
    selector = narrowed(selector, term.match_label_keys, SelectorOp::kIn, owner.labels);
    selector = narrowed(selector, term.mismatch_label_keys, SelectorOp::kNotIn, owner.labels);
  }
  return selector.matches(other.labels) &&
         selects_namespace(world, term, owner, other.pod->namespace_name);
}

bool means_all(const World& world, const Placed& owner, const Placed& other) {
  const auto& terms = owner.spec->required_affinity;
  return std::all_of(terms.begin(), terms.end(),
                     [&](const PodAffinityTerm& term) { return means(world, term, owner, other); });
}

bool same_domain(const Node& a, const Node& b, const std::string& key) {
  const std::string* here = a.labels.find(key);
  const std::string* there = b.labels.find(key);
  return here != nullptr && there != nullptr && *here == *there;
}

void check_affinity(const World& world, const Placed& pod, Findings& out) {
  const auto& terms = pod.spec->required_affinity;
  if (terms.empty()) return;
  const auto has_key = [](const Node& node, const PodAffinityTerm& term) {
    return node.labels.find(term.topology_key) != nullptr;
  };
  bool any_anywhere = false;
  std::vector<bool> met(terms.size(), false);
  for (const Placed& other : world.placed()) {
    if (!means_all(world, pod, other)) continue;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      any_anywhere = any_anywhere || has_key(*other.node, terms[i]);
      if (same_domain(*pod.node, *other.node, terms[i].topology_key)) met[i] = true;
    }
  }
  // The first pod of a group that wants its own kind may start anywhere that has the keys.
  const bool is_first = !any_anywhere && means_all(world, pod, pod);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!has_key(*pod.node, terms[i])) {
      out.push_back({"InterPodAffinity",
                     "the node lacks label " + terms[i].topology_key + " of the pod affinity"});
      return;
    }
    if (met[i] || is_first) continue;
    out.push_back({"InterPodAffinity", "no pod that the pod affinity asks for (" +
                                           to_string(terms[i].selector) + ") is in the same " +
                                           terms[i].topology_key});
    return;
  }
}

/// The topology key by which a required anti-affinity term of `owner` keeps `other` away; null:
/// none does.
const std::string* repelled_by(const World& world, const Placed& owner, const Placed& other) {
  for (const PodAffinityTerm& term : owner.spec->required_anti_affinity) {
    if (same_domain(*owner.node, *other.node, term.topology_key) &&
        means(world, term, owner, other)) {
      return &term.topology_key;
    }
  }
  return nullptr;
}

void check_anti_affinity(const World& world, const Placed& pod, Findings& out) {
  if (!pod.spec->required_anti_affinity.empty()) {
    for (const Placed& other : world.placed()) {
      const std::string* key = repelled_by(world, pod, other);
      if (key == nullptr) continue;
      out.push_back({"InterPodAffinity", "the pod's anti-affinity excludes " + name_of(*other.pod) +
                                             ", which is in the same " + *key});
      return;
    }
  }
  for (const std::size_t index : world.with_anti_affinity()) {
    const Placed& other = world.placed()[index];
    const std::string* key = repelled_by(world, other, pod);
    if (key == nullptr) continue;
    out.push_back({"InterPodAffinity", "the anti-affinity of " + name_of(*other.pod) +
                                           ", which is in the same " + *key +
                                           ", excludes the pod"});
    return;
  }
}

bool has_all_keys(const PodSpec& spec, const Node& node) {
  return std::all_of(spec.spread.begin(), spec.spread.end(), [&](const TopologySpread& constraint) {
    return !constraint.hard || node.labels.find(constraint.topology_key) != nullptr;
  });
}

/// Number of matching pods by value of the topology key.
using Domains = std::map<std::string, std::int64_t>;

Domains count_domains(const World& world, const Placed& pod, const TopologySpread& constraint,
                      const LabelSelector& selector) {
  const bool old = world.compat() == Compat::k1_20;
  const auto takes_part = [&](const Node& node) {
    if (!has_all_keys(*pod.spec, node)) return false;
    if ((old || constraint.honor_node_affinity) && !wants_node(*pod.spec, node)) return false;
    return old || !constraint.honor_node_taints || untolerated_taint(*pod.spec, node) == nullptr;
  };
  Domains domains;
  for (const Node& node : world.facts().nodes) {
    if (takes_part(node)) domains.emplace(*node.labels.find(constraint.topology_key), 0);
  }
  // podtopologyspread/common.go, countPodsMatchSelector: an empty selector counts no pod (1.20:
  // all).
  const bool counts_nobody = !old && !selector.nothing && selector.requirements.empty();
  for (const Placed& other : world.placed()) {
    if (counts_nobody) break;
    if (other.pod->namespace_name != pod.pod->namespace_name || other.pod->terminating) continue;
    if (!selector.matches(other.labels)) continue;
    const std::string* value = other.node->labels.find(constraint.topology_key);
    if (value == nullptr || !domains.contains(*value)) continue;
    // 1.20 counts the pods of every node whose value names a domain.
    if (old || takes_part(*other.node)) ++domains[*value];
  }
  return domains;
}

/// What counts are compared with.
std::int64_t least(const Domains& domains, const TopologySpread& constraint, Compat compat) {
  std::int64_t least = std::numeric_limits<std::int32_t>::max();
  for (const auto& [value, count] : domains) least = std::min(least, count);
  const auto wanted = static_cast<std::size_t>(std::max(constraint.min_domains.value_or(1), 1));
  return compat != Compat::k1_20 && domains.size() < wanted ? 0 : least;
}

}  // namespace

void check_pod_affinity(const World& world, const Placed& pod, Findings& out) {
  check_affinity(world, pod, out);
  check_anti_affinity(world, pod, out);
}

void check_spread(const World& world, const Placed& pod, Findings& out) {
  for (const TopologySpread& constraint : pod.spec->spread) {
    if (!constraint.hard) continue;
    const std::string* here = pod.node->labels.find(constraint.topology_key);
    if (here == nullptr) {
      out.push_back({"PodTopologySpread", "the node lacks label " + constraint.topology_key});
      return;
    }
    LabelSelector selector = constraint.selector;
    if (world.compat() != Compat::k1_20) {
      selector = narrowed(selector, constraint.match_label_keys, SelectorOp::kIn, pod.labels);
    }
    const Domains domains = count_domains(world, pod, constraint, selector);
    const auto at = domains.find(*here);
    const std::int64_t there = at == domains.end() ? 0 : at->second;
    const std::int64_t self = selector.matches(pod.labels) ? 1 : 0;
    const std::int64_t skew = there + self - least(domains, constraint, world.compat());
    if (skew <= constraint.max_skew) continue;
    out.push_back({"PodTopologySpread", constraint.topology_key + "=" + *here +
                                            " would have a skew of " + std::to_string(skew) +
                                            ", maxSkew is " + std::to_string(constraint.max_skew)});
    return;
  }
}

GroupSizes placed_of_groups(const World& world) {
  GroupSizes groups;
  for (const PodGroup& group : world.facts().pod_groups)
    groups[{group.namespace_name, group.name}].least = group.min_member;
  for (const Placed& pod : world.placed()) {
    const std::string* name = pod_group_name(*pod.pod, *pod.spec);
    const auto at = name ? groups.find({pod.pod->namespace_name, *name}) : groups.end();
    if (at != groups.end()) ++at->second.placed;
  }
  return groups;
}

void check_pod_group(const Placed& pod, const GroupSizes& groups, Findings& out) {
  const std::string* name = pod_group_name(*pod.pod, *pod.spec);
  const auto at = name ? groups.find({pod.pod->namespace_name, *name}) : groups.end();
  if (at == groups.end() || at->second.placed >= at->second.least) return;
  out.push_back({"PodGroup", "pod group " + pod.pod->namespace_name + "/" + *name + " has " +
                                 std::to_string(at->second.placed) +
                                 " pods on nodes, minMember is " +
                                 std::to_string(at->second.least)});
}

}  // namespace gedge::verify_detail
