#include "policy/node_inclusion.hpp"

#include <algorithm>

namespace gedge {

bool matches_node_affinity(const PodSpec& pod, const Node& node) {
  for (const auto& [key, wanted] : pod.node_selector) {
    const std::string* value = node.labels.find(key);
    if (value == nullptr || *value != wanted) return false;
  }
  if (!pod.has_required_node_terms) return true;
  return std::any_of(
      pod.required_node_terms.begin(), pod.required_node_terms.end(),
      [&](const NodeSelectorTerm& term) { return term.matches(node.labels, node.name); });
}

bool tolerates_hard_taints(const PodSpec& pod, const Node& node) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect == TaintEffect::kPreferNoSchedule ||
           std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                       [&](const Toleration& t) { return t.tolerates(taint); });
  });
}

}  // namespace gedge
