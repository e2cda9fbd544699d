// plan/slots.hpp - the policies of a profile, what they prepared for one class, and what came out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "plan/static_answers.hpp"

namespace gedge {

struct FilterSlot {
  std::string name;
  std::unique_ptr<FilterPolicy> policy;
};

struct ScoreSlot {
  std::string name;
  std::unique_ptr<ScorePolicy> policy;
  std::int64_t weight = 1;
};

/// States of one class, parallel to the slots; null where a policy needs none. What reads facts of
/// nodes alone belongs to the StaticAnswers, is shared by classes and never told of changes.
struct PreparedClass {
  const PodFacts* sample = nullptr;  ///< any pod of the class
  std::vector<ClassState*> filters, scores;
  std::vector<const StaticRows*> static_filters;   ///< null: not static
  std::vector<const StaticScores*> static_scores;  ///< null: not static
  std::vector<std::unique_ptr<ClassState>> own;    ///< of those that are not shared
};

}  // namespace gedge
