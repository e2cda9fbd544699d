// gedge/effect/plan.hpp - the answer: decisions and explanations, as values that name everything by
// name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/shared_text.hpp"
#include "gedge/effect/reason.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

struct BudgetReport {
  std::string from;  ///< as written by the user
  std::int64_t limit_us = 0;
  std::optional<std::int64_t> rtt_us;  ///< empty: unmeasured, or the pod has no node
};

struct ScoredNode {
  SharedText node;
  std::int64_t score = 0;  ///< sum of weight * normalized
};

/// How many nodes each filter rejected. Decisions of one plan share the names.
using RejectedBy = std::vector<std::pair<SharedText, std::uint32_t>>;

/// What was decided about one pod.
struct Decision {
  SharedText namespace_name, pod;
  std::optional<ScoredNode> chosen;
  std::optional<ScoredNode> runner_up;
  std::vector<BudgetReport> budgets;
  SharedText message;  ///< "" when placed; else kube-scheduler's wording
  /// Each rejected node once, under its first rejecting policy; in filter order.
  RejectedBy rejected_by;

  bool is_over_budget() const {
    if (!chosen) return false;
    for (const BudgetReport& b : budgets)
      if (!b.rtt_us || *b.rtt_us > b.limit_us) return true;
    return false;
  }
};

struct Plan {
  std::string profile;
  Compat compat = Compat::k1_36;
  std::uint64_t seed = 0;
  std::string
      snapshot;  ///< "xxh128:..." of the canonical facts; filled in by whoever has the bytes
  /// In the order of placing: queue order, but pods that others' budgets point at come first; after
  /// a what-if those that stay come first.
  std::vector<Decision> decisions;
  std::vector<Warning> warnings;
  std::vector<SkippedObject> skipped;

  std::size_t placed() const {
    std::size_t count = 0;
    for (const Decision& d : decisions) count += d.chosen ? 1U : 0U;
    return count;
  }
  /// Pods that are placed beyond a delay budget of theirs: only where a profile does not check it.
  std::size_t over_budget() const {
    std::size_t count = 0;
    for (const Decision& d : decisions) count += d.is_over_budget() ? 1U : 0U;
    return count;
  }
};

struct Rejection {
  std::string policy;
  Evidence evidence;
};

struct PolicyScore {
  std::string policy;
  std::int64_t raw = 0, normalized = 0, weight = 0;
};

struct NodeExplanation {
  std::string node;
  bool feasible = false;
  std::vector<Rejection> rejections;  ///< every rejecting policy, in filter order
  std::vector<PolicyScore> scores;    ///< feasible nodes only, in profile order
  std::optional<std::int64_t> total;
};

/// What shows that a suggested change does what it says.
enum class Shown : std::uint8_t {
  kWhatIf,      ///< a what-if: placements that stay valid stay
  kReplan,      ///< a what-if that plans everything anew
  kEvaluation,  ///< nothing but the policies: the pod is bound, and no plan moves it
};

/// A set of edits, in the EDIT grammar, and what they would bring about.
struct SuggestedChange {
  std::vector<std::string> edits;
  bool wins = false;  ///< false: the pod becomes schedulable; true: the named node wins
  std::string node;
  Shown shown = Shown::kWhatIf;
};

struct Explanation {
  std::string namespace_name, pod;
  std::optional<ScoredNode> chosen, runner_up;
  std::vector<BudgetReport> budgets;
  std::string message;
  RejectedBy rejected_by;
  std::vector<NodeExplanation> nodes;  ///< every node, by name
  std::vector<SuggestedChange> changes;
};

}  // namespace gedge
