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

// Which scores have to be asked: false where one of them cannot be asked block by block.
bool BlockChoice::find_others() {
  others_.clear();
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
    if (known != nullptr || how != Normalize::kNone || scores_[i].weight < 0 ||
        policy.reads_feasible(state) || policy.most(state) == kNoBound)
      return false;
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

void BlockChoice::look_at(std::uint32_t word, const TieKey& tie_key, Best& best) const {
  const Rows block = block_of(NodeIndex{word * kBlock}, context_.cluster.slots());
  const auto size = static_cast<std::uint32_t>(block.size());
  std::array<std::int64_t, kBlock> scores{}, totals{};
  totals.fill(base_);
  for (const std::size_t i : others_) {
    scores_[i].policy->score(context_, prepared_.scores[i], block, std::span(scores).first(size));
    add_weighted(scores.data(), size, scores_[i].weight, totals.data());
  }
  std::uint64_t rows = feasible_.word(word);
  if (best.runner_up != kNoNode) rows &= at_least(totals.data(), size, best.runner_up_total);
  for (; rows != 0; rows &= rows - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(rows));
    enter(NodeIndex{block.first + at}, totals[at], tie_key, best);
  }
}

bool BlockChoice::may_win(const Candidate& candidate, bool by_name, const Best& best) const {
  if (best.runner_up == kNoNode || candidate.bound > best.runner_up_total) return true;
  if (candidate.bound < best.runner_up_total) return false;
  return !by_name ||
         context_.cluster.least_ranks()[candidate.word] < context_.cluster.rank_of(best.runner_up);
}

// Bounds become tighter score by score, for the blocks that may still win.
void BlockChoice::tighten(std::size_t score, std::int64_t rest) {
  const ScoreSlot& slot = scores_[score];
  words_.clear();
  for (const Candidate& candidate : candidates_) words_.push_back(candidate.word);
  column_.resize(words_.size());
  slot.policy->upper_bounds(context_, prepared_.scores[score], feasible_, words_, column_);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    candidate.known = plus_weighted(candidate.known, slot.weight, column_[i]);
    candidate.bound = plus_weighted(candidate.known, 1, rest);
  }
}

void BlockChoice::look_at_best(const TieKey& tie_key, Best& best) {
  const auto first =
      std::max_element(candidates_.begin(), candidates_.end(),
                       [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
  if (first == candidates_.end()) return;
  look_at(first->word, tie_key, best);
  candidates_.erase(first);
  std::erase_if(candidates_, [&](const Candidate& c) { return !may_win(c, !tie_key, best); });
}

bool BlockChoice::choose(const TieKey& tie_key, Choice& choice) {
  if (context_.cluster.slots() == 0 || !find_others()) return false;
  filter(choice.rejected);
  candidates_.clear();
  for (std::uint32_t word = 0; word < feasible_.words(); ++word)
    if (feasible_.word(word) != 0) candidates_.push_back({word, base_, base_});
  Best best;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    std::int64_t rest = 0;
    for (std::size_t j = i + 1; j < others_.size(); ++j) {
      const ScoreSlot& slot = scores_[others_[j]];
      rest = plus_weighted(rest, slot.weight, slot.policy->most(prepared_.scores[others_[j]]));
    }
    tighten(others_[i], rest);
    look_at_best(tie_key, best);
  }
  for (const Candidate& candidate : candidates_)
    if (may_win(candidate, !tie_key, best)) look_at(candidate.word, tie_key, best);
  choice.winner = best.winner;
  choice.runner_up = best.runner_up;
  choice.winner_total = best.winner != kNoNode ? best.winner_total : 0;
  choice.runner_up_total = best.runner_up != kNoNode ? best.runner_up_total : 0;
  return true;
}

}  // namespace gedge
