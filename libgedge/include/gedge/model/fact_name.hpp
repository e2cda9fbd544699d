// gedge/model/fact_name.hpp - what facts are called by those who tell of them.
#pragma once

#include <compare>
#include <cstdint>

#include "gedge/base/shared_text.hpp"

namespace gedge {

struct PodName {
  SharedText namespace_name, name;
  friend auto operator<=>(const PodName&, const PodName&) = default;
};

/// Kinds of facts that come and go by name.
enum class FactKind : std::uint8_t {
  kNode,
  kPod,
  kNamespace,
  kService,
  kReplicationController,
  kReplicaSet,
  kStatefulSet,
  kPriorityClass,
  kStorageClass,
  kVolume,
  kClaim,
  kDisruptionBudget,
  kPodGroup,
};

/// What a fact is called; without a namespace where its kind has none.
template <typename Fact>
PodName fact_name(const Fact& fact) {
  if constexpr (requires { fact.namespace_name; })
    return {fact.namespace_name, fact.name};
  else
    return {{}, fact.name};
}

}  // namespace gedge
