// policy/node_affinity.cpp - filter and score NodeAffinity.
//
// Filter   the node must have every label of nodeSelector and match any required term; terms of
//          the profile (addedAffinity) must match too and are looked at first. Unresolvable.
// Score    sum of the weights of the preferred terms that match, the profile's included;
//          normalised 100*s/max. Range 0..100. A preferred term that cannot be parsed matches
//          nothing (1.20 fails the whole attempt, which a plan cannot).
// Cost     O(nodes * terms) a class; nothing for pods without any.
// Source   kube-scheduler plugins/nodeaffinity, component-helpers nodeaffinity.
#include <algorithm>
#include <utility>

#include "policy/make.hpp"
#include "policy/node_inclusion.hpp"
#include "policy/node_static.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

bool any_matches(const std::vector<NodeSelectorTerm>& terms, const Node& node) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    return term.matches(node.labels, node.name);
  });
}

class AffinityFilter final : public NodeStaticFilter {
 public:
  explicit AffinityFilter(std::vector<NodeSelectorTerm> added) : added_(std::move(added)) {}
  std::string_view name() const override { return "NodeAffinity"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    sign_node_affinity(signature, *pod.spec);
    return true;
  }

 protected:
  bool concerns(const PodFacts& pod) const override {
    return !added_.empty() || !pod.spec->node_selector.empty() || pod.spec->has_required_node_terms;
  }
  bool admits(const PodFacts& pod, const Node& node) const override {
    return (added_.empty() || any_matches(added_, node)) && matches_node_affinity(*pod.spec, node);
  }
  Evidence evidence(const PodFacts&, const Node& node) const override {
    const bool by_profile = !added_.empty() && !any_matches(added_, node);
    return {.reason = Reason::kNodeAffinity,
            .verdict = Verdict::kUnresolvable,
            .subject = std::string(by_profile ? kAddedAffinity : std::string_view{})};
  }

 private:
  std::vector<NodeSelectorTerm> added_;
};

class AffinityScore final : public NodeStaticScore {
 public:
  explicit AffinityScore(std::vector<PreferredNodeTerm> added) : added_(std::move(added)) {}
  std::string_view name() const override { return "NodeAffinity"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.spec->preferred_node_terms.size());
    for (const PreferredNodeTerm& preferred : pod.spec->preferred_node_terms) {
      signature.add(static_cast<std::uint64_t>(preferred.weight));
      gedge::sign(signature, preferred.term);
    }
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kMax;
  }

 protected:
  std::uint8_t parts_read() const override { return kLabelPart; }
  void fill(const ClassContext& context, std::vector<std::int64_t>& scores) const override {
    for (const auto* terms : {&added_, &context.pod.spec->preferred_node_terms.get()})
      for (const PreferredNodeTerm& preferred : *terms) add(context, preferred, scores);
  }

 private:
  static void add(const ClassContext& context, const PreferredNodeTerm& preferred,
                  std::vector<std::int64_t>& scores) {
    context.cluster.alive().for_each([&](NodeIndex n) {
      const Node& node = context.cluster.node(n);
      if (preferred.term.matches(node.labels, node.name)) scores[raw(n)] += preferred.weight;
    });
  }

  std::vector<PreferredNodeTerm> added_;
};

}  // namespace

std::unique_ptr<FilterPolicy> make_node_affinity_filter(const PolicyArgs& args, Compat) {
  return std::make_unique<AffinityFilter>(args.added_required_terms);
}

std::unique_ptr<ScorePolicy> make_node_affinity_score(const PolicyArgs& args, Compat) {
  return std::make_unique<AffinityScore>(args.added_preferred_terms);
}

}  // namespace gedge
