// plan/slots.hpp - the policies of a profile, what they prepared for one class, and what came out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gedge/policy/policy.hpp"

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

/// States of one class, parallel to the slots; null where a policy needs none.
struct PreparedClass {
  const PodFacts* sample = nullptr;  ///< any pod of the class
  std::vector<std::unique_ptr<ClassState>> filters, scores;
};

}  // namespace gedge
