// snapshot/spread_owner_index.hpp - Services and controllers by the pods that they may select.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gedge/model/facts.hpp"
#include "gedge/snapshot/pod_facts.hpp"

namespace gedge {

class SpreadOwnerIndex {
 public:
  /// `owners` must outlive the index and stay as they are. Cost: O(owners).
  explicit SpreadOwnerIndex(const std::vector<SpreadOwner>& owners);

  /// See ClusterState::spread_owners_of().
  std::vector<const SpreadOwner*> of(const PodFacts& pod) const;

 private:
  // By hash: whoever is found is looked at.
  std::unordered_map<std::uint64_t, std::vector<const SpreadOwner*>> by_topic_, by_name_;
};

}  // namespace gedge
