// policy/gpu_share.cpp - filter GpuShare: a share of a GPU must fit on one card.
//
// Rule     as many cards as the pod asks for, each with that share free, of a model it accepts.
//          Which card a placed pod lies on is worked out in binding order: the fullest card that
//          suffices, ties by card number.
// Verdict  unschedulable; unresolvable where the cards of the node could never do.
// Cost     O(pods) a class, O(pods of the node) a bound pod, O(1) a row; nothing for pods without
//          GPU annotations.
// Source   alibaba/open-gpu-share (cache/gpunodeinfo.go AllocateGpuId); several cards are distinct
//          ones, as in the openb trace.
#include <algorithm>
#include <string>

#include "policy/domain_rows.hpp"
#include "policy/gpu_cards.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

constexpr std::string_view kCardCount = "alibabacloud.com/gpu-count";
constexpr std::string_view kShare = "alibabacloud.com/gpu-milli";
constexpr std::string_view kModel = "alibabacloud.com/gpu-card-model";

struct State final : ClassState {
  GpuRequest request;
  std::vector<std::int64_t> card_count;  // [slots]
  std::vector<GpuCards> cards;           // [slots]
  NodeMask model_suits, admitted;
};

bool suits(const GpuRequest& request, const Node& node) {
  if (request.models.empty()) return true;
  const std::string* model = node.labels.find(kModel);
  return model != nullptr &&
         std::find(request.models.begin(), request.models.end(), *model) != request.models.end();
}

void add_pod(State& state, const ClusterState& cluster, PodIndex pod, NodeIndex n) {
  const GpuRequest request = gpu_request(*cluster.pod_facts(pod).spec);
  if (!request.indexes.empty() && cluster.pod(pod).bound_node == cluster.node(n).name)
    state.cards[raw(n)].place_as_told(request);
  else
    state.cards[raw(n)].place(request);
}

void judge(State& state, NodeIndex n) {
  if (state.model_suits.test(n) && state.cards[raw(n)].fits(state.request))
    state.admitted.set(n);
  else
    state.admitted.clear(n);
}

void fill_cards(State& state, const ClusterState& cluster, NodeIndex n) {
  state.cards[raw(n)] = GpuCards(state.card_count[raw(n)]);
  if (state.cards[raw(n)].size() > 0)
    for (const PodIndex pod : cluster.pods_on(n)) add_pod(state, cluster, pod, n);
  judge(state, n);
}

std::string joined(const std::vector<std::string>& models) {
  std::string text;
  for (const std::string& model : models) text += (text.empty() ? "" : "|") + model;
  return text;
}

Evidence evidence(const State& state, NodeIndex n) {
  Evidence made;
  const GpuRequest& request = state.request;
  const GpuCards& cards = state.cards[raw(n)];
  if (!state.model_suits.test(n)) {
    made.reason = Reason::kGpuModel;
    made.verdict = Verdict::kUnresolvable;
    made.subject = joined(request.models);
    return made;
  }
  const bool never =
      request.share > kWholeCard || static_cast<std::int64_t>(cards.size()) < request.cards;
  made.reason = Reason::kGpuCard;
  made.verdict = never ? Verdict::kUnresolvable : Verdict::kUnschedulable;
  made.subject = kShare;
  made.measured = cards.best_share(request);
  made.limit = request.share;
  made.unit = Unit::kThousandths;
  return made;
}

class GpuShareFilter final : public FilterPolicy {
 public:
  std::string_view name() const override { return "GpuShare"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    constexpr unsigned kRead = kResourcePart | kLabelPart | kPresencePart;
    return state == nullptr || (change.parts & kRead) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const GpuRequest request = gpu_request(*pod.spec);
    signature.add(static_cast<std::uint64_t>(request.cards));
    signature.add(static_cast<std::uint64_t>(request.share));
    gedge::sign(signature, request.models);
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched& touched) const override;
  bool passes_all(const ClassContext&, const ClassState* state) const override {
    return state == nullptr;
  }
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;
};

std::unique_ptr<ClassState> GpuShareFilter::prepare(const ClassContext& context) const {
  const ClusterState& cluster = context.cluster;
  GpuRequest request = gpu_request(*context.pod.spec);
  if (request.cards == 0) return nullptr;
  auto state = std::make_unique<State>();
  state->request = std::move(request);
  state->card_count.assign(cluster.slots(), 0);
  if (const auto resource = cluster.find_resource(kCardCount)) {
    const auto column = cluster.allocatable(*resource);
    state->card_count.assign(column.begin(), column.end());
  }
  state->cards.assign(cluster.slots(), GpuCards(0));
  state->model_suits = state->admitted = NodeMask(cluster.slots());
  cluster.alive().for_each([&](NodeIndex n) {
    if (suits(state->request, cluster.node(n))) state->model_suits.set(n);
    fill_cards(*state, cluster, n);
  });
  return state;
}

void GpuShareFilter::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                            NodeIndex node, int delta, Touched&) const {
  State& known = static_cast<State&>(state);
  const std::span<const PodIndex> here = context.cluster.pods_on(node);
  if (delta > 0 && !here.empty() && here.back() == other) {
    add_pod(known, context.cluster, other, node);
    judge(known, node);
  } else {
    fill_cards(known, context.cluster, node);
  }
}

void GpuShareFilter::filter(const ClassContext&, const ClassState* state, Rows rows,
                            NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const State& known = static_cast<const State&>(*state);
  const auto explain = [&](NodeIndex n) { recorder->reject(n, evidence(known, n)); };
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, known.admitted.word(block.first / kWordRows), recorder, explain);
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_gpu_share_filter(const PolicyArgs&, Compat) {
  return std::make_unique<GpuShareFilter>();
}

}  // namespace gedge
