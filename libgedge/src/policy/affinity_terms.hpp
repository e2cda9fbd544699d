// policy/affinity_terms.hpp - pod affinity terms made ready: whose pods they take, and where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "policy/domain_rows.hpp"

namespace gedge {

/// One term of one pod, its owner's namespace and labels filled in. 1.20 knows neither
/// namespaceSelector nor matchLabelKeys.
///
/// Source   kube-scheduler framework/types.go newAffinityTerm; matchLabelKeys as the API server
///          merges them into the selector (registry/core/pod/strategy.go).
struct AffinityTerm {
  AffinityTerm(const ClusterState& cluster, const PodAffinityTerm& term, const PodFacts& owner,
               Compat compat);

  /// Adds topics of which every pod says one that the term takes.
  void listen(std::vector<Topic>& topics) const { listen_to_selected(selector, topics); }
  /// True if `pod` lies in a namespace of the term and matches its selector. A namespace without
  /// an object has the one label that the API server gives it, kubernetes.io/metadata.name.
  bool matches(const ClusterState& cluster, const PodFacts& pod) const;

  const TopologyColumn* column = nullptr;
  LabelSelector selector;
  std::vector<std::string> namespaces;  // sorted
  std::optional<LabelSelector> namespace_selector;
};

std::vector<AffinityTerm> make_terms(const ClusterState& cluster,
                                     const std::vector<PodAffinityTerm>& terms,
                                     const PodFacts& owner, Compat compat);

/// Weights per domain of one topology key.
struct DomainSum {
  explicit DomainSum(const TopologyColumn& of) : column(&of), value(of.domain_count(), 0) {}
  void add(NodeIndex n, std::int64_t amount, Touched* touched) {
    const DomainIndex domain = column->domain_of[raw(n)];
    if (domain == kNoDomain) return;
    value[domain] += amount;
    if (touched != nullptr && !column->one_row_a_domain) touch_domain(*touched, *column, domain);
  }
  std::int64_t at(NodeIndex n) const {
    const DomainIndex domain = column->domain_of[raw(n)];
    return domain == kNoDomain ? 0 : value[domain];
  }
  const TopologyColumn* column;
  std::vector<std::int64_t> value;  // [domains]
};

}  // namespace gedge
