// snapshot/pod_directory.hpp - the pods of a state by what they say, and by what they share.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

class PodDirectory {
 public:
  /// `distinct`: by index; must outlive the directory. `facts_of` [pods]: index of each pod's
  /// facts. Cost: O(pods + topics).
  PodDirectory(std::span<const PodFacts* const> distinct, std::span<const std::uint32_t> facts_of);

  std::vector<const PodFacts*> saying(std::span<const Topic> topics) const;
  std::span<const Topic> topics(const PodFacts& pod) const { return topics_[pod.index]; }
  std::span<const PodIndex> sharing(const PodFacts& pod) const {
    const std::uint32_t first = first_[pod.index];
    return std::span(pods_).subspan(first, first_[pod.index + 1] - first);
  }

 private:
  std::vector<std::vector<Topic>> topics_;                            // [distinct]
  std::unordered_map<Topic, std::vector<const PodFacts*>> by_topic_;  // ascending by index
  std::vector<std::uint32_t> first_;                                  // [distinct + 1]
  std::vector<PodIndex> pods_;                                        // by facts
};

}  // namespace gedge
