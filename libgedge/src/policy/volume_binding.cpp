// policy/volume_binding.cpp - filter VolumeBinding.
//
// Bound    the volume's node affinity must match the node.
// Waiting  (WaitForFirstConsumer) a free volume that suits claim and node, else a class that
//          provisions and whose allowedTopologies match the node. A volume that an earlier pod of
//          the plan took is taken; that pod's claim counts as bound to it.
// Else     a claim that is missing, going, made for another pod, or not bound where it should be
//          already, rejects every node.
// Verdict  always unresolvable.
// Memory   the rows that it bars, as of a version of the ledger of volumes: who asks later makes it
//          look again, so that nobody need tell it of other pods.
// Cost     O(claims * rows / 64) a pod with claims, and what the ledger says (volume_ledger.hpp);
//          nothing for pods without claims.
// Source   kube-scheduler plugins/volumebinding volume_binding.go and binder.go. Storage capacity
//          objects and CSI migration are not looked at.
#include <algorithm>
#include <memory>
#include <optional>

#include "gedge/snapshot/volume_ledger.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/volume_rows.hpp"

namespace gedge {
namespace {

struct Finding {
  Reason reason = Reason::kNoVolume;
  const std::string* subject = nullptr;
};

struct State final : ClassState {
  explicit State(const ClusterState& of) : cluster(&of) {}
  const ClusterState* cluster;
  std::optional<Finding> everywhere;                  // rejects all nodes
  std::vector<ClaimedVolume> claims;                  // bound or waiting, in the pod's order
  std::vector<const PersistentVolumeClaim*> waiting;  // smallest first
  mutable BarredRows barred;
};

// The volume is ephemeral, but the claim is not the one that was made for it. Who has no UID was
// written by hand.
bool is_of_another(const PersistentVolumeClaim& claim, const PodVolume& used, const Pod& pod) {
  return used.ephemeral && !claim.uid.empty() && !pod.uid.empty() && claim.owner_uid != pod.uid;
}

void sort_claims(const ClassContext& context, const VolumeLookup& lookup, State& state) {
  for (const PodVolume& used : context.pod.spec->volumes) {
    if (used.claim.empty() || state.everywhere) continue;
    const PersistentVolumeClaim* claim = lookup.claim(context.pod.namespace_name(), used.claim);
    if (claim == nullptr) {
      state.everywhere = Finding{Reason::kClaimMissing, &used.claim};
    } else if (claim->terminating) {
      state.everywhere = Finding{Reason::kClaimTerminating, &claim->name};
    } else if (is_of_another(*claim, used, *context.pod.any)) {
      state.everywhere = Finding{Reason::kClaimNotOwned, &claim->name};
    } else if (!claim->volume_name.empty() && !claim->is_half_bound) {
      state.claims.push_back({claim, lookup.volume(claim->volume_name)});
      if (state.claims.back().volume == nullptr)
        state.everywhere = Finding{Reason::kVolumeMissing, &claim->volume_name};
    } else if (waits_for_pod(lookup, *claim)) {
      state.claims.push_back({claim, nullptr});
      if (std::find(state.waiting.begin(), state.waiting.end(), claim) == state.waiting.end())
        state.waiting.push_back(claim);
    } else {
      state.everywhere = Finding{Reason::kClaimUnbound, &claim->name};
    }
  }
  std::stable_sort(state.waiting.begin(), state.waiting.end(), [](const auto* a, const auto* b) {
    return a->request_bytes < b->request_bytes;
  });
}

// Waiting claims that look for a volume: neither taken for, nor given a node.
VolumeLedger::Claims open_claims(const VolumeLedger& ledger, const State& state) {
  VolumeLedger::Claims open;
  for (const PersistentVolumeClaim* claim : state.waiting)
    if (claim->selected_node.empty() && !ledger.taken_for(*claim)) open.push_back(claim);
  return open;
}

// The first volume, bound or taken, out of reach of the node; null if there is none.
const PersistentVolume* out_of_reach(const VolumeLedger& ledger, const State& state,
                                     const Node& node) {
  for (const ClaimedVolume& claimed : state.claims)
    if (const PersistentVolume* volume = volume_of(ledger, claimed);
        volume != nullptr && !reaches(*volume, node))
      return volume;
  return nullptr;
}

// The first waiting claim that the node has nothing for; null if there is none.
const PersistentVolumeClaim* unbindable(const VolumeLedger& ledger, const State& state,
                                        NodeIndex row) {
  const Node& node = state.cluster->node(row);
  const VolumeLedger::Claims open = open_claims(ledger, state);
  const std::vector<const PersistentVolume*> found = ledger.match(open, row);
  std::size_t next = 0;
  for (const PersistentVolumeClaim* claim : state.waiting) {
    const bool is_open = next < open.size() && open[next] == claim;
    const auto taken = ledger.taken_for(*claim);
    const bool has_volume = is_open ? found[next] != nullptr : taken && *taken != nullptr;
    if (is_open) ++next;
    if (has_volume) continue;
    const bool elsewhere = !claim->selected_node.empty() && claim->selected_node != node.name;
    if (elsewhere || !provisions_on(*ledger.lookup().class_of(*claim), node)) return claim;
  }
  return nullptr;
}

// Clears the rows for which out_of_reach or unbindable has anything.
void keep_admitted(const VolumeLedger& ledger, const State& state, NodeMask& rows) {
  if (state.everywhere) return rows.reset();
  for (const ClaimedVolume& claimed : state.claims)
    if (const PersistentVolume* volume = volume_of(ledger, claimed))
      ledger.keep_reaching(*volume, rows);
  for (const PersistentVolumeClaim* claim : state.waiting) {
    const auto taken = ledger.taken_for(*claim);
    if (taken ? *taken != nullptr : claim->selected_node.empty()) continue;
    ledger.keep_provisioning(*ledger.lookup().class_of(*claim), rows);
    if (claim->selected_node.empty()) continue;
    const auto selected = state.cluster->find_node(claim->selected_node);
    const bool is_kept = selected && rows.test(*selected);
    rows.reset();
    if (is_kept) rows.set(*selected);
  }
  ledger.keep_served(open_claims(ledger, state), rows);
}

const NodeMask& barred_rows(const State& state) {
  return state.barred.as_of(*state.cluster, [&](const VolumeLedger& ledger, NodeMask& rows) {
    keep_admitted(ledger, state, rows);
  });
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
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  void listen(const ClassContext&, const ClassState&, std::vector<Topic>&) const override {}
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || (change.parts & kVolumePart) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const std::vector<PodVolume>& volumes = pod.spec->volumes;
    std::size_t claims = 0;
    for (const PodVolume& volume : volumes) claims += volume.claim.empty() ? 0 : 1;
    signature.add(claims);
    if (claims > 0) signature.add(pod.namespace_name());
    for (const PodVolume& volume : volumes) {
      if (!volume.claim.empty()) signature.add(volume.claim);
      if (volume.ephemeral) signature.add(pod.any->uid);
    }
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    if (passes_always(context.pod)) return nullptr;
    auto state = std::make_unique<State>(context.cluster);
    sort_claims(context, context.cluster.volume_ledger().lookup(), *state);
    return state;
  }
  bool passes_always(const PodFacts& pod) const override {
    const std::vector<PodVolume>& volumes = pod.spec->volumes;
    return std::all_of(volumes.begin(), volumes.end(),
                       [](const PodVolume& volume) { return volume.claim.empty(); });
  }
  bool passes_all(const ClassContext&, const ClassState* state) const override {
    return state == nullptr;
  }
  bool keeps_barred() const override { return true; }
  const NodeMask* barred(const ClassState* state) const override {
    return state == nullptr ? nullptr : &barred_rows(static_cast<const State&>(*state));
  }
  bool keep_at_once(const ClassContext& context, NodeMask& rows) const override;
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;
};

bool VolumeBindingFilter::keep_at_once(const ClassContext& context, NodeMask& rows) const {
  if (passes_always(context.pod)) return true;
  const VolumeLedger& ledger = context.cluster.volume_ledger();
  State state(context.cluster);
  sort_claims(context, ledger.lookup(), state);
  keep_admitted(ledger, state, rows);
  return true;
}

void VolumeBindingFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                                 NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const State& known = static_cast<const State&>(*state);
  const NodeMask& barred = barred_rows(known);
  if (recorder == nullptr) return reject_barred(barred, rows, feasible);
  const VolumeLedger& ledger = context.cluster.volume_ledger();
  const auto explain = [&](NodeIndex n) {
    if (known.everywhere) {
      recorder->reject(n, evidence(known.everywhere->reason, *known.everywhere->subject));
      return;
    }
    if (const auto* volume = out_of_reach(ledger, known, context.cluster.node(n)))
      recorder->reject(n, evidence(Reason::kVolumeNodeAffinity, volume->name));
    if (known.waiting.empty()) return;
    if (const PersistentVolumeClaim* claim = unbindable(ledger, known, n))
      recorder->reject(n, evidence(Reason::kNoVolume, claim->name));
  };
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, ~barred.word(block.first / kWordRows), recorder, explain);
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_volume_binding_filter(const PolicyArgs&, Compat) {
  return std::make_unique<VolumeBindingFilter>();
}

}  // namespace gedge
