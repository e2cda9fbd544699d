// policy/volume_binding.cpp - filter VolumeBinding.
//
// Bound    the volume's node affinity must match the node.
// Waiting  (WaitForFirstConsumer) a free volume that suits claim and node, else a class that
//          provisions and whose allowedTopologies match the node. A volume that an earlier pod of
//          the plan took is taken; that pod's claim counts as bound to it.
// Else     a claim that is missing, or that should be bound already but is not, rejects every node.
// Verdict  always unresolvable.
// Cost     O(storage objects + journal) a class with volumes, then O(volumes) a node; nothing for
//          pods without claims.
// Source   kube-scheduler plugins/volumebinding volume_binding.go and binder.go. Storage capacity
//          objects and CSI migration are not looked at.
#include <algorithm>
#include <memory>
#include <optional>

#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/volume_ledger.hpp"

namespace gedge {
namespace {

struct Finding {
  Reason reason = Reason::kNoVolume;
  const std::string* subject = nullptr;
};

struct State final : ClassState {
  explicit State(const ClassContext& context)
      : lookup(context.cluster.facts()), admitted(context.cluster.slots()) {}
  VolumeLookup lookup;
  std::optional<Finding> everywhere;                  // rejects all nodes
  std::vector<const PersistentVolumeClaim*> claims;   // bound or waiting, in the pod's order
  std::vector<const PersistentVolumeClaim*> waiting;  // smallest first
  std::unique_ptr<VolumeLedger> ledger;               // where claims wait
  NodeMask admitted;
};

void sort_claims(const ClassContext& context, State& state) {
  for (const PodVolume& volume : context.pod.spec->volumes) {
    if (volume.claim.empty() || state.everywhere) continue;
    const PersistentVolumeClaim* claim =
        state.lookup.claim(context.pod.namespace_name(), volume.claim);
    if (claim == nullptr) {
      state.everywhere = Finding{Reason::kClaimMissing, &volume.claim};
    } else if (!claim->volume_name.empty()) {
      state.claims.push_back(claim);
      if (state.lookup.volume(claim->volume_name) == nullptr)
        state.everywhere = Finding{Reason::kVolumeMissing, &claim->volume_name};
    } else if (waits_for_pod(state.lookup, *claim)) {
      state.claims.push_back(claim);
      if (std::find(state.waiting.begin(), state.waiting.end(), claim) == state.waiting.end())
        state.waiting.push_back(claim);
    } else {
      state.everywhere = Finding{Reason::kClaimUnbound, &claim->name};
    }
  }
}

// The first volume, bound or taken, out of reach of the node; null if there is none.
const PersistentVolume* out_of_reach(const State& state, const Node& node) {
  for (const PersistentVolumeClaim* claim : state.claims) {
    const PersistentVolume* volume = state.lookup.volume(claim->volume_name);
    if (volume == nullptr && state.ledger)
      volume = state.ledger->taken_for(*claim).value_or(nullptr);
    if (volume != nullptr && !reaches(*volume, node)) return volume;
  }
  return nullptr;
}

// The first waiting claim that the node has nothing for; null if there is none.
const PersistentVolumeClaim* unbindable(const State& state, const Node& node) {
  std::vector<const PersistentVolumeClaim*> open;
  for (const PersistentVolumeClaim* claim : state.waiting)
    if (claim->selected_node.empty() && !state.ledger->taken_for(*claim)) open.push_back(claim);
  const std::vector<const PersistentVolume*> found = state.ledger->match(open, node);
  std::size_t next = 0;
  for (const PersistentVolumeClaim* claim : state.waiting) {
    const bool is_open = next < open.size() && open[next] == claim;
    const auto taken = state.ledger->taken_for(*claim);
    const bool has_volume = is_open ? found[next] != nullptr : taken && *taken != nullptr;
    if (is_open) ++next;
    if (has_volume) continue;
    const bool elsewhere = !claim->selected_node.empty() && claim->selected_node != node.name;
    if (elsewhere || !provisions_on(*state.lookup.class_of(*claim), node)) return claim;
  }
  return nullptr;
}

NodeMask admitted_nodes(const ClassContext& context, const State& state) {
  NodeMask admitted(context.cluster.slots());
  if (state.everywhere) return admitted;
  context.cluster.alive().for_each([&](NodeIndex n) {
    const Node& node = context.cluster.node(n);
    if (out_of_reach(state, node) == nullptr &&
        (state.waiting.empty() || unbindable(state, node) == nullptr))
      admitted.set(n);
  });
  return admitted;
}

Evidence evidence(Reason reason, const std::string& subject) {
  Evidence made;
  made.reason = reason;
  made.verdict = Verdict::kUnresolvable;
  made.subject = subject;
  return made;
}

class VolumeBindingFilter final : public FilterPolicy {
 public:
  std::string_view name() const override { return "VolumeBinding"; }
  std::uint8_t reads() const override { return kRowStatic | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || (change.parts & (kLabelPart | kPresencePart)) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const std::vector<PodVolume>& volumes = pod.spec->volumes;
    std::size_t claims = 0;
    for (const PodVolume& volume : volumes) claims += volume.claim.empty() ? 0 : 1;
    signature.add(claims);
    if (claims > 0) signature.add(pod.namespace_name());
    for (const PodVolume& volume : volumes)
      if (!volume.claim.empty()) signature.add(volume.claim);
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

std::unique_ptr<ClassState> VolumeBindingFilter::prepare(const ClassContext& context) const {
  bool any = false;
  for (const PodVolume& volume : context.pod.spec->volumes) any = any || !volume.claim.empty();
  if (!any) return nullptr;
  auto state = std::make_unique<State>(context);
  sort_claims(context, *state);
  std::stable_sort(state->waiting.begin(), state->waiting.end(), [](const auto* a, const auto* b) {
    return a->request_bytes < b->request_bytes;
  });
  if (!state->waiting.empty())
    state->ledger = std::make_unique<VolumeLedger>(state->lookup, context.cluster);
  state->admitted = admitted_nodes(context, *state);
  return state;
}

void VolumeBindingFilter::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                                 NodeIndex node, int delta, Touched& touched) const {
  State& known = static_cast<State&>(state);
  if (!known.ledger || !known.ledger->on_pod(context.cluster, other, node, delta)) return;
  const NodeMask before = known.admitted;
  known.admitted = admitted_nodes(context, known);
  touch_changes(touched, before, known.admitted);
}

void VolumeBindingFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                                 NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const State& known = static_cast<const State&>(*state);
  const auto explain = [&](NodeIndex n) {
    const Node& node = context.cluster.node(n);
    if (known.everywhere) {
      recorder->reject(n, evidence(known.everywhere->reason, *known.everywhere->subject));
      return;
    }
    if (const PersistentVolume* volume = out_of_reach(known, node))
      recorder->reject(n, evidence(Reason::kVolumeNodeAffinity, volume->name));
    if (known.waiting.empty()) return;
    if (const PersistentVolumeClaim* claim = unbindable(known, node))
      recorder->reject(n, evidence(Reason::kNoVolume, claim->name));
  };
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, known.admitted.word(block.first / kWordRows), recorder, explain);
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_volume_binding_filter(const PolicyArgs&, Compat) {
  return std::make_unique<VolumeBindingFilter>();
}

}  // namespace gedge
