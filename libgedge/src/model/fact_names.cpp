#include "gedge/model/fact_names.hpp"

namespace gedge {
namespace {

template <typename T>
std::vector<PodName> names_of(const std::vector<T>& objects) {
  std::vector<PodName> names;
  names.reserve(objects.size());
  for (const T& object : objects) names.push_back(fact_name(object));
  return names;
}

std::vector<PodName> owners_of(const Facts& facts, std::string_view kind) {
  std::vector<PodName> names;
  for (const SpreadOwner& owner : facts.spread_owners)
    if (owner.kind == kind) names.push_back(fact_name(owner));
  return names;
}

}  // namespace

std::vector<PodName> fact_names(const Facts& facts, FactKind kind) {
  switch (kind) {
    case FactKind::kNode:
      return names_of(facts.nodes);
    case FactKind::kPod:
      return names_of(facts.pods);
    case FactKind::kNamespace:
      return names_of(facts.namespaces);
    case FactKind::kService:
      return owners_of(facts, "Service");
    case FactKind::kReplicationController:
      return owners_of(facts, "ReplicationController");
    case FactKind::kReplicaSet:
      return owners_of(facts, "ReplicaSet");
    case FactKind::kStatefulSet:
      return owners_of(facts, "StatefulSet");
    case FactKind::kPriorityClass:
      return names_of(facts.priority_classes);
    case FactKind::kStorageClass:
      return names_of(facts.storage_classes);
    case FactKind::kVolume:
      return names_of(facts.volumes);
    case FactKind::kClaim:
      return names_of(facts.claims);
    case FactKind::kDisruptionBudget:
      return names_of(facts.disruption_budgets);
    case FactKind::kPodGroup:
      return names_of(facts.pod_groups);
  }
  return {};
}

}  // namespace gedge
