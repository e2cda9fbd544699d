// policy/volume_zone.cpp - filter VolumeZone.
//
// Rule     a node that carries any zone or region label must have, for each such label of a bound
//          volume, one of its values ("a__b" lists several). 1.36 lets a node's topology.* label
//          answer a volume's failure-domain.beta.* label; 1.20 compares equal keys only.
//          Unresolvable. A claim for which an earlier pod of the plan took a volume counts as
//          bound; claims that are missing or unbound are VolumeBinding's affair.
// Cost     O(volumes) a node and class; nothing for pods without claims.
// Source   kube-scheduler plugins/volumezone/volume_zone.go; cloud-provider LabelZonesToSet.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/volume_ledger.hpp"

namespace gedge {
namespace {

struct ZoneKey {
  const char* key;
  const char* stable;  // what 1.36 asks the node for instead
};

constexpr std::array<ZoneKey, 4> kZoneKeys{{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

/// One zone label of one bound volume.
struct Demand {
  ZoneKey label;
  std::vector<std::string> values;
  const PersistentVolume* volume = nullptr;
};

struct State final : ClassState {
  explicit State(const ClassContext& context) : lookup(context.cluster.facts()) {}
  VolumeLookup lookup;
  std::vector<const PersistentVolumeClaim*> claims;  // bound or waiting, in the pod's order
  std::unique_ptr<VolumeLedger> ledger;              // where claims wait
  std::vector<Demand> demands;                       // of bound and taken volumes
  NodeMask admitted;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "a__b": several zones. Empty where upstream finds a fault in it and ignores the label.
std::vector<std::string> split_zones(const std::string& text) {
  std::vector<std::string> zones;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find("__", from), text.size());
    zones.push_back(trimmed(text.substr(from, end - from)));
    if (zones.back().empty()) return {};
    from = end + 2;
  }
  return zones;
}

void add_demands(const PersistentVolume& volume, std::vector<Demand>& demands) {
  for (const ZoneKey& label : kZoneKeys) {
    const std::string* value = volume.labels.find(label.key);
    if (value == nullptr) continue;
    std::vector<std::string> zones = split_zones(*value);
    if (!zones.empty()) demands.push_back({label, std::move(zones), &volume});
  }
}

class VolumeZoneFilter final : public FilterPolicy {
 public:
  explicit VolumeZoneFilter(Compat compat) : compat_(compat) {}
  std::string_view name() const override { return "VolumeZone"; }
  std::uint8_t reads() const override { return kRowStatic | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || (change.parts & (kLabelPart | kPresencePart)) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const std::vector<PodVolume>& volumes = pod.spec->volumes;
    signature.add(volumes.size());
    if (!volumes.empty()) signature.add(pod.namespace_name());
    for (const PodVolume& volume : volumes) signature.add(volume.claim);
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

 private:
  const Demand* unmet(const State& state, const Node& node) const;
  void judge(State& state, const ClusterState& cluster) const;

  Compat compat_;
};

const Demand* VolumeZoneFilter::unmet(const State& state, const Node& node) const {
  const bool has_any = std::any_of(kZoneKeys.begin(), kZoneKeys.end(), [&](const ZoneKey& label) {
    return node.labels.find(label.key) != nullptr;
  });
  if (!has_any) return nullptr;
  for (const Demand& demand : state.demands) {
    const std::string* value = node.labels.find(demand.label.key);
    if (value == nullptr && compat_ != Compat::k1_20) value = node.labels.find(demand.label.stable);
    if (value == nullptr ||
        std::find(demand.values.begin(), demand.values.end(), *value) == demand.values.end())
      return &demand;
  }
  return nullptr;
}

void VolumeZoneFilter::judge(State& state, const ClusterState& cluster) const {
  state.demands.clear();
  for (const PersistentVolumeClaim* claim : state.claims) {
    const PersistentVolume* volume = state.lookup.volume(claim->volume_name);
    if (volume == nullptr && state.ledger)
      volume = state.ledger->taken_for(*claim).value_or(nullptr);
    if (volume != nullptr) add_demands(*volume, state.demands);
  }
  state.admitted = NodeMask(cluster.slots());
  cluster.alive().for_each([&](NodeIndex n) {
    if (unmet(state, cluster.node(n)) == nullptr) state.admitted.set(n);
  });
}

std::unique_ptr<ClassState> VolumeZoneFilter::prepare(const ClassContext& context) const {
  if (context.pod.spec->volumes.empty()) return nullptr;
  auto state = std::make_unique<State>(context);
  bool any_waits = false;
  for (const PodVolume& volume : context.pod.spec->volumes) {
    const PersistentVolumeClaim* claim =
        state->lookup.claim(context.pod.namespace_name(), volume.claim);
    if (claim == nullptr) continue;
    const bool waits = waits_for_pod(state->lookup, *claim);
    if (waits || state->lookup.volume(claim->volume_name) != nullptr)
      state->claims.push_back(claim);
    any_waits = any_waits || waits;
  }
  if (state->claims.empty()) return nullptr;
  if (any_waits) state->ledger = std::make_unique<VolumeLedger>(state->lookup, context.cluster);
  judge(*state, context.cluster);
  return state;
}

void VolumeZoneFilter::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                              NodeIndex node, int delta, Touched& touched) const {
  State& known = static_cast<State&>(state);
  if (!known.ledger || !known.ledger->on_pod(context.cluster, other, node, delta)) return;
  const NodeMask before = known.admitted;
  judge(known, context.cluster);
  touch_changes(touched, before, known.admitted);
}

void VolumeZoneFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                              NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const State& known = static_cast<const State&>(*state);
  const auto explain = [&](NodeIndex n) {
    Evidence evidence;
    evidence.reason = Reason::kVolumeZone;
    evidence.verdict = Verdict::kUnresolvable;
    evidence.subject = unmet(known, context.cluster.node(n))->volume->name;
    recorder->reject(n, std::move(evidence));
  };
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, known.admitted.word(block.first / kWordRows), recorder, explain);
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_volume_zone_filter(const PolicyArgs&, Compat compat) {
  return std::make_unique<VolumeZoneFilter>(compat);
}

}  // namespace gedge
