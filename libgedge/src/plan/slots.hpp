// plan/slots.hpp - the policies of a profile, what they prepared for one class, and what came out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "plan/static_answers.hpp"

namespace gedge {

struct FilterSlot {
  SharedText name;
  std::unique_ptr<FilterPolicy> policy;
};

struct ScoreSlot {
  std::string name;
  std::unique_ptr<ScorePolicy> policy;
  std::int64_t weight = 1;
};

/// States of one class, parallel to the slots; null where a policy needs none. What reads facts of
/// nodes alone belongs to the StaticAnswers, is shared by classes and never told of changes; what a
/// board keeps belongs to the board, and is shared by the classes that use it.
struct PreparedClass {
  PreparedClass() = default;
  PreparedClass(const PodFacts* pod, const std::vector<FilterSlot>& filter_slots,
                const std::vector<ScoreSlot>& score_slots)
      : sample(pod),
        filters(filter_slots.size(), nullptr),
        scores(score_slots.size(), nullptr),
        static_filters(filter_slots.size(), nullptr),
        static_scores(score_slots.size(), nullptr) {}

  /// As it was made, for another pod of the same profile; keeps its memory.
  void restart(const PodFacts* pod) {
    sample = pod;
    own.clear();
    std::fill(filters.begin(), filters.end(), nullptr);
    std::fill(scores.begin(), scores.end(), nullptr);
    std::fill(static_filters.begin(), static_filters.end(), nullptr);
    std::fill(static_scores.begin(), static_scores.end(), nullptr);
  }

  const PodFacts* sample = nullptr;  ///< any pod of the class
  std::vector<ClassState*> filters, scores;
  std::vector<const StaticRows*> static_filters;   ///< null: not static
  std::vector<const StaticScores*> static_scores;  ///< null: not static

  /// States that are told of changes here and nowhere else.
  struct Own {
    const Policy* policy = nullptr;
    std::unique_ptr<ClassState> state;
  };
  std::vector<Own> own;

  /// The policy's state for the class, null if it needs none.
  ClassState* prepare(const Policy& policy, const ClassContext& context) {
    std::unique_ptr<ClassState> state = policy.prepare(context);
    if (!state) return nullptr;
    own.push_back({&policy, std::move(state)});
    return own.back().state.get();
  }
  void disown(const ClassState* state) {
    std::erase_if(own, [&](const Own& entry) { return entry.state.get() == state; });
  }
};

/// Topics of which every pod says one that the class's own states have to hear of.
inline std::vector<Topic> topics_for(const PreparedClass& prepared, const ClassContext& context) {
  std::vector<Topic> topics;
  for (const PreparedClass::Own& own : prepared.own)
    own.policy->listen(context, *own.state, topics);
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return topics;
}

/// Tells the class's own states that a pod was bound or taken away.
inline void tell(PreparedClass& prepared, const ClusterState& cluster, const Change& change,
                 Touched& touched) {
  const ClassContext context{cluster, *prepared.sample, 0};
  const int delta = change.kind == Change::Kind::kBind ? 1 : -1;
  for (PreparedClass::Own& own : prepared.own)
    own.policy->on_pod(*own.state, context, change.pod, change.node, delta, touched);
}

}  // namespace gedge
