#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

void add_flag(Signature& signature, bool flag) { signature.add(static_cast<std::uint64_t>(flag)); }

void add_number(Signature& signature, std::int64_t number) {
  signature.add(static_cast<std::uint64_t>(number));
}

}  // namespace

void sign(Signature& signature, const std::vector<std::string>& texts) {
  signature.add(texts.size());
  for (const std::string& text : texts) signature.add(text);
}

void sign(Signature& signature, const PodAffinityTerm& term) {
  signature.add(term.topology_key);
  sign(signature, term.selector);
  sign(signature, term.namespaces);
  add_flag(signature, term.namespace_selector.has_value());
  if (term.namespace_selector) sign(signature, *term.namespace_selector);
  sign(signature, term.match_label_keys);
  sign(signature, term.mismatch_label_keys);
}

void sign(Signature& signature, const PreferredPodTerm& term) {
  add_number(signature, term.weight);
  sign(signature, term.term);
}

void sign(Signature& signature, const TopologySpread& constraint) {
  signature.add(constraint.topology_key);
  add_number(signature, constraint.max_skew);
  add_number(signature, constraint.min_domains.value_or(-1));
  add_flag(signature, constraint.hard);
  add_flag(signature, constraint.honor_node_affinity);
  add_flag(signature, constraint.honor_node_taints);
  sign(signature, constraint.selector);
  sign(signature, constraint.match_label_keys);
}

void sign(Signature& signature, const DelayBudget& budget) {
  signature.add(budget.from);
  add_number(signature, budget.limit_us);
}

void sign_node_affinity(Signature& signature, const PodSpec& spec) {
  sign(signature, spec.node_selector);
  add_flag(signature, spec.has_required_node_terms);
  sign(signature, spec.required_node_terms);
}

}  // namespace gedge
