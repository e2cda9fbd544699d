// plan/board.cpp
#include "plan/board.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "plan/block_kernels.hpp"
#include "plan/blocks.hpp"

namespace gedge {
namespace {

constexpr std::uint8_t kFeasible = 255, kGone = 254;  // verdicts beside filters
constexpr std::size_t kMostFilters = 254;
// As many rows of a block and more are asked about in one go.
constexpr int kManyRows = 4;

std::vector<std::uint32_t> ranks(const ClusterState& cluster) {
  std::vector<std::uint32_t> all(cluster.slots());
  for (std::uint32_t row = 0; row < all.size(); ++row) all[row] = cluster.rank_of(NodeIndex{row});
  return all;
}

bool needs_range(Normalize how) { return how != Normalize::kNone; }

}  // namespace

struct Board::Answers {
  std::uint32_t first = 0;  // row of place 0
  std::array<std::uint8_t, kBlock> verdict{};
  std::array<std::int64_t, kBlock> fixed{}, scores{};
  std::vector<std::array<std::int64_t, kBlock>> ranged;  // [ranged scores]
};

bool Board::suits(const std::vector<FilterSlot>& filters, const std::vector<ScoreSlot>& scores,
                  const AskedPolicies& asked, const PreparedClass& prepared,
                  const ClassContext& context) {
  if (filters.size() >= kMostFilters) return false;
  for (const std::size_t i : asked.filters)
    if ((filters[i].policy->reads() & kOpaque) != 0) return false;
  for (const std::size_t i : asked.scores) {
    const ScorePolicy& policy = *scores[i].policy;
    const ClassState* state = prepared.scores[i];
    if ((policy.reads() & kOpaque) != 0 || policy.reads_feasible(state) ||
        policy.normalize(context, state) == Normalize::kOwn)
      return false;
  }
  return true;
}

Board::Board(const ClusterState& cluster, const std::vector<FilterSlot>& filters,
             const std::vector<ScoreSlot>& scores, AskedPolicies asked, PreparedClass prepared,
             std::vector<std::uint64_t> ties)
    : cluster_(cluster),
      filters_(filters),
      scores_(scores),
      asked_policies_(std::move(asked)),
      prepared_(std::move(prepared)),
      ties_(std::move(ties)),
      leaf_of_(ranks(cluster)),
      tree_(leaf_of_, ties_),
      verdict_(cluster.slots(), kGone),
      rejected_(filters.size(), 0),
      feasible_(cluster.slots()),
      rejects_(filters.size()),
      fixed_(cluster.slots(), 0),
      totals_(cluster.slots(), WinnerTree::kOut),
      marked_(cluster.slots()),
      asked_(cluster.slots()),
      answers_(std::make_unique<Answers>()),
      open_(cluster.slots()) {
  for (std::size_t next = 0; const std::size_t i : asked_policies_.filters)
    if (i != next++) rejects_[i] = NodeMask(cluster.slots());
  const ClassContext context{cluster, *prepared_.sample, 0};
  for (const std::size_t i : asked_policies_.filters) {
    const ClassState* state = prepared_.filters[i];
    if (prepared_.static_filters[i] != nullptr)
      static_rows_.push_back(prepared_.static_filters[i]);
    else if (state != nullptr || !filters[i].policy->passes_all(context, nullptr))
      changing_.push_back(i);
  }
  for (const std::size_t i : asked_policies_.scores) {
    const Normalize how = scores[i].policy->normalize(context, prepared_.scores[i]);
    const StaticScores* known = prepared_.static_scores[i];
    if (known != nullptr && known->constant) {
      base_ = plus_weighted(base_, scores[i].weight, normalized_alone(how, *known->constant));
      continue;
    }
    asked_of_.push_back(i);
    if (!needs_range(how)) continue;
    Ranged& ranged = ranged_.emplace_back();
    ranged.slot = i;
    ranged.how = how;
    ranged.raw.assign(cluster.slots(), 0);
  }
  answers_->ranged.resize(ranged_.size());
}

Board::~Board() = default;

void Board::mark(NodeIndex row) {
  if (all_marked_ || marked_.test(row)) return;
  marked_.set(row);
  marks_.push_back(row);
}

void Board::tell(const Change& change) {
  gedge::tell(prepared_, cluster_, change, touched_);
  mark(change.node);
  if (!touched_.all && touched_.rows.size() == 0) return;  // made by the first row
  mark(touched_);
  touched_ = {};
}

void Board::mark(const Touched& touched) {
  all_marked_ = all_marked_ || touched.all;
  if (!all_marked_) touched.rows.for_each([&](NodeIndex row) { mark(row); });
}

// Clears the rows of the block in asked_ that a filter rejects, and notes the first that does.
void Board::filter_block(const ClassContext& context, Rows rows, Answers& answers) {
  const std::uint32_t word = rows.first / kBlock;
  std::uint64_t admitted = asked_.word(word);
  for (const StaticRows* known : static_rows_) admitted &= known->admitted.word(word);
  const bool static_ones_pass = admitted == asked_.word(word);
  for (const std::size_t i : static_ones_pass ? changing_ : asked_policies_.filters)
    filter_by(i, context, rows, answers);
}

void Board::filter_by(std::size_t filter, const ClassContext& context, Rows rows,
                      Answers& answers) {
  const std::uint32_t word = rows.first / kBlock;
  const std::uint64_t before = asked_.word(word);
  if (before == 0) return;
  if (const StaticRows* known = prepared_.static_filters[filter])
    asked_.keep(word, known->admitted.word(word));
  else
    filters_[filter].policy->filter(context, prepared_.filters[filter], rows, asked_, nullptr);
  for (std::uint64_t out = before & ~asked_.word(word); out != 0; out &= out - 1)
    answers.verdict[static_cast<std::size_t>(std::countr_zero(out))] =
        static_cast<std::uint8_t>(filter);
}

void Board::score_block(const ClassContext& context, Rows rows, Answers& answers) const {
  const std::uint32_t offset = rows.first - answers.first;
  std::size_t next = 0;
  std::fill_n(answers.fixed.begin() + offset, rows.size(), base_);
  for (const std::size_t i : asked_of_) {
    const bool is_ranged = next < ranged_.size() && ranged_[next].slot == i;
    std::array<std::int64_t, kBlock>& scores = is_ranged ? answers.ranged[next] : answers.scores;
    const auto out = std::span(scores).subspan(offset, rows.size());
    if (const StaticScores* known = prepared_.static_scores[i])
      std::copy_n(known->raw.begin() + rows.first, rows.size(), out.begin());
    else
      scores_[i].policy->score(context, prepared_.scores[i], rows, out);
    if (is_ranged) {
      ++next;
      continue;
    }
    for (std::uint32_t at = offset; at < offset + rows.size(); ++at)
      answers.fixed[at] = plus_weighted(answers.fixed[at], scores_[i].weight, scores[at]);
  }
}

// Asks about the rows `wanted` of a block, all filters first, then scores where any row is left.
void Board::look_at(const ClassContext& context, Rows rows, std::uint64_t wanted) {
  const std::uint32_t word = rows.first / kBlock;
  Answers& answers = *answers_;
  answers.first = word * kBlock;
  answers.verdict.fill(kGone);
  asked_.assign_word(word, wanted & cluster_.alive().word(word));
  filter_block(context, rows, answers);
  const std::uint64_t feasible = asked_.word(word);
  if (feasible != 0) score_block(context, rows, answers);
  for (std::uint64_t bits = feasible; bits != 0; bits &= bits - 1)
    answers.verdict[static_cast<std::size_t>(std::countr_zero(bits))] = kFeasible;
  for (std::uint64_t bits = wanted; bits != 0; bits &= bits - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(bits));
    take(NodeIndex{answers.first + at}, answers, at);
  }
}

void Board::rule(NodeIndex row, std::uint8_t verdict) {
  const std::uint8_t was = verdict_[raw(row)];
  if (was == verdict) return;
  verdict_[raw(row)] = verdict;
  if (was == kFeasible) {
    feasible_.clear(row);
    --feasible_rows_;
  }
  if (verdict == kFeasible) {
    feasible_.set(row);
    ++feasible_rows_;
  }
  if (was < kMostFilters) {
    --rejected_[was];
    if (rejects_[was].size() != 0) rejects_[was].clear(row);
  }
  if (verdict < kMostFilters) {
    ++rejected_[verdict];
    if (rejects_[verdict].size() != 0) rejects_[verdict].set(row);
  }
}

void Board::take(NodeIndex row, const Answers& answers, std::uint32_t at) {
  const std::uint8_t was = verdict_[raw(row)], is = answers.verdict[at];
  rule(row, is);
  if (is == kFeasible) fixed_[raw(row)] = answers.fixed[at];
  for (std::size_t i = 0; i < ranged_.size(); ++i) {
    Ranged& ranged = ranged_[i];
    if (was == kFeasible) leave(ranged, ranged.raw[raw(row)]);
    if (is != kFeasible) continue;
    ranged.raw[raw(row)] = answers.ranged[i][at];
    enter(ranged, ranged.raw[raw(row)]);
  }
}

void Board::enter(Ranged& ranged, std::int64_t score) {
  if (score == kIgnored) return;
  if (ranged.count++ == 0) {
    ranged.range = {score, score};
    ranged.at_min = ranged.at_max = 1;
    return;
  }
  if (score < ranged.range.min) {
    ranged.range.min = score;
    ranged.at_min = 1;
  } else if (score == ranged.range.min) {
    ++ranged.at_min;
  }
  if (score > ranged.range.max) {
    ranged.range.max = score;
    ranged.at_max = 1;
  } else if (score == ranged.range.max) {
    ++ranged.at_max;
  }
}

// Where the last row at an end of the range leaves, the end must be looked for.
void Board::leave(Ranged& ranged, std::int64_t score) {
  if (score == kIgnored) return;
  --ranged.count;
  if (score == ranged.range.min && --ranged.at_min == 0) ranged.stale = true;
  if (score == ranged.range.max && --ranged.at_max == 0) ranged.stale = true;
}

void Board::rescan(Ranged& ranged) {
  ranged.count = 0;
  ranged.stale = false;
  for (std::uint32_t row = 0; row < verdict_.size(); ++row)
    if (verdict_[row] == kFeasible) enter(ranged, ranged.raw[row]);
}

bool Board::ranges_moved() {
  bool moved = false;
  for (Ranged& ranged : ranged_) {
    if (ranged.stale) rescan(ranged);
    const ScoreRange now = widened(ranged.how, ranged.count == 0 ? ScoreRange{} : ranged.range);
    moved = moved || now != ranged.used;
    ranged.used = now;
  }
  return moved;
}

std::int64_t Board::total_of(NodeIndex row) const {
  if (verdict_[raw(row)] != kFeasible) return WinnerTree::kOut;
  std::int64_t total = fixed_[raw(row)];
  for (const Ranged& ranged : ranged_)
    total = plus_weighted(total, scores_[ranged.slot].weight,
                          normalized(ranged.how, ranged.raw[raw(row)], ranged.used));
  return total;
}

void Board::look_again(const ClassContext& context) {
  const auto slots = static_cast<std::uint32_t>(cluster_.slots());
  if (all_marked_) {
    for (std::uint32_t first = 0; first < slots; first += kBlock) {
      const Rows rows{first, std::min(first + kBlock, slots)};
      look_at(context, rows, ~std::uint64_t{0} >> (kBlock - rows.size()));
    }
    return;
  }
  for (const NodeIndex row : marks_) {
    const std::uint32_t word = raw(row) / kBlock;
    const std::uint64_t wanted = marked_.word(word);
    if (wanted == 0) continue;  // asked with an earlier row of its block
    if (std::popcount(wanted) < kManyRows) {
      look_at(context, {raw(row), raw(row) + 1}, std::uint64_t{1} << (raw(row) % kBlock));
      continue;
    }
    look_at(context, {word * kBlock, std::min((word + 1) * kBlock, slots)}, wanted);
    marked_.assign_word(word, 0);
  }
}

void Board::refresh(const ClassContext& context) {
  const bool all = all_marked_;
  look_again(context);
  const bool moved = ranges_moved();
  if (all || moved) {
    for (std::uint32_t row = 0; row < totals_.size(); ++row)
      totals_[row] = total_of(NodeIndex{row});
    tree_.build(totals_);
  } else {
    for (const NodeIndex row : marks_) {
      totals_[raw(row)] = total_of(row);
      tree_.update(row, totals_[raw(row)]);
    }
  }
  for (const NodeIndex row : marks_) marked_.clear(row);
  marks_.clear();
  all_marked_ = false;
}

// Leaves in open_ what no exclusion bars, and counts who rejects a row first. Returns how many are
// left.
std::size_t Board::exclude(std::span<const Exclusion> exclusions,
                           std::vector<std::uint32_t>& rejected) {
  const std::size_t first = exclusions.front().filter;
  std::size_t left = feasible_rows_;
  open_ = feasible_;
  for (std::size_t i = first; i < filters_.size(); ++i)
    if (rejects_[i].size() != 0 && rejected_[i] > 0) {
      open_ |= rejects_[i];
      left += rejected_[i];
    }
  for (std::size_t i = first; i < filters_.size(); ++i) {
    if (exclusions.empty() || exclusions.front().filter != i) {
      if (rejects_[i].size() == 0 || rejected_[i] == 0) continue;
      rejected[i] = take_out(open_, rejects_[i]);
    } else {
      const Exclusion& now = exclusions.front();
      rejected[i] = now.mask == Exclusion::Mask::kKept ? keep_only(open_, *now.rows)
                                                       : take_out(open_, *now.rows);
      exclusions = exclusions.subspan(1);
    }
    left -= rejected[i];
  }
  return left;
}

// Finds the ranges of the open rows; false if they are those that the totals were computed with.
bool Board::narrower_ranges() {
  bool differ = false;
  ranges_.clear();
  for (const Ranged& ranged : ranged_) {
    std::optional<ScoreRange> range;
    open_.for_each([&](NodeIndex row) {
      const std::int64_t score = ranged.raw[raw(row)];
      if (score == kIgnored) return;
      if (!range) range = ScoreRange{score, score};
      range->min = std::min(range->min, score);
      range->max = std::max(range->max, score);
    });
    ranges_.push_back(widened(ranged.how, range.value_or(ScoreRange{})));
    differ = differ || ranges_.back() != ranged.used;
  }
  return differ;
}

void Board::answer(Choice& choice, BestTwo best, const std::vector<std::int64_t>& totals) const {
  choice.winner = best.winner;
  choice.runner_up = best.runner_up;
  choice.winner_total = best.winner != kNoNode ? totals[raw(best.winner)] : 0;
  choice.runner_up_total = best.runner_up != kNoNode ? totals[raw(best.runner_up)] : 0;
}

// Exclusions that change a range change every total: the open rows are gone through.
void Board::choose_open(Choice& choice) {
  BestTwo best;
  among_.resize(totals_.size());
  open_.for_each([&](NodeIndex row) {
    std::int64_t total = fixed_[raw(row)];
    for (std::size_t i = 0; i < ranged_.size(); ++i)
      total = plus_weighted(total, scores_[ranged_[i].slot].weight,
                            normalized(ranged_[i].how, ranged_[i].raw[raw(row)], ranges_[i]));
    among_[raw(row)] = total;
    if (best.winner == kNoNode || tree_.beats(among_, row, best.winner)) {
      best.runner_up = best.winner;
      best.winner = row;
    } else if (best.runner_up == kNoNode || tree_.beats(among_, row, best.runner_up)) {
      best.runner_up = row;
    }
  });
  answer(choice, best, among_);
}

void Board::choose(const ClassContext& context, std::span<const Exclusion> exclusions,
                   Choice& choice) {
  refresh(context);
  choice.rejected = rejected_;
  if (exclusions.empty()) return answer(choice, tree_.best(totals_), totals_);
  const std::size_t left = exclude(exclusions, choice.rejected);
  if (narrower_ranges())
    choose_open(choice);
  else
    answer(choice, tree_.best(totals_, open_, left), totals_);
}

}  // namespace gedge
