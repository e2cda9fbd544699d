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
  /// The next pod, and facts that are new with it, behind those that are known.
  void add(std::span<const PodFacts* const> distinct, const PodFacts& facts_of_pod);

  std::vector<const PodFacts*> saying(std::span<const Topic> topics) const;
  std::span<const Topic> topics(const PodFacts& pod) const { return topics_[pod.index]; }
  std::span<const PodIndex> sharing(const PodFacts& pod) const;

 private:
  void learn(const PodFacts& facts);

  std::vector<std::vector<Topic>> topics_;                            // [distinct]
  std::unordered_map<Topic, std::vector<const PodFacts*>> by_topic_;  // ascending by index
  std::vector<std::uint32_t> first_;                                  // [distinct at first + 1]
  std::vector<PodIndex> pods_;                                        // by facts, of the beginning
  std::uint32_t next_pod_ = 0;
  // By facts of pods that were added: all pods with them.
  std::unordered_map<std::uint32_t, std::vector<PodIndex>> grown_;
};

}  // namespace gedge
