#include "gedge/snapshot/topics.hpp"

#include <algorithm>
#include <functional>

namespace gedge {
namespace {

enum class Saying : std::uint8_t { kHas = 1, kDemands = 2 };

Topic topic(Saying saying, std::string_view key, std::string_view value) {
  const std::hash<std::string_view> hash;
  constexpr Topic kOdd = 0x9e3779b97f4a7c15U;
  const Topic mixed = (hash(key) * kOdd) ^ (hash(value) + kOdd * static_cast<std::uint8_t>(saying));
  return std::max(mixed, kAnyDemand + 1);
}

// The requirement that few labels meet: one of its values must be there. Null if there is none.
const Requirement* narrowest(const LabelSelector& selector) {
  const Requirement* found = nullptr;
  for (const Requirement& requirement : selector.requirements) {
    const bool names_values = requirement.op == SelectorOp::kIn ||
                              requirement.op == SelectorOp::kEquals ||
                              requirement.op == SelectorOp::kDoubleEquals;
    if (names_values && (found == nullptr || requirement.values.size() < found->values.size()))
      found = &requirement;
  }
  return found;
}

void add_demands(const LabelSelector& selector, std::vector<Topic>& topics) {
  if (selector.nothing) return;
  const Requirement* requirement = narrowest(selector);
  if (requirement == nullptr) {
    topics.push_back(kAnyDemand);
    return;
  }
  for (const std::string& value : requirement->values)
    topics.push_back(topic(Saying::kDemands, requirement->key, value));
}

}  // namespace

std::vector<Topic> topics_of(const PodFacts& pod) {
  std::vector<Topic> topics{kAnyPod};
  for (const auto& [key, value] : pod.labels()) topics.push_back(topic(Saying::kHas, key, value));
  const PodSpec& spec = *pod.spec;
  for (const auto* terms : {&spec.required_affinity, &spec.required_anti_affinity})
    for (const PodAffinityTerm& term : *terms) add_demands(term.selector, topics);
  for (const auto* terms : {&spec.preferred_affinity, &spec.preferred_anti_affinity})
    for (const PreferredPodTerm& preferred : *terms) add_demands(preferred.term.selector, topics);
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return topics;
}

void listen_to_selected(const LabelSelector& selector, std::vector<Topic>& topics) {
  if (selector.nothing) return;
  const Requirement* requirement = narrowest(selector);
  if (requirement == nullptr) {
    topics.push_back(kAnyPod);
    return;
  }
  for (const std::string& value : requirement->values)
    topics.push_back(topic(Saying::kHas, requirement->key, value));
}

void listen_to_demands(const Labels& labels, std::vector<Topic>& topics) {
  topics.push_back(kAnyDemand);
  for (const auto& [key, value] : labels) topics.push_back(topic(Saying::kDemands, key, value));
}

}  // namespace gedge
