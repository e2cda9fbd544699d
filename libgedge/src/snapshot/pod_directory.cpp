#include "snapshot/pod_directory.hpp"

#include <algorithm>
#include <numeric>

namespace gedge {

PodDirectory::PodDirectory(std::span<const PodFacts* const> distinct,
                           std::span<const std::uint32_t> facts_of)
    : first_(distinct.size() + 1, 0),
      pods_(facts_of.size()),
      next_pod_(static_cast<std::uint32_t>(facts_of.size())) {
  topics_.reserve(distinct.size());
  for (const PodFacts* facts : distinct) learn(*facts);
  for (const std::uint32_t index : facts_of) ++first_[index + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t pod = 0; pod < facts_of.size(); ++pod)
    pods_[next[facts_of[pod]]++] = PodIndex{pod};
}

void PodDirectory::learn(const PodFacts& facts) {
  topics_.push_back(topics_of(facts));
  for (const Topic topic : topics_.back()) by_topic_[topic].push_back(&facts);
}

void PodDirectory::add(std::span<const PodFacts* const> distinct, const PodFacts& facts_of_pod) {
  while (topics_.size() < distinct.size()) learn(*distinct[topics_.size()]);
  const auto [at, is_new] = grown_.try_emplace(facts_of_pod.index);
  if (is_new && facts_of_pod.index + 1 < first_.size()) {
    const auto before = std::span(pods_).subspan(
        first_[facts_of_pod.index], first_[facts_of_pod.index + 1] - first_[facts_of_pod.index]);
    at->second.assign(before.begin(), before.end());
  }
  at->second.push_back(PodIndex{next_pod_++});
}

std::span<const PodIndex> PodDirectory::sharing(const PodFacts& pod) const {
  if (!grown_.empty())
    if (const auto at = grown_.find(pod.index); at != grown_.end()) return at->second;
  if (pod.index + 1 >= first_.size()) return {};
  return std::span(pods_).subspan(first_[pod.index], first_[pod.index + 1] - first_[pod.index]);
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
