// plan/static_answers.hpp - what policies say that look at facts of nodes alone.
//
// A thousand classes that differ in their requests tolerate the same taints and run the same image.
// Such a policy is asked once for each thing that it reads of a pod, and its answer about all rows
// is shared by every class for which that is equal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "plan/text_hash.hpp"

namespace gedge {

/// A filter's answer about every row.
struct StaticRows {
  const FilterPolicy* policy = nullptr;
  const PodFacts* pod = nullptr;  ///< any that it is the answer for
  std::unique_ptr<ClassState> state;
  NodeMask admitted;
  bool all = false;  ///< every live row is admitted
};

/// A score's answer about every row.
struct StaticScores {
  const ScorePolicy* policy = nullptr;
  const PodFacts* pod = nullptr;
  std::unique_ptr<ClassState> state;
  std::vector<std::int64_t> raw;         ///< [slots]; empty where all live rows have one score:
  std::optional<std::int64_t> constant;  ///< that one
};

class StaticAnswers {
 public:
  /// Null for policies that read more than facts of nodes, for pods that they cannot compare, and
  /// where enough is kept. `slot` tells two policies apart. Lives until forget(). Cost: O(rows) for
  /// what is new, else O(signature).
  const StaticRows* rows(std::size_t slot, const FilterPolicy& policy, const ClassContext& context);
  const StaticScores* scores(std::size_t slot, const ScorePolicy& policy,
                             const ClassContext& context);
  /// Facts changed: all answers are made true to them, and rows beyond the node's own whose answer
  /// changed are in `touched`. False where that cannot be: then forget() is due.
  bool follow(const ClusterState& cluster, const FactsChange& change, Touched& touched);
  /// Facts of nodes have changed.
  void forget();

 private:
  static constexpr std::size_t kMaxRows = std::size_t{1} << 23;  // of all columns that are kept

  // Most pods in a row are equal to a policy that looks at nodes.
  template <typename Answer>
  struct Last {
    std::string key;
    const Answer* answer = nullptr;
  };
  std::vector<Last<StaticRows>> last_rows_;      // by slot
  std::vector<Last<StaticScores>> last_scores_;  // by slot
  Signature key_;                                // kept for its memory
  std::unordered_map<std::string, StaticRows, TextHash, std::equal_to<>> rows_;
  std::unordered_map<std::string, StaticScores, TextHash, std::equal_to<>> scores_;
  std::size_t kept_ = 0;
};

}  // namespace gedge
