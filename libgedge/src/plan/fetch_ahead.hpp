// plan/fetch_ahead.hpp - what is read of a pod lies far from the processor, and pods are mostly
// asked about in the order of the facts: what will be read of later ones is asked for while an
// earlier one is decided.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

// GCC leaves calls out that do nothing but prefetch.
template <typename T>
[[gnu::always_inline]] inline void fetch(const T* first, std::size_t count = 1) {
  constexpr std::size_t kLine = 64;
  const char* const bytes = reinterpret_cast<const char*>(first);
  for (std::size_t at = 0; at < count * sizeof(T); at += kLine) __builtin_prefetch(bytes + at);
}

/// For pods that are not like any before `pod`. Each step reads what an earlier call fetched.
[[gnu::always_inline]] inline void fetch_ahead(const ClusterState& cluster, PodIndex pod) {
  constexpr std::uint32_t kFacts = 12, kSpec = 8, kLists = 4;  // pods ahead
  constexpr std::size_t kMost = 2;                             // of each list
  if (raw(pod) + kFacts >= cluster.pod_count()) return;
  const auto facts = [&](std::uint32_t ahead) {
    return &cluster.pod_facts(PodIndex{raw(pod) + ahead});
  };
  fetch(facts(kFacts));
  fetch(facts(kSpec)->spec);
  const PodSpec& spec = *facts(kLists)->spec;
  fetch(spec.tolerations.data(), std::min(spec.tolerations.size(), kMost));
  fetch(spec.budgets.data(), std::min(spec.budgets.size(), kMost));
}

}  // namespace gedge
