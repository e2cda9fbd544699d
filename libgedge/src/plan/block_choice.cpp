#include "plan/block_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "plan/block_kernels.hpp"
#include "plan/blocks.hpp"
#include "plan/normalize.hpp"

namespace gedge {

std::uint32_t keep_admitted(const FilterPolicy& policy, const ClassContext& context,
                            const ClassState* state, const StaticRows* known, NodeMask& rows) {
  if (known != nullptr) return known->all ? 0 : keep_only(rows, known->admitted);
  if (policy.keeps_barred()) {
    const NodeMask* barred = policy.barred(state);
    return barred == nullptr ? 0 : take_out(rows, *barred);
  }
  if (policy.passes_all(context, state)) return 0;
  std::uint32_t cleared = 0;
  for_each_block(context.cluster.slots(), [&](Rows block) {
    const std::uint32_t word = block.first / kBlock;
    const std::uint64_t before = rows.word(word);
    if (before == 0) return;
    policy.filter(context, state, block, rows, nullptr);
    const std::uint64_t out = before & ~rows.word(word);
    if (out != 0) cleared += static_cast<std::uint32_t>(std::popcount(out));
  });
  return cleared;
}

// Finds out which scores have to be asked, and whether each of them knows a bound.
bool BlockChoice::bounded() {
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const ScorePolicy& policy = *scores_[i].policy;
    const ClassState* state = prepared_.scores[i];
    const Normalize how = policy.normalize(context_, state);
    const StaticScores* known = prepared_.static_scores[i];
    const auto same = known != nullptr ? known->constant : policy.constant(state);
    if (same && how != Normalize::kOwn) {
      base_ = plus_weighted(base_, scores_[i].weight, normalized_alone(how, *same));
      continue;
    }
    const bool has_bound = known == nullptr && how == Normalize::kNone && scores_[i].weight >= 0 &&
                           !policy.reads_feasible(state) &&
                           policy.upper_bound(context_, state, {0, 1}, 1) != kNoBound;
    if (!has_bound) return false;
    others_.push_back(i);
  }
  return true;
}

void BlockChoice::filter(std::vector<std::uint32_t>& rejected) {
  feasible_ = context_.cluster.alive();
  rejected.assign(filters_.size(), 0);
  for (std::size_t i = 0; i < filters_.size() && !feasible_.none(); ++i)
    rejected[i] = gedge::keep_admitted(*filters_[i].policy, context_, prepared_.filters[i],
                                       prepared_.static_filters[i], feasible_);
}

std::int64_t BlockChoice::bound_of(Rows block) const {
  const std::uint64_t feasible = feasible_.word(block.first / kBlock);
  std::int64_t bound = base_;
  for (const std::size_t i : others_)
    bound = plus_weighted(
        bound, scores_[i].weight,
        scores_[i].policy->upper_bound(context_, prepared_.scores[i], block, feasible));
  return bound;
}

void BlockChoice::enter(NodeIndex row, std::int64_t total, const TieKey& tie_key,
                        Best& best) const {
  const auto wins = [&](NodeIndex other, std::int64_t others_total) {
    if (other == kNoNode || total != others_total) return other == kNoNode || total > others_total;
    const std::uint64_t own = tie_key ? tie_key(row) : 0, its = tie_key ? tie_key(other) : 0;
    if (own != its) return own < its;
    return context_.cluster.rank_of(row) < context_.cluster.rank_of(other);
  };
  if (wins(best.winner, best.winner_total)) {
    best.runner_up = best.winner;
    best.runner_up_total = best.winner_total;
    best.winner = row;
    best.winner_total = total;
  } else if (wins(best.runner_up, best.runner_up_total)) {
    best.runner_up = row;
    best.runner_up_total = total;
  }
}

void BlockChoice::look_at(Rows block, const TieKey& tie_key, Best& best) const {
  const auto size = static_cast<std::uint32_t>(block.size());
  std::array<std::int64_t, kBlock> scores{}, totals{};
  totals.fill(base_);
  for (const std::size_t i : others_) {
    scores_[i].policy->score(context_, prepared_.scores[i], block, std::span(scores).first(size));
    add_weighted(scores.data(), size, scores_[i].weight, totals.data());
  }
  const bool has_two = best.runner_up != kNoNode;
  if (has_two && largest_of(totals.data(), size) < best.runner_up_total) return;
  for (std::uint64_t bits = feasible_.word(block.first / kBlock); bits != 0; bits &= bits - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(bits));
    if (best.runner_up == kNoNode || totals[at] >= best.runner_up_total)
      enter(NodeIndex{block.first + at}, totals[at], tie_key, best);
  }
}

std::optional<Choice> BlockChoice::choose(const TieKey& tie_key) {
  if (context_.cluster.slots() == 0 || !bounded()) return std::nullopt;
  Choice choice;
  filter(choice.rejected);
  struct Candidate {
    std::int64_t bound;
    Rows block;
  };
  std::vector<Candidate> candidates;
  for_each_block(context_.cluster.slots(), [&](Rows block) {
    if (feasible_.word(block.first / kBlock) != 0) candidates.push_back({bound_of(block), block});
  });
  const auto first =
      std::max_element(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
  if (first != candidates.end()) std::iter_swap(candidates.begin(), first);
  Best best;
  for (const Candidate& candidate : candidates)
    if (best.runner_up == kNoNode || candidate.bound >= best.runner_up_total)
      look_at(candidate.block, tie_key, best);
  choice.winner = best.winner;
  choice.runner_up = best.runner_up;
  if (best.winner != kNoNode) choice.winner_total = best.winner_total;
  if (best.runner_up != kNoNode) choice.runner_up_total = best.runner_up_total;
  return choice;
}

}  // namespace gedge
