// policy/pod_affinity_score.cpp - score InterPodAffinity.
//
// Raw      sum over topology keys of the weights of the node's domain. Every placed pod adds to its
//          domains: the pod's preferred terms that match it (anti-affinity negative), its own
//          preferred terms that match the pod, and hardPodAffinityWeight for each of its required
//          affinity terms that does.
// Range    normalised over the feasible nodes to 100 * (raw - min) / (max - min); under 1.20 zero
//          joins min and max.
// Cost     O(pods that the terms may mean) a class, O(1) a bound pod and term, O(keys) a row.
// Source   kube-scheduler plugins/interpodaffinity/scoring.go.
#include <vector>

#include "policy/affinity_terms.hpp"
#include "policy/make.hpp"
#include "policy/pod_memo.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

struct Weight {
  std::uint32_t key = 0;  // State::sums
  std::int64_t weight = 0;
};

struct WeightedTerm {
  AffinityTerm term;
  std::int64_t weight = 0;
};

struct State final : ClassState {
  std::vector<WeightedTerm> own;  // preferred terms; anti-affinity negative
  std::vector<DomainSum> sums;    // one per topology key
  PodMemo<std::vector<Weight>> weights;
};

std::uint32_t key_of(State& state, const TopologyColumn& column) {
  for (std::uint32_t i = 0; i < state.sums.size(); ++i)
    if (state.sums[i].column == &column) return i;
  state.sums.emplace_back(column);
  return static_cast<std::uint32_t>(state.sums.size() - 1);
}

class PodAffinityScore final : public ScorePolicy {
 public:
  PodAffinityScore(const PolicyArgs& args, Compat compat)
      : compat_(compat),
        hard_weight_(args.hard_pod_affinity_weight),
        ignore_others_(args.ignore_preferred_terms_of_existing_pods) {}
  std::string_view name() const override { return "InterPodAffinity"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return constant(state) || (change.parts & (kLabelPart | kPresencePart)) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.namespace_name());
    gedge::sign(signature, pod.labels());
    sign_list(signature, pod.spec->preferred_affinity);
    sign_list(signature, pod.spec->preferred_anti_affinity);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return compat_ == Compat::k1_20 ? Normalize::kMinMaxZero : Normalize::kMinMax;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched& touched) const override {
    count(static_cast<State&>(state), context, other, node, delta, &touched);
  }
  void listen(const ClassContext& context, const ClassState& state,
              std::vector<Topic>& topics) const override;
  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override;
  std::optional<std::int64_t> constant(const ClassState* state) const override {
    if (state != nullptr && !static_cast<const State*>(state)->sums.empty()) return std::nullopt;
    return 0;
  }

 private:
  std::vector<Weight> weigh(State& state, const ClassContext& context, const PodFacts& other) const;
  void count(State& state, const ClassContext& context, PodIndex other, NodeIndex node, int delta,
             Touched* touched) const;

  Compat compat_;
  std::int64_t hard_weight_;
  bool ignore_others_;
};

std::vector<Weight> PodAffinityScore::weigh(State& state, const ClassContext& context,
                                            const PodFacts& other) const {
  std::vector<Weight> weights;
  const ClusterState& cluster = context.cluster;
  for (const WeightedTerm& own : state.own)
    if (own.term.matches(cluster, other))
      weights.push_back({key_of(state, *own.term.column), own.weight});
  if (!other.has_affinity) return weights;
  const auto add_if_met = [&](const PodAffinityTerm& theirs, std::int64_t weight) {
    const AffinityTerm term(cluster, theirs, other, compat_);
    if (weight != 0 && term.matches(cluster, context.pod))
      weights.push_back({key_of(state, *term.column), weight});
  };
  if (hard_weight_ > 0)
    for (const PodAffinityTerm& term : other.spec->required_affinity)
      add_if_met(term, hard_weight_);
  for (const PreferredPodTerm& term : other.spec->preferred_affinity)
    add_if_met(term.term, term.weight);
  for (const PreferredPodTerm& term : other.spec->preferred_anti_affinity)
    add_if_met(term.term, -std::int64_t{term.weight});
  return weights;
}

void PodAffinityScore::count(State& state, const ClassContext& context, PodIndex other,
                             NodeIndex node, int delta, Touched* touched) const {
  const std::vector<Weight>& weights =
      state.weights.get(context.cluster.pod_facts(other),
                        [&](const PodFacts& facts) { return weigh(state, context, facts); });
  for (const Weight& weight : weights)
    state.sums[weight.key].add(node, delta * weight.weight, touched);
}

std::unique_ptr<ClassState> PodAffinityScore::prepare(const ClassContext& context) const {
  const ClusterState& cluster = context.cluster;
  const PodSpec& spec = *context.pod.spec;
  const bool has_own = !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
  if (ignore_others_ && !has_own) return nullptr;
  auto state = std::make_unique<State>();
  for (const PreferredPodTerm& preferred : spec.preferred_affinity)
    state->own.push_back(
        {AffinityTerm(cluster, preferred.term, context.pod, compat_), preferred.weight});
  for (const PreferredPodTerm& preferred : spec.preferred_anti_affinity)
    state->own.push_back(
        {AffinityTerm(cluster, preferred.term, context.pod, compat_), -preferred.weight});
  if (!has_own && cluster.placed_with_affinity().empty()) return state;
  std::vector<Topic> topics;
  listen(context, *state, topics);
  cluster.for_each_placed(
      topics, [&](PodIndex other, NodeIndex n) { count(*state, context, other, n, 1, nullptr); });
  return state;
}

void PodAffinityScore::listen(const ClassContext& context, const ClassState& state,
                              std::vector<Topic>& topics) const {
  for (const WeightedTerm& own : static_cast<const State&>(state).own) own.term.listen(topics);
  listen_to_demands(context.pod.labels(), topics);
}

void PodAffinityScore::score(const ClassContext&, const ClassState* state, Rows rows,
                             std::span<std::int64_t> raw) const {
  std::fill(raw.begin(), raw.end(), 0);
  if (state == nullptr) return;
  for (const DomainSum& sum : static_cast<const State&>(*state).sums)
    for (std::uint32_t row = rows.first; row < rows.last; ++row)
      raw[row - rows.first] += sum.at(NodeIndex{row});
}

}  // namespace

std::unique_ptr<ScorePolicy> make_inter_pod_affinity_score(const PolicyArgs& args, Compat compat) {
  return std::make_unique<PodAffinityScore>(args, compat);
}

}  // namespace gedge
