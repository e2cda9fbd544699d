// plan/pod_groups.hpp - who is placed together with whom, or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

class PodGroups {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  PodGroups() = default;
  /// Cost: O(pods) where the facts hold a pod group, else nothing.
  explicit PodGroups(const ClusterState& cluster);

  bool empty() const { return members_.empty(); }
  /// kNone for a pod that is in no group, or in one that there is not.
  std::uint32_t of(PodIndex pod) const;
  /// All its pods, those that are finished left out.
  const std::vector<PodIndex>& members(std::uint32_t group) const { return members_[group]; }
  /// How many of them have a node, and are not about to leave it.
  std::int64_t placed(const ClusterState& cluster, std::uint32_t group) const;
  /// How many of them must have one.
  std::int64_t least(std::uint32_t group) const { return least_[group]; }
  /// "namespace/name".
  const std::string& name(std::uint32_t group) const { return names_[group]; }

 private:
  std::vector<std::vector<PodIndex>> members_;
  std::vector<std::int64_t> least_;
  std::vector<std::string> names_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_;  // by pod; only looked up
};

}  // namespace gedge
