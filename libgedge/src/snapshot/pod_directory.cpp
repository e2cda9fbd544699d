#include "snapshot/pod_directory.hpp"

#include <algorithm>
#include <numeric>

namespace gedge {

PodDirectory::PodDirectory(std::span<const PodFacts* const> distinct,
                           std::span<const std::uint32_t> facts_of)
    : first_(distinct.size() + 1, 0), pods_(facts_of.size()) {
  topics_.reserve(distinct.size());
  for (const PodFacts* facts : distinct) {
    topics_.push_back(topics_of(*facts));
    for (const Topic topic : topics_.back()) by_topic_[topic].push_back(facts);
  }
  for (const std::uint32_t index : facts_of) ++first_[index + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t pod = 0; pod < facts_of.size(); ++pod)
    pods_[next[facts_of[pod]]++] = PodIndex{pod};
}

std::vector<const PodFacts*> PodDirectory::saying(std::span<const Topic> topics) const {
  std::vector<const PodFacts*> found;
  for (const Topic topic : topics)
    if (const auto at = by_topic_.find(topic); at != by_topic_.end())
      found.insert(found.end(), at->second.begin(), at->second.end());
  const auto by_index = [](const PodFacts* a, const PodFacts* b) { return a->index < b->index; };
  std::sort(found.begin(), found.end(), by_index);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace gedge
