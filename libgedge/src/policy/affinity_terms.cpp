#include "policy/affinity_terms.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr const char* kNamespaceName = "kubernetes.io/metadata.name";

bool selects_namespace(const ClusterState& cluster, const LabelSelector& selector,
                       const std::string& name) {
  const Namespace* const known = cluster.find_namespace(name);
  if (known != nullptr && known->labels.find(kNamespaceName) != nullptr)
    return selector.matches(known->labels);
  Labels labels = known == nullptr ? Labels() : known->labels;
  labels.set(kNamespaceName, name);
  return selector.matches(labels);
}

void merge_label_keys(LabelSelector& selector, const std::vector<std::string>& keys, SelectorOp op,
                      const PodFacts& owner) {
  if (selector.nothing) return;
  for (const std::string& key : keys)
    if (const std::string* value = owner.labels().find(key))
      selector.requirements.push_back({key, op, {*value}});
}

}  // namespace

AffinityTerm::AffinityTerm(const ClusterState& cluster, const PodAffinityTerm& term,
                           const PodFacts& owner, Compat compat)
    : column(&cluster.topology(term.topology_key)),
      selector(term.selector),
      namespaces(term.namespaces) {
  if (compat != Compat::k1_20) {
    namespace_selector = term.namespace_selector;
    merge_label_keys(selector, term.match_label_keys, SelectorOp::kIn, owner);
    merge_label_keys(selector, term.mismatch_label_keys, SelectorOp::kNotIn, owner);
  }
  if (namespaces.empty() && !namespace_selector) namespaces = {owner.namespace_name()};
}

bool AffinityTerm::matches(const ClusterState& cluster, const PodFacts& pod) const {
  if (!selector.matches(pod.labels())) return false;
  return std::find(namespaces.begin(), namespaces.end(), pod.namespace_name()) !=
             namespaces.end() ||
         (namespace_selector &&
          selects_namespace(cluster, *namespace_selector, pod.namespace_name()));
}

std::vector<AffinityTerm> make_terms(const ClusterState& cluster,
                                     const std::vector<PodAffinityTerm>& terms,
                                     const PodFacts& owner, Compat compat) {
  std::vector<AffinityTerm> made;
  made.reserve(terms.size());
  for (const PodAffinityTerm& term : terms) made.emplace_back(cluster, term, owner, compat);
  return made;
}

}  // namespace gedge
