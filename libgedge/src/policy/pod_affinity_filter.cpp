// policy/pod_affinity_filter.cpp - filter InterPodAffinity.
//
// Rules    in this order, the first that fails decides: every required affinity term has a pod in
//          the node's domain that matches all terms (or no pod anywhere does, the pod matches its
//          own terms and the node has every key); no required anti-affinity term has a match in the
//          domain; no placed pod's required anti-affinity objects. The first is unresolvable.
// Memory   matching pods per domain; terminating pods count.
// Cost     O(pods) a class; O(1) a bound pod and term, plus O(rows) to report the domain; O(terms)
//          a row.
// Source   kube-scheduler plugins/interpodaffinity/filtering.go.
#include <algorithm>
#include <deque>
#include <tuple>

#include "policy/affinity_terms.hpp"
#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/pod_memo.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

/// What a placed pod is to the pod in question; the same for all pods that share facts.
struct Relation {
  bool meets_affinity = false;         // matches every required affinity term
  std::vector<std::uint32_t> meets;    // required anti-affinity terms that it matches
  std::vector<std::uint32_t> objects;  // State::objections, once per own term that matches
};

/// Existing anti-affinity under one topology key.
struct Objection {
  explicit Objection(const TopologyColumn& column) : pods(column) {}
  DomainSum pods;
  std::vector<PodIndex> objectors;  // placed; in no order
};

struct State final : ClassState {
  std::vector<AffinityTerm> affinity, anti_affinity;
  std::vector<DomainSum> affinity_pods, anti_affinity_pods;  // parallel to the terms
  std::int64_t affinity_total = 0;  // pods that meet all terms, once per key that their node has
  bool meets_itself = false;
  std::deque<Objection> objections;
  PodMemo<Relation> relations;
};

std::uint32_t objection_of(State& state, const TopologyColumn& column) {
  for (std::uint32_t i = 0; i < state.objections.size(); ++i)
    if (state.objections[i].pods.column == &column) return i;
  state.objections.emplace_back(column);
  return static_cast<std::uint32_t>(state.objections.size() - 1);
}

bool meets_all(const ClusterState& cluster, const std::vector<AffinityTerm>& terms,
               const PodFacts& pod) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return term.matches(cluster, pod);
  });
}

class PodAffinityFilter final : public FilterPolicy {
 public:
  explicit PodAffinityFilter(Compat compat) : compat_(compat) {}
  std::string_view name() const override { return "InterPodAffinity"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return passes_all(state) || (change.parts & (kLabelPart | kPresencePart)) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.namespace_name);
    gedge::sign(signature, pod.labels);
    sign_list(signature, pod.spec->required_affinity);
    sign_list(signature, pod.spec->required_anti_affinity);
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched& touched) const override {
    count(static_cast<State&>(state), context, other, node, delta, &touched);
  }
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;
  bool passes_all(const ClassState* state) const override {
    const State& known = static_cast<const State&>(*state);
    return known.affinity.empty() && known.anti_affinity.empty() && known.objections.empty();
  }

 private:
  Relation relate(State& state, const ClassContext& context, const PodFacts& other) const;
  void count(State& state, const ClassContext& context, PodIndex other, NodeIndex node, int delta,
             Touched* touched) const;

  Compat compat_;
};

Relation PodAffinityFilter::relate(State& state, const ClassContext& context,
                                   const PodFacts& other) const {
  Relation relation;
  relation.meets_affinity = meets_all(context.cluster, state.affinity, other);
  for (std::uint32_t i = 0; i < state.anti_affinity.size(); ++i)
    if (state.anti_affinity[i].matches(context.cluster, other)) relation.meets.push_back(i);
  if (!other.has_required_anti_affinity) return relation;
  for (const AffinityTerm& term :
       make_terms(context.cluster, other.spec->required_anti_affinity, other, compat_))
    if (term.matches(context.cluster, context.pod))
      relation.objects.push_back(objection_of(state, *term.column));
  return relation;
}

void PodAffinityFilter::count(State& state, const ClassContext& context, PodIndex other,
                              NodeIndex node, int delta, Touched* touched) const {
  const Relation& relation =
      state.relations.get(context.cluster.pod_facts(other),
                          [&](const PodFacts& facts) { return relate(state, context, facts); });
  const auto add = [&](DomainSum& sum) { return sum.add(node, delta, touched); };
  if (relation.meets_affinity) {
    const bool none_before = state.affinity_total == 0;
    for (DomainSum& sum : state.affinity_pods)
      if (add(sum)) state.affinity_total += delta;
    if (touched != nullptr && none_before != (state.affinity_total == 0)) touched->all = true;
  }
  for (const std::uint32_t i : relation.meets) add(state.anti_affinity_pods[i]);
  for (const std::uint32_t i : relation.objects) {
    Objection& objection = state.objections[i];
    if (!add(objection.pods)) continue;
    std::vector<PodIndex>& objectors = objection.objectors;
    if (delta > 0)
      objectors.push_back(other);
    else if (const auto at = std::find(objectors.begin(), objectors.end(), other);
             at != objectors.end())
      objectors.erase(at);
  }
}

std::unique_ptr<ClassState> PodAffinityFilter::prepare(const ClassContext& context) const {
  auto state = std::make_unique<State>();
  const ClusterState& cluster = context.cluster;
  const PodSpec& spec = *context.pod.spec;
  state->affinity = make_terms(cluster, spec.required_affinity, context.pod, compat_);
  state->anti_affinity = make_terms(cluster, spec.required_anti_affinity, context.pod, compat_);
  for (const AffinityTerm& term : state->affinity) state->affinity_pods.emplace_back(*term.column);
  for (const AffinityTerm& term : state->anti_affinity)
    state->anti_affinity_pods.emplace_back(*term.column);
  state->meets_itself = meets_all(cluster, state->affinity, context.pod);
  if (state->affinity.empty() && state->anti_affinity.empty()) {
    for (const PodIndex other : cluster.placed_with_affinity())
      count(*state, context, other, cluster.node_of(other), 1, nullptr);
    return state;
  }
  cluster.alive().for_each([&](NodeIndex n) {
    for (const PodIndex other : cluster.pods_on(n)) count(*state, context, other, n, 1, nullptr);
  });
  return state;
}

// The key of the first term that is not met; null if all are.
const TopologyColumn* unmet_affinity(const State& state, NodeIndex n) {
  const TopologyColumn* empty_domain = nullptr;
  for (const DomainSum& sum : state.affinity_pods) {
    if (!sum.has_key(n)) return sum.column;
    if (empty_domain == nullptr && sum.at(n) <= 0) empty_domain = sum.column;
  }
  const bool first_of_its_group = state.affinity_total == 0 && state.meets_itself;
  return first_of_its_group ? nullptr : empty_domain;
}

const TopologyColumn* met_anti_affinity(const State& state, NodeIndex n) {
  for (const DomainSum& sum : state.anti_affinity_pods)
    if (sum.at(n) > 0) return sum.column;
  return nullptr;
}

const Objection* objection_at(const State& state, NodeIndex n) {
  for (const Objection& objection : state.objections)
    if (objection.pods.at(n) > 0) return &objection;
  return nullptr;
}

// The objector with the lowest name in the domain of `n`.
std::string objector_at(const ClusterState& cluster, const State& state, NodeIndex n) {
  const auto name_of = [&](PodIndex p) {
    return std::tie(cluster.pod(p).namespace_name, cluster.pod(p).name);
  };
  PodIndex lowest = kNoPod;
  for (const Objection& objection : state.objections) {
    if (objection.pods.at(n) <= 0) continue;
    const std::vector<DomainIndex>& domain_of = objection.pods.column->domain_of;
    for (const PodIndex other : objection.objectors) {
      if (domain_of[raw(cluster.node_of(other))] != domain_of[raw(n)]) continue;
      if (lowest == kNoPod || name_of(other) < name_of(lowest)) lowest = other;
    }
  }
  return cluster.pod(lowest).namespace_name + "/" + cluster.pod(lowest).name;
}

void PodAffinityFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                               NodeMask& feasible, Recorder* recorder) const {
  const State& known = static_cast<const State&>(*state);
  for_each_set(feasible, rows, [&](NodeIndex n) {
    Evidence evidence;
    if (const TopologyColumn* key = unmet_affinity(known, n)) {
      evidence.reason = Reason::kPodAffinity;
      evidence.verdict = Verdict::kUnresolvable;
      if (recorder != nullptr) evidence.subject = key->key;
    } else if (const TopologyColumn* anti_key = met_anti_affinity(known, n)) {
      evidence.reason = Reason::kPodAntiAffinity;
      if (recorder != nullptr) evidence.subject = anti_key->key;
    } else if (objection_at(known, n) != nullptr) {
      evidence.reason = Reason::kExistingAntiAffinity;
      if (recorder != nullptr) evidence.subject = objector_at(context.cluster, known, n);
    } else {
      return;
    }
    feasible.clear(n);
    if (recorder != nullptr) recorder->reject(n, std::move(evidence));
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_inter_pod_affinity_filter(const PolicyArgs&, Compat compat) {
  return std::make_unique<PodAffinityFilter>(compat);
}

}  // namespace gedge
