// policy/pod_affinity_filter.cpp - filter InterPodAffinity.
//
// Rules    in this order, the first that fails decides: every required affinity term has a pod in
//          the node's domain that matches all terms (or no pod anywhere does, the pod matches its
//          own terms and the node has every key); no required anti-affinity term has a match in the
//          domain; no placed pod's required anti-affinity objects. The first is unresolvable.
// Memory   matching pods per domain, and the rows of domains that have any; terminating pods count.
// Cost     O(pods that the terms may mean + words of masks) a class and a bound pod that opens or
//          empties a domain; O(terms) a row with evidence.
// Source   kube-scheduler plugins/interpodaffinity/filtering.go.
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "policy/affinity_terms.hpp"
#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/pod_memo.hpp"
#include "policy/rows.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

/// What a placed pod is to the pod in question; the same for all pods that share facts.
struct Relation {
  bool meets_affinity = false;         // matches every required affinity term
  std::vector<std::uint32_t> meets;    // required anti-affinity terms that it matches
  std::vector<std::uint32_t> objects;  // State::objections, once per own term that matches
};

/// Pods per domain of one topology key, and the rows of domains that have any.
struct Occupation {
  explicit Occupation(const TopologyColumn& of) : column(&of), rows(of.domain_of.size()) {}
  bool has_key(NodeIndex n) const { return column->domain_of[raw(n)] != kNoDomain; }
  bool at(NodeIndex n) const { return rows.test(n); }
  /// Returns whether that was the domain's first pod or its last. The node has the key.
  bool add(NodeIndex n, int delta);
  /// Adds the rows of the node's domain to the mask.
  void bar(NodeIndex n, NodeMask& barred) const;

  const TopologyColumn* column;
  NodeMask rows;
  // Pods beyond the first of a domain, where there are any: none at all where anti-affinity is
  // kept. Only looked up, never iterated.
  std::unordered_map<DomainIndex, std::uint32_t> others;
};

bool Occupation::add(NodeIndex n, int delta) {
  const DomainIndex domain = column->domain_of[raw(n)];
  if (delta > 0 && rows.test(n)) {
    ++others[domain];
    return false;
  }
  if (delta > 0) {
    bar(n, rows);
    return true;
  }
  if (const auto more = others.find(domain); more != others.end()) {
    if (--more->second == 0) others.erase(more);
    return false;
  }
  for (const WordRows& part : column->rows_of(domain)) rows.keep(part.word, ~part.bits);
  return true;
}

void Occupation::bar(NodeIndex n, NodeMask& barred) const {
  for (const WordRows& part : column->rows_of(column->domain_of[raw(n)]))
    barred.add(part.word, part.bits);
}

/// Existing anti-affinity under one topology key.
struct Objection {
  explicit Objection(const TopologyColumn& column) : pods(column) {}
  Occupation pods;
  std::vector<PodIndex> objectors;  // placed; in no order
};

struct State final : ClassState {
  std::vector<AffinityTerm> affinity, anti_affinity;
  std::vector<Occupation> affinity_pods, anti_affinity_pods;  // parallel to the terms
  std::int64_t affinity_total = 0;  // pods that meet all terms, once per key that their node has
  bool meets_itself = false;
  std::vector<Objection> objections;
  PodMemo<Relation> relations;
  NodeMask barred;  // [slots]; empty as long as nothing can be rejected

  bool rejects_nothing() const {
    return affinity.empty() && anti_affinity.empty() && objections.empty();
  }
  bool is_first_of_its_group() const { return affinity_total == 0 && meets_itself; }
  void unite(std::size_t slots);
  /// After a pod came that opened domains: what was barred stays barred.
  void bar(const Relation& relation, NodeIndex n);
};

void State::unite(std::size_t slots) {
  if (rejects_nothing()) return;
  if (barred.size() == 0) barred = NodeMask(slots);
  barred.reset();
  for (const Occupation& pods : affinity_pods) {
    NodeMask out(barred.size(), true);
    out -= is_first_of_its_group() ? pods.column->keyed : pods.rows;
    barred |= out;
  }
  for (const Occupation& pods : anti_affinity_pods) barred |= pods.rows;
  for (const Objection& objection : objections) barred |= objection.pods.rows;
}

void State::bar(const Relation& relation, NodeIndex n) {
  const auto bar = [&](const Occupation& pods) {
    if (pods.has_key(n)) pods.bar(n, barred);
  };
  for (const std::uint32_t i : relation.meets) bar(anti_affinity_pods[i]);
  for (const std::uint32_t i : relation.objects) bar(objections[i].pods);
}

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
    return static_cast<const State&>(*state).rejects_nothing() ||
           (change.parts & (kLabelPart | kPresencePart)) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.namespace_name());
    gedge::sign(signature, pod.labels());
    sign_list(signature, pod.spec->required_affinity);
    sign_list(signature, pod.spec->required_anti_affinity);
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched&) const override {
    State& known = static_cast<State&>(state);
    const Relation& relation = relation_of(known, context, other);
    if (!count(known, relation, other, node, delta)) return;
    if (delta > 0 && known.affinity.empty() && known.barred.size() != 0)
      known.bar(relation, node);
    else
      known.unite(context.cluster.slots());
  }
  void listen(const ClassContext& context, const ClassState& state,
              std::vector<Topic>& topics) const override;
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;
  bool passes_all(const ClassContext&, const ClassState* state) const override {
    return static_cast<const State&>(*state).rejects_nothing();
  }
  bool keeps_barred() const override { return true; }
  const NodeMask* barred(const ClassState* state) const override {
    const State& known = static_cast<const State&>(*state);
    return known.barred.size() == 0 ? nullptr : &known.barred;
  }

 private:
  Relation relate(State& state, const ClassContext& context, const PodFacts& other) const;
  const Relation& relation_of(State& state, const ClassContext& context, PodIndex other) const {
    return state.relations.get(context.cluster.pod_facts(other), [&](const PodFacts& facts) {
      return relate(state, context, facts);
    });
  }
  static bool count(State& state, const Relation& relation, PodIndex other, NodeIndex node,
                    int delta);

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

// Returns whether other rows than before may be barred.
bool PodAffinityFilter::count(State& state, const Relation& relation, PodIndex other,
                              NodeIndex node, int delta) {
  bool changed = false;
  const auto add = [&](Occupation& pods) {
    if (!pods.has_key(node)) return false;
    if (pods.add(node, delta)) changed = true;
    return true;
  };
  if (relation.meets_affinity) {
    const bool none_before = state.affinity_total == 0;
    for (Occupation& pods : state.affinity_pods)
      if (add(pods)) state.affinity_total += delta;
    changed = changed || none_before != (state.affinity_total == 0);
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
  return changed;
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
  if (state->rejects_nothing() && cluster.placed_with_affinity().empty()) return state;
  std::vector<Topic> topics;
  listen(context, *state, topics);
  cluster.for_each_placed(topics, [&](PodIndex other, NodeIndex n) {
    count(*state, relation_of(*state, context, other), other, n, 1);
  });
  state->unite(cluster.slots());
  return state;
}

void PodAffinityFilter::listen(const ClassContext& context, const ClassState& state,
                               std::vector<Topic>& topics) const {
  const State& known = static_cast<const State&>(state);
  if (!known.affinity.empty()) known.affinity.front().listen(topics);
  for (const AffinityTerm& term : known.anti_affinity) term.listen(topics);
  listen_to_demands(context.pod.labels(), topics);
}

// The key of the first term that is not met; null if all are.
const TopologyColumn* unmet_affinity(const State& state, NodeIndex n) {
  const TopologyColumn* empty_domain = nullptr;
  for (const Occupation& pods : state.affinity_pods) {
    if (!pods.has_key(n)) return pods.column;
    if (empty_domain == nullptr && !pods.at(n)) empty_domain = pods.column;
  }
  return state.is_first_of_its_group() ? nullptr : empty_domain;
}

const TopologyColumn* met_anti_affinity(const State& state, NodeIndex n) {
  for (const Occupation& pods : state.anti_affinity_pods)
    if (pods.at(n)) return pods.column;
  return nullptr;
}

const Objection* objection_at(const State& state, NodeIndex n) {
  for (const Objection& objection : state.objections)
    if (objection.pods.at(n)) return &objection;
  return nullptr;
}

// The objector with the lowest name in the domain of `n`.
std::string objector_at(const ClusterState& cluster, const State& state, NodeIndex n) {
  const auto name_of = [&](PodIndex p) {
    return std::tie(cluster.pod(p).namespace_name, cluster.pod(p).name);
  };
  PodIndex lowest = kNoPod;
  for (const Objection& objection : state.objections) {
    if (!objection.pods.at(n)) continue;
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
  if (recorder == nullptr) {
    if (known.barred.size() != 0) reject_barred(known.barred, rows, feasible);
    return;
  }
  for_each_set(feasible, rows, [&](NodeIndex n) {
    Evidence evidence;
    if (const TopologyColumn* key = unmet_affinity(known, n)) {
      evidence.reason = Reason::kPodAffinity;
      evidence.verdict = Verdict::kUnresolvable;
      evidence.subject = key->key;
    } else if (const TopologyColumn* anti_key = met_anti_affinity(known, n)) {
      evidence.reason = Reason::kPodAntiAffinity;
      evidence.subject = anti_key->key;
    } else if (objection_at(known, n) != nullptr) {
      evidence.reason = Reason::kExistingAntiAffinity;
      evidence.subject = objector_at(context.cluster, known, n);
    } else {
      return;
    }
    feasible.clear(n);
    recorder->reject(n, std::move(evidence));
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_inter_pod_affinity_filter(const PolicyArgs&, Compat compat) {
  return std::make_unique<PodAffinityFilter>(compat);
}

}  // namespace gedge
