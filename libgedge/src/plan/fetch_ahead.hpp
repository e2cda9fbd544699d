// plan/fetch_ahead.hpp - what is read of a pod lies far from the processor, and pods are mostly
// asked about in the order of the facts: what will be read of later ones is asked for while an
// earlier one is decided.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gedge/base/prefetch.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

template <typename T>
[[gnu::always_inline]] inline void fetch_first(const std::vector<T>& list) {
  constexpr std::size_t kMost = 2;
  prefetch(list.data(), std::min(list.size(), kMost) * sizeof(T));
}

/// For pods that are not like any before `pod`. Each step reads what an earlier call fetched.
[[gnu::always_inline]] inline void fetch_ahead(const ClusterState& cluster, PodIndex pod) {
  constexpr std::uint32_t kFacts = 12, kSpec = 8, kLists = 4, kEntries = 2;  // pods ahead
  if (raw(pod) + kFacts >= cluster.pod_count()) return;
  const auto facts = [&](std::uint32_t ahead) {
    return &cluster.pod_facts(PodIndex{raw(pod) + ahead});
  };
  prefetch(facts(kFacts), sizeof(PodFacts));
  prefetch(facts(kSpec)->spec, sizeof(PodSpec));
  prefetch(&facts(kLists)->spec->tolerations.get(), sizeof(std::vector<Toleration>));
  const std::span<const NodeBudget> budgets = facts(kLists)->node_budgets;
  prefetch(budgets.data(), budgets.size_bytes());
  fetch_first(facts(kEntries)->spec->tolerations.get());
}

}  // namespace gedge
