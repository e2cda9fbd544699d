// InterPodAffinity, the filter.
#include <algorithm>

#include "support/reference/affinity.hpp"
#include "support/reference/filters.hpp"

namespace gedge::reference {
namespace {

using Terms = std::vector<PodAffinityTerm>;

bool speak_all_of(const World& world, const Seat& owner, const Terms& terms, const Seat& other) {
  return std::all_of(terms.begin(), terms.end(),
                     [&](const auto& term) { return speaks_of(world, owner, term, other); });
}

/// Is there a pod that all terms speak of, on a node with at least one of their keys?
bool anybody_matches(const World& world, const Seat& pod, const Terms& terms) {
  for (const Seat& other : world.seats) {
    if (other.node == nullptr || !speak_all_of(world, pod, terms, other)) continue;
    const bool has_key = std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
      return other.node->labels.find(term.topology_key) != nullptr;
    });
    if (has_key) return true;
  }
  return false;
}

/// A pod that all terms speak of sits in the domain of `node` for this key.
bool neighbour_matches(const World& world, const Seat& pod, const Terms& terms,
                       const std::string& key, const Node& node) {
  for (const Seat& other : world.seats) {
    if (other.node == nullptr || !same_domain(key, node, *other.node)) continue;
    if (speak_all_of(world, pod, terms, other)) return true;
  }
  return false;
}

bool affinity_holds(const World& world, const Seat& pod, const Node& node) {
  const Terms& terms = pod.spec->required_affinity;
  bool found = true;
  for (const PodAffinityTerm& term : terms) {
    if (node.labels.find(term.topology_key) == nullptr) return false;
    found = found && neighbour_matches(world, pod, terms, term.topology_key, node);
  }
  if (found) return true;
  // The first pod of a group that refers to itself.
  return !anybody_matches(world, pod, terms) && speak_all_of(world, pod, terms, pod);
}

bool anti_affinity_holds(const World& world, const Seat& pod, const Node& node) {
  for (const PodAffinityTerm& term : pod.spec->required_anti_affinity)
    for (const Seat& other : world.seats)
      if (other.node != nullptr && same_domain(term.topology_key, node, *other.node) &&
          speaks_of(world, pod, term, other))
        return false;
  return true;
}

bool nobody_objects(const World& world, const Seat& pod, const Node& node) {
  for (const Seat& other : world.seats) {
    if (other.node == nullptr) continue;
    for (const PodAffinityTerm& term : other.spec->required_anti_affinity)
      if (same_domain(term.topology_key, node, *other.node) && speaks_of(world, other, term, pod))
        return false;
  }
  return true;
}

Objections one(Reason reason, Verdict verdict) {
  return {{reason, verdict, kNoNumber, kNoNumber, Unit::kNone, {}}};
}

}  // namespace

Objections inter_pod_affinity(const World& world, const Seat& pod, const Node& node) {
  if (!affinity_holds(world, pod, node)) return one(Reason::kPodAffinity, Verdict::kUnresolvable);
  if (!anti_affinity_holds(world, pod, node))
    return one(Reason::kPodAntiAffinity, Verdict::kUnschedulable);
  if (!nobody_objects(world, pod, node))
    return one(Reason::kExistingAntiAffinity, Verdict::kUnschedulable);
  return {};
}

}  // namespace gedge::reference
