#include "plan/other_facts.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gedge {
namespace {

// A name of the API has no '/'.
template <typename T>
std::string key_of(const T& object) {
  const PodName name = fact_name(object);
  return name.namespace_name + "/" + name.name;
}
std::string key_of(const SpreadOwner& owner) {
  return owner.kind + "/" + owner.namespace_name + "/" + owner.name;
}

// True if anything was replaced or added.
template <typename T>
bool merge(std::vector<T>& all, std::vector<T>&& some) {
  if (some.empty()) return false;
  std::unordered_map<std::string, std::size_t> at;  // only looked up
  for (std::size_t i = 0; i < all.size(); ++i) at.emplace(key_of(all[i]), i);
  for (T& object : some) {
    const auto [found, fresh] = at.try_emplace(key_of(object), all.size());
    if (fresh)
      all.push_back(std::move(object));
    else
      all[found->second] = std::move(object);
  }
  return true;
}

template <typename T>
bool erase(std::vector<T>& all, const PodName& name) {
  return std::erase_if(all, [&](const T& object) { return fact_name(object) == name; }) > 0;
}

bool erase_owner(Facts& all, std::string_view kind, const PodName& name) {
  return std::erase_if(all.spread_owners, [&](const SpreadOwner& owner) {
           return owner.kind == kind && fact_name(owner) == name;
         }) > 0;
}

}  // namespace

bool merge_others(Facts& all, Facts&& some) {
  bool any = merge(all.namespaces, std::move(some.namespaces));
  any |= merge(all.spread_owners, std::move(some.spread_owners));
  any |= merge(all.priority_classes, std::move(some.priority_classes));
  any |= merge(all.storage_classes, std::move(some.storage_classes));
  any |= merge(all.volumes, std::move(some.volumes));
  any |= merge(all.claims, std::move(some.claims));
  any |= merge(all.disruption_budgets, std::move(some.disruption_budgets));
  any |= merge(all.pod_groups, std::move(some.pod_groups));
  return any;
}

bool erase_other(Facts& all, FactKind kind, const PodName& name) {
  const PodName alone{{}, name.name};
  switch (kind) {
    case FactKind::kNode:
    case FactKind::kPod:
      return false;
    case FactKind::kNamespace:
      return erase(all.namespaces, alone);
    case FactKind::kService:
      return erase_owner(all, "Service", name);
    case FactKind::kReplicationController:
      return erase_owner(all, "ReplicationController", name);
    case FactKind::kReplicaSet:
      return erase_owner(all, "ReplicaSet", name);
    case FactKind::kStatefulSet:
      return erase_owner(all, "StatefulSet", name);
    case FactKind::kPriorityClass:
      return erase(all.priority_classes, alone);
    case FactKind::kStorageClass:
      return erase(all.storage_classes, alone);
    case FactKind::kVolume:
      return erase(all.volumes, alone);
    case FactKind::kClaim:
      return erase(all.claims, name);
    case FactKind::kDisruptionBudget:
      return erase(all.disruption_budgets, name);
    case FactKind::kPodGroup:
      return erase(all.pod_groups, name);
  }
  return false;
}

}  // namespace gedge
