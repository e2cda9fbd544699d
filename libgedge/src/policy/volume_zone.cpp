// policy/volume_zone.cpp - filter VolumeZone.
//
// Rule     a node that carries any zone or region label must have, for each such label of a bound
//          volume, one of its values ("a__b" lists several). 1.36 lets a node's topology.* label
//          answer a volume's failure-domain.beta.* label; 1.20 compares equal keys only.
//          Unresolvable. A claim for which an earlier pod of the plan took a volume counts as
//          bound; claims that are missing or unbound are VolumeBinding's affair.
// Memory   as VolumeBinding.
// Cost     O(labels of volumes * words of the rows in their zones + rows / 64) a pod with claims;
//          nothing for pods without.
// Source   kube-scheduler plugins/volumezone/volume_zone.go; cloud-provider LabelZonesToSet.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "gedge/snapshot/volume_ledger.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/volume_rows.hpp"

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
  explicit State(const ClusterState& of) : cluster(&of) {}
  const ClusterState* cluster;
  std::vector<ClaimedVolume> claims;  // bound or waiting, in the pod's order
  mutable BarredRows barred;
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

std::vector<Demand> demands_of(const VolumeLedger& ledger, const State& state) {
  std::vector<Demand> demands;
  for (const ClaimedVolume& claimed : state.claims)
    if (const PersistentVolume* volume = volume_of(ledger, claimed)) add_demands(*volume, demands);
  return demands;
}

void sort_claims(const ClassContext& context, const VolumeLookup& lookup, State& state) {
  for (const PodVolume& used : context.pod.spec->volumes) {
    const PersistentVolumeClaim* claim = lookup.claim(context.pod.namespace_name(), used.claim);
    if (claim == nullptr) continue;
    const PersistentVolume* volume = lookup.volume(claim->volume_name);
    if (volume != nullptr || waits_for_pod(lookup, *claim)) state.claims.push_back({claim, volume});
  }
}

// Adds the live rows whose label has one of the values.
void add_zones(const TopologyColumn& column, const std::vector<std::string>& values,
               NodeMask& rows) {
  for (const std::string& value : values)
    if (const auto at = column.index.find(value); at != column.index.end())
      for (const WordRows& part : column.rows_of(at->second)) rows.add(part.word, part.bits);
}

class VolumeZoneFilter final : public FilterPolicy {
 public:
  explicit VolumeZoneFilter(Compat compat) : compat_(compat) {}
  std::string_view name() const override { return "VolumeZone"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  void listen(const ClassContext&, const ClassState&, std::vector<Topic>&) const override {}
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || (change.parts & kVolumePart) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const std::vector<PodVolume>& volumes = pod.spec->volumes;
    signature.add(volumes.size());
    if (!volumes.empty()) signature.add(pod.namespace_name());
    for (const PodVolume& volume : volumes) signature.add(volume.claim);
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  bool passes_always(const PodFacts& pod) const override { return pod.spec->volumes.empty(); }
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

 private:
  const Demand* unmet(const std::vector<Demand>& demands, const Node& node) const;
  void keep_admitted(const VolumeLedger& ledger, const State& state, NodeMask& rows) const;
  const NodeMask& barred_rows(const State& state) const {
    return state.barred.as_of(*state.cluster, [&](const VolumeLedger& ledger, NodeMask& rows) {
      keep_admitted(ledger, state, rows);
    });
  }

  Compat compat_;
};

const Demand* VolumeZoneFilter::unmet(const std::vector<Demand>& demands, const Node& node) const {
  const bool has_any = std::any_of(kZoneKeys.begin(), kZoneKeys.end(), [&](const ZoneKey& label) {
    return node.labels.find(label.key) != nullptr;
  });
  if (!has_any) return nullptr;
  for (const Demand& demand : demands) {
    const std::string* value = node.labels.find(demand.label.key);
    if (value == nullptr && compat_ != Compat::k1_20) value = node.labels.find(demand.label.stable);
    if (value == nullptr ||
        std::find(demand.values.begin(), demand.values.end(), *value) == demand.values.end())
      return &demand;
  }
  return nullptr;
}

// Clears the live rows for which a demand is unmet; no other live ones.
void VolumeZoneFilter::keep_admitted(const VolumeLedger& ledger, const State& state,
                                     NodeMask& rows) const {
  const std::vector<Demand> demands = demands_of(ledger, state);
  if (demands.empty()) return;
  const ClusterState& cluster = *state.cluster;
  NodeMask without_zone(cluster.slots(), true);
  for (const ZoneKey& label : kZoneKeys) without_zone -= cluster.topology(label.key).keyed;
  for (const Demand& demand : demands) {
    const TopologyColumn& column = cluster.topology(demand.label.key);
    NodeMask met(cluster.slots());
    if (compat_ != Compat::k1_20) {
      add_zones(cluster.topology(demand.label.stable), demand.values, met);
      met -= column.keyed;
    }
    add_zones(column, demand.values, met);
    met |= without_zone;
    rows &= met;
  }
}

std::unique_ptr<ClassState> VolumeZoneFilter::prepare(const ClassContext& context) const {
  if (passes_always(context.pod)) return nullptr;
  auto state = std::make_unique<State>(context.cluster);
  sort_claims(context, context.cluster.volume_ledger().lookup(), *state);
  if (state->claims.empty()) return nullptr;
  return state;
}

bool VolumeZoneFilter::keep_at_once(const ClassContext& context, NodeMask& rows) const {
  if (passes_always(context.pod)) return true;
  const VolumeLedger& ledger = context.cluster.volume_ledger();
  State state(context.cluster);
  sort_claims(context, ledger.lookup(), state);
  keep_admitted(ledger, state, rows);
  return true;
}

void VolumeZoneFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                              NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const State& known = static_cast<const State&>(*state);
  const NodeMask& barred = barred_rows(known);
  if (recorder == nullptr) return reject_barred(barred, rows, feasible);
  const std::vector<Demand> demands = demands_of(context.cluster.volume_ledger(), known);
  const auto explain = [&](NodeIndex n) {
    Evidence evidence;
    evidence.reason = Reason::kVolumeZone;
    evidence.verdict = Verdict::kUnresolvable;
    evidence.subject = unmet(demands, context.cluster.node(n))->volume->name;
    recorder->reject(n, std::move(evidence));
  };
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, ~barred.word(block.first / kWordRows), recorder, explain);
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_volume_zone_filter(const PolicyArgs&, Compat compat) {
  return std::make_unique<VolumeZoneFilter>(compat);
}

}  // namespace gedge
