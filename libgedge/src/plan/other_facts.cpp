#include "plan/other_facts.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
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

template <typename T>
bool have_one_name(const T& a, const T& b) {
  bool same = a.name == b.name;
  if constexpr (requires { a.namespace_name; }) same = same && a.namespace_name == b.namespace_name;
  if constexpr (requires { a.kind; }) same = same && a.kind == b.kind;
  return same;
}

// True if it replaces an object that differs, or is new. `at`: of the object of its name, or the
// end.
template <typename T>
bool merge(std::vector<T>& all, std::size_t at, std::type_identity_t<T>&& object) {
  if (at == all.size()) {
    all.push_back(std::move(object));
    return true;
  }
  if (all[at] == object) return false;
  all[at] = std::move(object);
  return true;
}

// As many as that are looked for one by one: an index costs more than comparing names.
constexpr std::size_t kFew = 8;

template <typename T>
bool merge(std::vector<T>& all, std::vector<T>&& some) {
  bool any = false;
  if (some.size() <= kFew) {
    for (T& object : some) {
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const T& known) { return have_one_name(known, object); });
      any |= merge(all, static_cast<std::size_t>(same - all.begin()), std::move(object));
    }
    return any;
  }
  std::unordered_map<std::string, std::size_t> at;  // only looked up
  for (std::size_t i = 0; i < all.size(); ++i) at.emplace(key_of(all[i]), i);
  for (T& object : some) {
    const std::size_t found = at.try_emplace(key_of(object), all.size()).first->second;
    any |= merge(all, found, std::move(object));
  }
  return any;
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

OtherNews merge_others(Facts& all, Facts&& some) {
  bool unkept = merge(all.priority_classes, std::move(some.priority_classes));
  unkept |= merge(all.disruption_budgets, std::move(some.disruption_budgets));
  const bool classes = merge(all.storage_classes, std::move(some.storage_classes));
  bool others = merge(all.namespaces, std::move(some.namespaces));
  others |= merge(all.spread_owners, std::move(some.spread_owners));
  others |= merge(all.pod_groups, std::move(some.pod_groups));
  if (others) return OtherNews::kOfOthers;
  if (classes) return OtherNews::kOfClasses;
  return unkept ? OtherNews::kUnkept : OtherNews::kNone;
}

OtherNews erase_other(Facts& all, FactKind kind, const PodName& name) {
  const PodName alone{{}, name.name};
  const auto news = [](bool any, OtherNews what) { return any ? what : OtherNews::kNone; };
  switch (kind) {
    case FactKind::kNode:
    case FactKind::kPod:
    case FactKind::kVolume:
    case FactKind::kClaim:
      return OtherNews::kNone;
    case FactKind::kNamespace:
      return news(erase(all.namespaces, alone), OtherNews::kOfOthers);
    case FactKind::kService:
      return news(erase_owner(all, "Service", name), OtherNews::kOfOthers);
    case FactKind::kReplicationController:
      return news(erase_owner(all, "ReplicationController", name), OtherNews::kOfOthers);
    case FactKind::kReplicaSet:
      return news(erase_owner(all, "ReplicaSet", name), OtherNews::kOfOthers);
    case FactKind::kStatefulSet:
      return news(erase_owner(all, "StatefulSet", name), OtherNews::kOfOthers);
    case FactKind::kPriorityClass:
      return news(erase(all.priority_classes, alone), OtherNews::kUnkept);
    case FactKind::kStorageClass:
      return news(erase(all.storage_classes, alone), OtherNews::kOfClasses);
    case FactKind::kDisruptionBudget:
      return news(erase(all.disruption_budgets, name), OtherNews::kUnkept);
    case FactKind::kPodGroup:
      return news(erase(all.pod_groups, name), OtherNews::kOfOthers);
  }
  return OtherNews::kNone;
}

}  // namespace gedge
