// plan/block_choice.hpp - choosing for a pod whose class is new, without a look at every score.
//
// Every filter is asked about every row, for the answer counts whom each rejects first. Scores are
// asked for by blocks of 64 rows, the block with the best upper bound first; a block is left out
// whose bound lies below the second best total so far, or is as much while all its names come
// later. The answer is that of the scan.
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
  /// A block that may win.
  struct Candidate {
    std::uint32_t word = 0;
    std::int64_t known = 0;  // of the scores whose bounds were asked for
    std::int64_t bound = 0;  // of the total
  };
  /// Kept from one choice to the next for its memory.
  struct Scratch {
    NodeMask feasible;
    std::vector<std::size_t> others;
    std::vector<Candidate> candidates;
    std::vector<std::uint32_t> words;
    std::vector<std::int64_t> column;
  };
  /// The lower key wins a tie, then the name.
  using TieKey = std::function<std::uint64_t(NodeIndex row)>;

  /// `prepared`: states of everything, true to the cluster as it is.
  BlockChoice(const std::vector<FilterSlot>& filters, const std::vector<ScoreSlot>& scores,
              const PreparedClass& prepared, const ClassContext& context, Scratch& scratch)
      : filters_(filters),
        scores_(scores),
        prepared_(prepared),
        context_(context),
        feasible_(scratch.feasible),
        others_(scratch.others),
        candidates_(scratch.candidates),
        words_(scratch.words),
        column_(scratch.column) {}

  /// Empty without rows, and where a score is not the same everywhere and needs all feasible rows,
  /// or knows no bound. `tie_key`: null where names decide ties.
  bool choose(const TieKey& tie_key, Choice& choice);

 private:
  struct Best {
    NodeIndex winner = kNoNode, runner_up = kNoNode;
    std::int64_t winner_total = 0, runner_up_total = 0;
  };

  void filter(std::vector<std::uint32_t>& rejected);
  bool find_others();
  void tighten(std::size_t score, std::int64_t rest);
  bool may_win(const Candidate& candidate, bool by_name, const Best& best) const;
  void look_at_best(const TieKey& tie_key, Best& best);
  void look_at(std::uint32_t word, const TieKey& tie_key, Best& best) const;
  void enter(NodeIndex row, std::int64_t total, const TieKey& tie_key, Best& best) const;

  const std::vector<FilterSlot>& filters_;
  const std::vector<ScoreSlot>& scores_;
  const PreparedClass& prepared_;
  const ClassContext& context_;
  std::int64_t base_ = 0;  // weighted scores that are the same on every row
  NodeMask& feasible_;
  std::vector<std::size_t>& others_;  // scores that are not
  std::vector<Candidate>& candidates_;
  std::vector<std::uint32_t>& words_;  // of the candidates
  std::vector<std::int64_t>& column_;  // of the candidates, bounds of one score
};

/// Clears the rows that a filter rejects; returns how many those were.
std::uint32_t keep_admitted(const FilterPolicy& policy, const ClassContext& context,
                            const ClassState* state, const StaticRows* known, NodeMask& rows);

}  // namespace gedge
