// plan/nominations.hpp - pods that were promised a node, and whose word that is.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// By the keys of the pods. As kube-scheduler's nominator.
class Nominations {
 public:
  using Places = std::unordered_map<std::string, std::uint32_t>;  // of pods, in the facts

  /// The cluster tells of `pod`, which was `known` so far; null: not at all. What only we have
  /// promised it keeps until the cluster says so, too; what the cluster has said it may take back.
  void hear(const std::string& key, Pod& pod, const Pod* known);
  /// A promise of ours.
  void add(const std::string& key) { is_told_.try_emplace(key, false); }
  void drop(const std::string& key) { is_told_.erase(key); }
  /// The pods that wait for a node that is there, in the order of the facts.
  std::vector<PodIndex> standing(const Places& pods, const ClusterState& cluster) const;

 private:
  // Pods that have, or had, a nominated node: whether the cluster said so when it last told of
  // them.
  std::unordered_map<std::string, bool> is_told_;
};

}  // namespace gedge
