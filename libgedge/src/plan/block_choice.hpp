// plan/block_choice.hpp - choosing for a pod whose class is new, without a look at every score.
//
// Every filter is asked about every row, for the answer counts whom each rejects first. Scores are
// asked for by blocks of 64 rows, the block with the best upper bound first; a block whose bound
// lies below the second best total so far is left out. The answer is that of the scan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gedge/plan/engine.hpp"
#include "gedge/policy/policy.hpp"
#include "plan/slots.hpp"

namespace gedge {

class BlockChoice {
 public:
  /// The lower key wins a tie, then the name.
  using TieKey = std::function<std::uint64_t(NodeIndex row)>;

  /// `prepared`: states of everything, true to the cluster as it is.
  BlockChoice(const std::vector<FilterSlot>& filters, const std::vector<ScoreSlot>& scores,
              const PreparedClass& prepared, const ClassContext& context)
      : filters_(filters), scores_(scores), prepared_(prepared), context_(context) {}

  /// Empty without rows, and where a score is not the same everywhere and needs all feasible rows,
  /// or knows no bound. `tie_key`: null where names decide ties.
  std::optional<Choice> choose(const TieKey& tie_key);

 private:
  struct Best {
    NodeIndex winner = kNoNode, runner_up = kNoNode;
    std::int64_t winner_total = 0, runner_up_total = 0;
  };

  bool bounded();
  void filter(std::vector<std::uint32_t>& rejected);
  std::int64_t bound_of(Rows block) const;
  void look_at(Rows block, const TieKey& tie_key, Best& best) const;
  void enter(NodeIndex row, std::int64_t total, const TieKey& tie_key, Best& best) const;

  const std::vector<FilterSlot>& filters_;
  const std::vector<ScoreSlot>& scores_;
  const PreparedClass& prepared_;
  const ClassContext& context_;
  NodeMask feasible_;
  std::int64_t base_ = 0;            // weighted scores that are the same on every row
  std::vector<std::size_t> others_;  // scores that are not
};

/// Clears the rows that a filter rejects; returns how many those were.
std::uint32_t keep_admitted(const FilterPolicy& policy, const ClassContext& context,
                            const ClassState* state, const StaticRows* known, NodeMask& rows);

}  // namespace gedge
