#include "support/reference/delay.hpp"

#include <algorithm>
#include <tuple>

#include "support/reference/filters.hpp"
#include "support/reference/spreading.hpp"

namespace gedge::reference {
namespace {

/// How the matrix calls a node; empty: it does not know it.
std::optional<NameIndex> matrix_name(const World& world, const Node& node) {
  if (world.rtt_by.empty()) return world.rtt->find(node.name);
  const std::string* value = node.labels.find(world.rtt_by);
  return value == nullptr ? std::nullopt : world.rtt->find(*value);
}

Rtt rtt_to_name(const World& world, const Node& node, const std::string& name) {
  const auto here = matrix_name(world, node), there = world.rtt->find(name);
  return here && there ? world.rtt->between(*here, *there) : kUnmeasured;
}

std::string space_of(const Seat& owner, const DelayBudget& budget) {
  return budget.namespace_name.empty() ? owner.pod->namespace_name.str() : budget.namespace_name;
}

Peer node_peer(const World& world, const std::string& name) {
  const Node* node = world.find_node(name);
  if (node == nullptr) return {};
  return {Peer::Kind::kNodes, {node}, {}, {}, false};
}

void add(const Seat& seat, const Seat& owner, Peer& peer) {
  if (&seat == &owner)
    peer.owner_too = true;
  else
    peer.pods.push_back(&seat);
}

Peer pod_peer(const World& world, const Seat& owner, const DelayBudget& budget) {
  Peer peer;
  for (const Seat& seat : world.seats) {
    if (seat.pod->namespace_name != space_of(owner, budget) || seat.pod->name != budget.name)
      continue;
    peer.kind = Peer::Kind::kPods;
    add(seat, owner, peer);
  }
  return peer;
}

Peer workload_peer(const World& world, const Seat& owner, const DelayBudget& budget) {
  Peer peer;
  for (const Seat& seat : world.seats) {
    const Pod& pod = *seat.pod;
    if (pod.namespace_name != space_of(owner, budget) || pod.workload_name != budget.name) continue;
    if (!budget.workload_kind.empty() && pod.workload_kind != budget.workload_kind) continue;
    peer.kind = Peer::Kind::kPods;
    add(seat, owner, peer);
  }
  return peer;
}

Peer zone_peer(const World& world, const std::string& zone) {
  Peer peer;
  for (const Node& node : world.facts->nodes) {
    const std::string* value = node.labels.find(kZone);
    if (value != nullptr && *value == zone) peer.nodes.push_back(&node);
  }
  if (!peer.nodes.empty()) peer.kind = Peer::Kind::kNodes;
  return peer;
}

Peer name_peer(const World& world, const std::string& name) {
  if (!world.rtt->find(name)) return {};
  return {Peer::Kind::kName, {}, {}, name, false};
}

/// From a label: node, then pod, then workload, then any name of the matrix.
Peer any_peer(const World& world, const Seat& owner, const DelayBudget& budget) {
  Peer peer = node_peer(world, budget.name);
  if (peer.kind == Peer::Kind::kUnknown) peer = pod_peer(world, owner, budget);
  if (peer.kind == Peer::Kind::kUnknown) peer = workload_peer(world, owner, budget);
  if (peer.kind == Peer::Kind::kUnknown) peer = name_peer(world, budget.name);
  return peer;
}

std::vector<Rtt> rtts_to(const World& world, const Peer& peer, const Node& node) {
  std::vector<Rtt> out;
  if (peer.kind == Peer::Kind::kName) out.push_back(rtt_to_name(world, node, peer.name));
  for (const Node* other : peer.nodes) out.push_back(rtt_between(world, node, *other));
  for (const Seat* pod : peer.pods)
    if (pod->node != nullptr) out.push_back(rtt_between(world, node, *pod->node));
  return out;
}

/// Would `pod` on `node` lie outside a budget of `owner`, which is placed?
bool breaks(const World& world, const Seat& owner, const DelayBudget& budget, const Seat& pod,
            const Node& node) {
  if (budget.nearest) return false;
  const Peer peer = find_peer(world, owner, budget);
  if (std::find(peer.pods.begin(), peer.pods.end(), &pod) == peer.pods.end()) return false;
  const Rtt rtt = rtt_between(world, *owner.node, node);
  return rtt == kUnmeasured || rtt.us > budget.limit_us;
}

auto name_of(const Seat& seat) { return std::tie(seat.pod->namespace_name, seat.pod->name); }

Evidence evidence_of(const DelayBudget& budget, const Peer& peer, const Measured& measured) {
  Evidence out;
  out.subject = budget.from;
  out.limit = budget.limit_us;
  out.unit = Unit::kMicros;
  const bool said_so = budget.kind == PeerKind::kPod || budget.kind == PeerKind::kWorkload;
  const bool towards_pods = said_so || peer.kind == Peer::Kind::kPods;
  out.verdict = towards_pods ? Verdict::kUnschedulable : Verdict::kUnresolvable;
  if (measured.rtt_us) out.measured = *measured.rtt_us;
  switch (measured.judgement) {
    case Judgement::kOver:
    case Judgement::kHolds:
      out.reason = Reason::kOverBudget;
      break;
    case Judgement::kUnmeasured:
      out.reason = Reason::kUnmeasuredRtt;
      break;
    case Judgement::kUnknown:
      out.reason = Reason::kUnknownPeer;
      break;
    case Judgement::kNotPlaced:
      out.reason = Reason::kPeerNotPlaced;
      break;
  }
  return out;
}

}  // namespace

Rtt rtt_between(const World& world, const Node& a, const Node& b) {
  if (&a == &b) return Rtt{0};
  const auto one = matrix_name(world, a), two = matrix_name(world, b);
  return one && two ? world.rtt->between(*one, *two) : kUnmeasured;
}

Peer find_peer(const World& world, const Seat& owner, const DelayBudget& budget) {
  switch (budget.kind) {
    case PeerKind::kAny:
      return any_peer(world, owner, budget);
    case PeerKind::kNode:
      return node_peer(world, budget.name);
    case PeerKind::kPod:
      return pod_peer(world, owner, budget);
    case PeerKind::kWorkload:
      return workload_peer(world, owner, budget);
    case PeerKind::kZone:
      return zone_peer(world, budget.name);
    case PeerKind::kExternal:
      return name_peer(world, budget.name);
  }
  return {};
}

Measured measure(const World& world, const Seat& owner, const DelayBudget& budget,
                 const Node& node) {
  const Peer peer = find_peer(world, owner, budget);
  if (peer.kind == Peer::Kind::kUnknown) return {Judgement::kUnknown, {}};
  const std::vector<Rtt> rtts = rtts_to(world, peer, node);
  if (rtts.empty()) return {peer.owner_too ? Judgement::kHolds : Judgement::kNotPlaced, {}};
  // Unmeasured is the largest Rtt there is, so it is the farthest and never the nearest.
  const Rtt counts = budget.nearest ? *std::min_element(rtts.begin(), rtts.end())
                                    : *std::max_element(rtts.begin(), rtts.end());
  if (counts == kUnmeasured) return {Judgement::kUnmeasured, {}};
  const auto us = static_cast<std::int64_t>(counts.us);
  return {us > budget.limit_us ? Judgement::kOver : Judgement::kHolds, us};
}

std::vector<const Seat*> waits_for(const World& world, const Seat& pod) {
  std::vector<const Seat*> out;
  for (const DelayBudget& budget : pod.spec->budgets)
    for (const Seat* peer : find_peer(world, pod, budget).pods)
      if (peer->pending) out.push_back(peer);
  return out;
}

Objections delay_budget(const World& world, const Seat& pod, const Node& node) {
  Objections out;
  for (const DelayBudget& budget : pod.spec->budgets) {
    const Measured measured = measure(world, pod, budget, node);
    if (measured.judgement != Judgement::kHolds)
      out.push_back(evidence_of(budget, find_peer(world, pod, budget), measured));
  }
  // One objection is enough: that of the first pod by namespace and name.
  const Seat* first = nullptr;
  for (const Seat& owner : world.seats) {
    if (owner.node == nullptr || &owner == &pod) continue;
    const auto& budgets = owner.spec->budgets;
    const bool broken = std::any_of(budgets.begin(), budgets.end(), [&](const DelayBudget& budget) {
      return breaks(world, owner, budget, pod, node);
    });
    if (broken && (first == nullptr || name_of(owner) < name_of(*first))) first = &owner;
  }
  if (first != nullptr)
    out.push_back({Reason::kBreaksBudget, Verdict::kUnschedulable, kNoNumber, kNoNumber,
                   Unit::kMicros, first->pod->namespace_name + "/" + first->pod->name});
  return out;
}

}  // namespace gedge::reference
