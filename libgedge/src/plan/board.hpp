// plan/board.hpp - what classes of pods get from every row, kept true row by row.
//
// A plain scan asks every policy about every row for every pod. Equal pods get equal answers, and
// between two of them few rows change: the board keeps each row's first rejecting filter and total,
// asks anew only about rows that changed, and finds the winner with a tournament. What differs from
// class to class while all else is equal (the rows that anti-affinity or spread bars right now, a
// score that is the same everywhere) is no part of the board: each class brings it along when it
// asks, so that a thousand services with equal requests share one board. The answers are those of
// the scan. Classes with a score that looks at all feasible rows at once have no board.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gedge/plan/engine.hpp"
#include "gedge/policy/policy.hpp"
#include "plan/normalize.hpp"
#include "plan/slots.hpp"
#include "plan/winner_tree.hpp"

namespace gedge {

/// The slots of the policies that a board asks, ascending.
struct AskedPolicies {
  std::vector<std::size_t> filters, scores;
};

/// Rows that one filter bars for one class, or the others.
struct Exclusion {
  enum class Mask : std::uint8_t { kBarred, kKept };
  std::size_t filter = 0;
  const NodeMask* rows = nullptr;
  Mask mask = Mask::kBarred;
};

class Board {
 public:
  /// `prepared`: states of what is asked. `ties` [slots]: as in WinnerTree; empty where names
  /// decide. Nothing is evaluated yet.
  Board(const ClusterState& cluster, const std::vector<FilterSlot>& filters,
        const std::vector<ScoreSlot>& scores, AskedPolicies asked, PreparedClass prepared,
        std::vector<std::uint64_t> ties);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// True if the answers about a row change only with that row and with what Policy::on_pod says.
  static bool suits(const std::vector<FilterSlot>& filters, const std::vector<ScoreSlot>& scores,
                    const AskedPolicies& asked, const PreparedClass& prepared,
                    const ClassContext& context);

  const PreparedClass& prepared() const { return prepared_; }
  const AskedPolicies& asked() const { return asked_policies_; }
  /// A pod was bound or taken away; the cluster already shows it.
  void tell(const Change& change);
  /// These rows must be looked at again.
  void mark(NodeIndex row);
  void mark(const Touched& touched);

  /// Looks again at what changed and chooses among the rows that no exclusion bars. `exclusions` by
  /// ascending filter, of filters that are not asked. Cost: O(policies + log rows) a changed row;
  /// O(rows / 64) an exclusion; O(rows) where the range changed that a score is normalised in.
  void choose(const ClassContext& context, std::span<const Exclusion> exclusions, Choice& choice);

 private:
  // A score whose normalisation depends on the least and largest raw score of the feasible rows.
  struct Ranged {
    std::size_t slot = 0;
    Normalize how = Normalize::kNone;
    std::vector<std::int64_t> raw;  // [slots]
    ScoreRange range{};             // of the feasible rows
    ScoreRange used{};              // widened; what totals were computed with
    std::uint32_t count = 0, at_min = 0, at_max = 0;
    bool stale = false;
  };
  // Answers about the rows of one block.
  struct Answers;

  void filter_block(const ClassContext& context, Rows rows, Answers& answers);
  void filter_by(std::size_t filter, const ClassContext& context, Rows rows, Answers& answers);
  void score_block(const ClassContext& context, Rows rows, Answers& answers) const;
  void look_again(const ClassContext& context);
  void look_at(const ClassContext& context, Rows rows, std::uint64_t wanted);
  void take(NodeIndex row, const Answers& answers, std::uint32_t at);
  void rule(NodeIndex row, std::uint8_t verdict);
  void enter(Ranged& ranged, std::int64_t score);
  void leave(Ranged& ranged, std::int64_t score);
  void rescan(Ranged& ranged);
  bool ranges_moved();
  void refresh(const ClassContext& context);
  std::int64_t total_of(NodeIndex row) const;
  std::size_t exclude(std::span<const Exclusion> exclusions, std::vector<std::uint32_t>& rejected);
  bool narrower_ranges();
  void choose_open(Choice& choice);
  void answer(Choice& choice, BestTwo best, const std::vector<std::int64_t>& totals) const;

  const ClusterState& cluster_;
  const std::vector<FilterSlot>& filters_;
  const std::vector<ScoreSlot>& scores_;
  AskedPolicies asked_policies_;
  PreparedClass prepared_;
  // Of the asked filters: rows of those that read facts of nodes alone.
  std::vector<const StaticRows*> static_rows_;
  std::vector<std::size_t>
      changing_;           // those that are asked every time; who never rejects is in neither
  std::int64_t base_ = 0;  // weighted scores that are the same on every row
  std::vector<std::size_t> asked_of_;  // scores that are not
  std::vector<std::uint64_t> ties_;
  std::vector<std::uint32_t> leaf_of_;
  WinnerTree tree_;

  std::vector<std::uint8_t> verdict_;    // [slots]: first rejecting filter, or one of two marks
  std::vector<std::uint32_t> rejected_;  // [filters]
  NodeMask feasible_;
  std::size_t feasible_rows_ = 0;
  std::vector<NodeMask> rejects_;    // [filters]; rows, of filters behind one that is not asked
  std::vector<std::int64_t> fixed_;  // [slots]: weighted scores that need no normalisation
  std::vector<Ranged> ranged_;
  std::vector<std::int64_t> totals_;  // [slots]; kOut where a row is not feasible
  NodeMask marked_, asked_;
  std::vector<NodeIndex> marks_;
  bool all_marked_ = true;
  Touched touched_;
  std::unique_ptr<Answers> answers_;  // about the block that is looked at, kept for its memory
  NodeMask open_;                     // rows that the exclusions of one question leave
  std::vector<ScoreRange> ranges_;    // [ranged], of those rows
  std::vector<std::int64_t> among_;   // [slots], totals within those ranges
};

}  // namespace gedge
