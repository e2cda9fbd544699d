// plan/candidates.cpp - from the reason of a rejection to the edits that speak to it.
#include "plan/candidates.hpp"

#include <algorithm>

#include "gedge/base/quantity.hpp"
#include "gedge/model/selector.hpp"
#include "gedge/policy/delay.hpp"
#include "plan/edit_node.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMillion = 1000000;
constexpr std::size_t kMostValues = 100;  // of one label that are tried
constexpr std::size_t kMostOthers = 100;  // other nodes that are relabelled or emptied
constexpr std::size_t kManyPods = 2000;
constexpr std::size_t kMostMoves = 10'000;
__extension__ using Wide = __int128;

std::int64_t size_of(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return kMillion;
  return static_cast<std::int64_t>(std::min<Wide>(Wide{part} * kMillion / whole, Wide{1} << 62));
}

struct Scene {
  const ClusterState& cluster;
  PodIndex pod;
  NodeIndex node;
  std::int64_t most_ppm;
  Candidates& out;

  bool wants(std::int64_t part, std::int64_t whole) const {
    return size_of(part, whole) <= most_ppm;
  }
  void add(Edit edit, std::int64_t part = 1, std::int64_t whole = 1) {
    if (wants(part, whole)) out.insert(candidate(std::move(edit), part, whole));
  }
  const PodSpec& spec() const { return *cluster.pod_facts(pod).spec; }
  const Node& target() const { return cluster.node(node); }
};

Edit node_edit(Edit::Kind kind, const Node& node, std::string name = {}, std::string value = {}) {
  Edit edit;
  edit.kind = kind;
  edit.node = node.name;
  edit.name = std::move(name);
  edit.value = std::move(value);
  return edit;
}

Edit pod_edit(Edit::Kind kind, const Pod& pod, std::string node = {}) {
  Edit edit;
  edit.kind = kind;
  edit.namespace_name = pod.namespace_name;
  edit.name = pod.name;
  edit.value = std::move(node);
  return edit;
}

// Emptying a node is a larger change than anything done to one pod.
void add_evictions(Scene& s, NodeIndex n) {
  constexpr std::int64_t kTwice = 2;
  if (!s.wants(kTwice, 1)) return;
  for (const Edit::Kind kind : {Edit::Kind::kDrain, Edit::Kind::kDeleteNode})
    if (kind == Edit::Kind::kDrain || n != s.node)
      s.add(node_edit(kind, s.cluster.node(n)), kTwice);
}

// A node whose hostname is another's, or none, is the last thing to suggest.
std::int64_t size_of_label(std::string_view key) {
  return key == "kubernetes.io/hostname" ? 100 : 1;
}

void add_label(Scene& s, const Node& node, const std::string& key, const std::string& value) {
  const std::string* now = node.labels.find(key);
  if (now == nullptr || *now != value)
    s.add(node_edit(Edit::Kind::kSetLabel, node, key, value), size_of_label(key));
}

void remove_label(Scene& s, const Node& node, const std::string& key) {
  if (node.labels.find(key) != nullptr)
    s.add(node_edit(Edit::Kind::kRemoveLabel, node, key), size_of_label(key));
}

// A column also keeps values that were tried and taken back.
std::vector<std::string> values_in_use(const ClusterState& cluster, const std::string& key) {
  const TopologyColumn& column = cluster.topology(key);
  std::vector<bool> used(column.domain_count(), false);
  cluster.alive().for_each([&](NodeIndex n) {
    if (column.domain_of[raw(n)] != kNoDomain) used[column.domain_of[raw(n)]] = true;
  });
  std::vector<std::string> values;
  for (DomainIndex d = 0; d < column.domain_count() && values.size() < kMostValues; ++d)
    if (used[d]) values.push_back(column.values[d]);
  return values;
}

// Every value that some node gives to `key`, and one that none gives: the node's own name.
void add_domain_labels(Scene& s, const Node& node, const std::string& key) {
  for (const std::string& value : values_in_use(s.cluster, key)) add_label(s, node, key, value);
  if (is_label_value(node.name)) add_label(s, node, key, node.name);
  remove_label(s, node, key);
}

// The values that could satisfy a requirement on its own, and the removal of the label. Several
// requirements of one key need one value for all, so those that hold already are not left out.
void add_for_requirement(Scene& s, const Requirement& r) {
  remove_label(s, s.target(), r.key);
  if (r.op == SelectorOp::kExists) add_label(s, s.target(), r.key, "true");
  if (r.op == SelectorOp::kGt || r.op == SelectorOp::kLt) {
    if (r.values.size() != 1 || r.values.front().size() > 18) return;
    const std::int64_t bound = std::strtoll(r.values.front().c_str(), nullptr, 10);
    if (r.op == SelectorOp::kLt && bound <= 0) return;  // a label value has no minus sign
    add_label(s, s.target(), r.key, std::to_string(bound + (r.op == SelectorOp::kGt ? 1 : -1)));
  } else if (r.op != SelectorOp::kNotIn && r.op != SelectorOp::kNotEquals) {
    for (const std::string& value : r.values) add_label(s, s.target(), r.key, value);
  }
}

void add_for_terms(Scene& s, const std::vector<NodeSelectorTerm>& terms) {
  for (const NodeSelectorTerm& term : terms)
    for (const Requirement& r : term.expressions) add_for_requirement(s, r);
}

void add_for_node_affinity(Scene& s) {
  for (const auto& [key, value] : s.spec().node_selector) add_label(s, s.target(), key, value);
  add_for_terms(s, s.spec().required_node_terms);
}

void add_uncordon(Scene& s) {
  s.add(node_edit(Edit::Kind::kRemoveTaint, s.target(), "node.kubernetes.io/unschedulable"));
}

void add_for_taints(Scene& s) {
  for (const Taint& taint : s.target().taints) {
    if (taint.effect == TaintEffect::kPreferNoSchedule) continue;
    const auto tolerates = [&](const Toleration& t) { return t.tolerates(taint); };
    if (std::any_of(s.spec().tolerations.begin(), s.spec().tolerations.end(), tolerates)) continue;
    const std::string effect = taint.effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
    s.add(node_edit(Edit::Kind::kRemoveTaint, s.target(), taint.key, effect));
    s.add(node_edit(Edit::Kind::kRemoveTaint, s.target(), taint.key));
  }
}

void add_resource(Scene& s, const std::string& name, const Evidence& evidence) {
  std::int64_t missing = 1;
  if (evidence.measured != kNoNumber && evidence.limit != kNoNumber &&
      (__builtin_sub_overflow(evidence.measured, evidence.limit, &missing) || missing <= 0))
    return;
  const std::int64_t whole = s.target().allocatable.amount(name);
  if (!s.wants(missing, whole)) return;
  Edit edit = node_edit(Edit::Kind::kAddResource, s.target(), name);
  edit.amount = missing;
  s.add(std::move(edit), missing, whole);
}

void add_deletes(Scene& s, std::span<const PodIndex> pods) {
  if (!s.wants(1, 1)) return;
  for (const PodIndex p : pods)
    if (p != s.pod && s.cluster.is_placed(p))
      s.add(pod_edit(Edit::Kind::kDeletePod, s.cluster.pod(p)));
}

// Where there are too many places to try them all, only this node.
void add_moves(Scene& s, const std::vector<PodIndex>& pods) {
  if (!s.wants(1, 1)) return;
  const bool anywhere = pods.size() * s.cluster.slots() <= kMostMoves;
  for (const PodIndex p : pods) {
    if (p == s.pod || belongs_to_node(s.cluster.pod(p))) continue;
    s.cluster.alive().for_each([&](NodeIndex n) {
      if (!anywhere && n != s.node) return;
      if (n != s.cluster.node_of(p))
        s.add(pod_edit(Edit::Kind::kMovePod, s.cluster.pod(p), s.cluster.node(n).name));
    });
  }
}

// Pods that are on a node or wait for one.
std::vector<PodIndex> pods_to_place(const ClusterState& cluster) {
  std::vector<PodIndex> all;
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    if (cluster.is_placed(PodIndex{i}) || cluster.pod(PodIndex{i}).phase == PodPhase::kPending)
      all.push_back(PodIndex{i});
  return all;
}

// The pods are deleted, moved, or lose their node. Of very many, those on this node.
void add_without(Scene& s, std::vector<PodIndex> pods) {
  if (pods.size() > kManyPods)
    std::erase_if(pods, [&](PodIndex p) { return s.cluster.node_of(p) != s.node; });
  add_deletes(s, pods);
  add_moves(s, pods);
  for (const PodIndex p : pods)
    if (s.cluster.is_placed(p)) add_evictions(s, s.cluster.node_of(p));
}

// Own affinity and spread look at other rows: relabel this node or any other, or empty the others.
void add_for_domains(Scene& s, const std::string& key, bool other_nodes) {
  add_domain_labels(s, s.target(), key);
  add_without(s, pods_to_place(s.cluster));
  if (!other_nodes || s.cluster.slots() > kMostOthers) return;
  s.cluster.alive().for_each([&](NodeIndex n) {
    add_domain_labels(s, s.cluster.node(n), key);
    add_evictions(s, n);
  });
}

void add_for_existing_anti_affinity(Scene& s) {
  const std::vector<PodIndex> others(s.cluster.placed_with_affinity().begin(),
                                     s.cluster.placed_with_affinity().end());
  for (const PodIndex p : others)
    for (const PodAffinityTerm& term : s.cluster.pod_facts(p).spec->required_anti_affinity)
      add_domain_labels(s, s.target(), term.topology_key);
  add_without(s, others);
}

void add_rtt(Scene& s, NameIndex a, NameIndex b, std::int64_t limit_us) {
  const Rtt now = s.cluster.rtt().between(a, b);
  if (now != kUnmeasured && now.us <= limit_us) return;
  Edit edit;
  edit.kind = Edit::Kind::kSetRtt;
  edit.node = s.cluster.rtt().name(std::min(a, b));
  edit.name = s.cluster.rtt().name(std::max(a, b));
  edit.amount = limit_us;
  const bool measured = now != kUnmeasured;
  s.add(std::move(edit), measured ? now.us - limit_us : 1, measured ? now.us : 1);
}

void add_rtt_between(Scene& s, NodeIndex peer, std::int64_t limit_us) {
  const auto here = s.cluster.latency_name(s.node), there = s.cluster.latency_name(peer);
  if (here && there && peer != s.node) add_rtt(s, *here, *there, limit_us);
}

// A node that is called differently in the matrix may be nearer, or known at all.
void add_latency_labels(Scene& s, const Node& node) {
  const std::string& key = s.cluster.rtt_by();
  if (key.empty()) return;
  add_domain_labels(s, node, key);
  for (const std::string& name : s.cluster.rtt().names())
    if (is_label_value(name)) add_label(s, node, key, name);
}

void add_for_peer_nodes(Scene& s, const DelayBudget& budget, const std::vector<NodeIndex>& peers) {
  for (const NodeIndex n : peers) {
    add_rtt_between(s, n, budget.limit_us);
    add_latency_labels(s, s.cluster.node(n));
    if (budget.kind != PeerKind::kZone) continue;
    remove_label(s, s.cluster.node(n), "topology.kubernetes.io/zone");
    add_evictions(s, n);
  }
}

void add_for_peer_pods(Scene& s, const DelayBudget& budget, const std::vector<PodIndex>& peers) {
  for (const PodIndex p : peers) {
    if (!s.cluster.is_placed(p)) continue;
    add_rtt_between(s, s.cluster.node_of(p), budget.limit_us);
    add_latency_labels(s, s.cluster.node(s.cluster.node_of(p)));
  }
  add_without(s, peers);
}

void add_for_budget(Scene& s, const std::string& from) {
  add_latency_labels(s, s.target());
  for (const DelayBudget& rejecting : s.spec().budgets) {
    if (rejecting.from != from) continue;
    const DelayTarget peers = find_target(s.cluster, rejecting, s.cluster.pod_facts(s.pod));
    // Another budget of this pod may be stricter towards the same place.
    for (DelayBudget budget : s.spec().budgets) {
      if (budget.limit_us > rejecting.limit_us) continue;
      budget.kind = rejecting.kind;
      add_for_peer_nodes(s, budget, peers.nodes);
      add_for_peer_pods(s, budget, peers.pods);
      const auto here = s.cluster.latency_name(s.node);
      if (here && peers.kind == DelayTarget::Kind::kMatrixName)
        add_rtt(s, *here, peers.name, budget.limit_us);
    }
  }
}

// No node is in the zone that a budget names: one could be.
void add_zone(Scene& s, const std::string& from) {
  for (const DelayBudget& budget : s.spec().budgets)
    if (budget.from == from && budget.kind == PeerKind::kZone && is_label_value(budget.name))
      s.cluster.alive().for_each([&](NodeIndex n) {
        add_label(s, s.cluster.node(n), "topology.kubernetes.io/zone", budget.name);
      });
}

void add_for_broken_budgets(Scene& s) {
  const std::vector<PodIndex> others(s.cluster.placed_with_budgets().begin(),
                                     s.cluster.placed_with_budgets().end());
  for (const PodIndex p : others)
    for (const DelayBudget& budget : s.cluster.pod_facts(p).spec->budgets)
      add_rtt_between(s, s.cluster.node_of(p), budget.limit_us);
  for (const PodIndex p : others) add_latency_labels(s, s.cluster.node(s.cluster.node_of(p)));
  add_latency_labels(s, s.target());
  add_without(s, others);
}

// A volume may be in several zones: "z1__z2". A node without zones is in reach of all.
void add_volume_zones(Scene& s, std::string_view key, std::string_view values) {
  constexpr std::string_view kBetween = "__";
  remove_label(s, s.target(), std::string(key));
  while (!values.empty()) {
    const std::size_t end = std::min(values.find(kBetween), values.size());
    add_label(s, s.target(), std::string(key), std::string(values.substr(0, end)));
    values.remove_prefix(std::min(end + kBetween.size(), values.size()));
  }
}

void add_for_volumes(Scene& s) {
  constexpr std::string_view kZone = "topology.kubernetes.io/zone",
                             kRegion = "topology.kubernetes.io/region";
  for (const PersistentVolume& volume : s.cluster.facts().volumes) {
    add_for_terms(s, volume.node_terms);
    for (const std::string_view key : {kZone, kRegion})
      if (const std::string* values = volume.labels.find(key)) add_volume_zones(s, key, *values);
  }
  for (const StorageClass& storage : s.cluster.facts().storage_classes)
    add_for_terms(s, storage.allowed_topologies);
}

void add_for_crowd(Scene& s) {
  add_evictions(s, s.node);
  add_deletes(s, s.cluster.pods_on(s.node));
}

// As many further cards as the pod asks for.
void add_cards(Scene& s) {
  const std::string* asked = s.spec().annotations.find("alibabacloud.com/gpu-count");
  Edit edit = node_edit(Edit::Kind::kAddResource, s.target(), "alibabacloud.com/gpu-count");
  edit.amount = asked == nullptr ? 1 : parse_units(*asked).value_or(0);
  const std::int64_t now = s.target().allocatable.amount(edit.name);
  if (edit.amount > 0) s.add(edit, edit.amount, now);
}

// Where the node alone is too small, nobody's leaving helps.
void add_for_shortage(Scene& s, const Evidence& evidence) {
  const bool slots = evidence.reason == Reason::kTooManyPods;
  add_resource(s, slots ? std::string(kPods) : evidence.subject, evidence);
  const auto resource = s.cluster.find_resource(evidence.subject);
  const std::int64_t wanted =
      slots || !resource ? 1 : s.cluster.pod_facts(s.pod).request(*resource);
  if (wanted <= evidence.limit) add_for_crowd(s);
}

}  // namespace

bool same_subject(const Edit& a, const Edit& b) {
  const auto is_resource = [](const Edit& e) {
    return e.kind == Edit::Kind::kSetResource || e.kind == Edit::Kind::kAddResource;
  };
  const auto is_label = [](const Edit& e) {
    return e.kind == Edit::Kind::kSetLabel || e.kind == Edit::Kind::kRemoveLabel;
  };
  const auto is_pod = [](const Edit& e) {
    return e.kind == Edit::Kind::kMovePod || e.kind == Edit::Kind::kDeletePod;
  };
  const bool kinds = a.kind == b.kind || (is_resource(a) && is_resource(b)) ||
                     (is_label(a) && is_label(b)) || (is_pod(a) && is_pod(b));
  return kinds && a.node == b.node && a.namespace_name == b.namespace_name && a.name == b.name &&
         a.kind != Edit::Kind::kRemoveTaint;
}

Candidate candidate(Edit edit, std::int64_t part, std::int64_t whole) {
  Candidate made;
  made.size_ppm = size_of(part, whole);
  made.text = to_string(edit);
  made.edit = std::move(edit);
  return made;
}

void add_candidates(const ClusterState& cluster, PodIndex pod, NodeIndex node,
                    const Rejection& rejection, Candidates& out, std::int64_t most_ppm) {
  Scene s{cluster, pod, node, most_ppm, out};
  switch (const Evidence& evidence = rejection.evidence; evidence.reason) {
    case Reason::kNodeUnschedulable:
      return add_uncordon(s);
    case Reason::kUntoleratedTaint:
      add_for_taints(s);
      break;
    case Reason::kNodeAffinity:
      add_for_node_affinity(s);
      break;
    case Reason::kInsufficient:
    case Reason::kTooManyPods:
      add_for_shortage(s, evidence);
      break;
    case Reason::kGpuCard:
      add_cards(s);
      [[fallthrough]];
    case Reason::kPorts:
    case Reason::kModule:
      add_for_crowd(s);
      break;
    case Reason::kSpreadLabelMissing:
    case Reason::kSpread:
    case Reason::kPodAffinity:
    case Reason::kPodAntiAffinity:
      add_for_domains(s, evidence.subject, evidence.reason == Reason::kSpread);
      break;
    case Reason::kExistingAntiAffinity:
      add_for_existing_anti_affinity(s);
      break;
    case Reason::kVolumeZone:
    case Reason::kVolumeNodeAffinity:
    case Reason::kNoVolume:
      add_for_volumes(s);
      break;
    case Reason::kPeerNotPlaced:
    case Reason::kOverBudget:
    case Reason::kUnmeasuredRtt:
      add_for_budget(s, evidence.subject);
      break;
    case Reason::kUnknownPeer:
      add_zone(s, evidence.subject);
      break;
    case Reason::kBreaksBudget:
      add_for_broken_budgets(s);
      break;
    case Reason::kNotCloud:
      return add_label(s, s.target(), "kubernetes.io/role", "cloud");
    case Reason::kGpuModel:
      return add_domain_labels(s, s.target(), "alibabacloud.com/gpu-card-model");
    case Reason::kNodeName:
    case Reason::kVolumeMissing:
    case Reason::kClaimMissing:
    case Reason::kClaimUnbound:
    case Reason::kClaimTerminating:
    case Reason::kClaimNotOwned:
      break;
  }
}

}  // namespace gedge
