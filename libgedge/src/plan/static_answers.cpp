#include "plan/static_answers.hpp"

#include <span>

#include "plan/blocks.hpp"

namespace gedge {
namespace {

// False: this policy's answer is not static, or no two pods are equal to it.
bool sign_key(std::size_t slot, const Policy& policy, const PodFacts& pod, Signature& key) {
  if (policy.reads() != kRowStatic) return false;
  key.clear();
  key.add(slot);
  return policy.sign(pod, key);
}

template <typename Last>
Last& last_of(std::vector<Last>& all, std::size_t slot) {
  if (all.size() <= slot) all.resize(slot + 1);
  return all[slot];
}

// What was answered under that key; null if nothing was.
template <typename Last, typename Answers>
auto known_answer(Last& last, const Answers& answers, std::string_view key) {
  if (last.answer != nullptr && last.key == key) return last.answer;
  const auto known = answers.find(key);
  if (known == answers.end()) return decltype(last.answer)();
  last = {std::string(key), &known->second};
  return last.answer;
}

// The score of all live rows if it is one.
std::optional<std::int64_t> only_score(const ClusterState& cluster,
                                       const std::vector<std::int64_t>& raw_scores) {
  std::optional<std::int64_t> only;
  bool same = true;
  cluster.alive().for_each([&](NodeIndex n) {
    same = same && (!only || *only == raw_scores[raw(n)]);
    only = raw_scores[raw(n)];
  });
  return same ? only : std::nullopt;
}

// Asks about one row again.
void ask_again(StaticRows& known, const ClassContext& context, NodeIndex row) {
  known.admitted.clear(row);
  if (context.cluster.alive().test(row)) known.admitted.set(row);
  known.policy->filter(context, known.state.get(), block_of(row, context.cluster.slots()),
                       known.admitted, nullptr);
}

// False where the one score of all rows is no longer that.
bool ask_again(StaticScores& known, const ClassContext& context, NodeIndex row) {
  std::int64_t score = 0;
  known.policy->score(context, known.state.get(), {raw(row), raw(row) + 1}, std::span(&score, 1));
  if (!known.constant) known.raw[raw(row)] = score;
  return !known.constant || score == *known.constant || !context.cluster.alive().test(row);
}

template <typename F>
void for_each_row(const FactsChange& change, const Touched& touched, F&& visit) {
  if (change.node != kNoNode) visit(change.node);
  touched.rows.for_each(visit);
}

void add_to(Touched& all, const Touched& more) {
  if (all.rows.size() == 0) all.rows = NodeMask(more.rows.size());
  more.rows.for_each([&](NodeIndex row) { all.rows.set(row); });
}

}  // namespace

void StaticAnswers::forget() {
  last_rows_.clear();
  last_scores_.clear();
  rows_.clear();
  scores_.clear();
  kept_ = 0;
}

bool StaticAnswers::follow(const ClusterState& cluster, const FactsChange& change,
                           Touched& touched) {
  bool followed = true;
  for (auto& entry : rows_) {
    StaticRows& known = entry.second;
    const ClassContext context{cluster, *known.pod, 0};
    Touched own;
    followed = followed && known.policy->on_facts(known.state.get(), context, change, own);
    if (!followed || own.all) return false;
    for_each_row(change, own, [&](NodeIndex row) { ask_again(known, context, row); });
    known.all = known.admitted == cluster.alive();
    if (own.rows.size() != 0) add_to(touched, own);
  }
  for (auto& entry : scores_) {
    StaticScores& known = entry.second;
    const ClassContext context{cluster, *known.pod, 0};
    Touched own;
    followed = followed && known.policy->on_facts(known.state.get(), context, change, own);
    if (!followed || own.all) return false;
    for_each_row(change, own,
                 [&](NodeIndex row) { followed = ask_again(known, context, row) && followed; });
    if (own.rows.size() != 0) add_to(touched, own);
  }
  return followed;
}

const StaticRows* StaticAnswers::rows(std::size_t slot, const FilterPolicy& policy,
                                      const ClassContext& context) {
  if (!sign_key(slot, policy, context.pod, key_)) return nullptr;
  const std::string_view key = key_.bytes();
  Last<StaticRows>& last = last_of(last_rows_, slot);
  if (const StaticRows* known = known_answer(last, rows_, key)) return known;
  const ClusterState& cluster = context.cluster;
  if (kept_ + cluster.slots() > kMaxRows) return nullptr;
  StaticRows& made = rows_[std::string(key)];
  made.policy = &policy;
  made.pod = &context.pod;
  made.state = policy.prepare(context);
  made.admitted = cluster.alive();
  for_each_block(cluster.slots(), [&](Rows block) {
    policy.filter(context, made.state.get(), block, made.admitted, nullptr);
  });
  made.all = made.admitted == cluster.alive();
  kept_ += cluster.slots() / kBlock + 1;
  return &made;
}

const StaticScores* StaticAnswers::scores(std::size_t slot, const ScorePolicy& policy,
                                          const ClassContext& context) {
  if (!sign_key(slot, policy, context.pod, key_)) return nullptr;
  const std::string_view key = key_.bytes();
  Last<StaticScores>& last = last_of(last_scores_, slot);
  if (const StaticScores* known = known_answer(last, scores_, key)) return known;
  const ClusterState& cluster = context.cluster;
  if (kept_ + cluster.slots() > kMaxRows) return nullptr;
  StaticScores made;
  made.policy = &policy;
  made.pod = &context.pod;
  made.state = policy.prepare(context);
  if (policy.reads_feasible(made.state.get())) return nullptr;
  made.raw.assign(cluster.slots(), 0);
  for_each_block(cluster.slots(), [&](Rows block) {
    policy.score(context, made.state.get(), block,
                 std::span(made.raw).subspan(block.first, block.size()));
  });
  made.constant = only_score(cluster, made.raw);
  if (made.constant) made.raw = {};
  kept_ += made.raw.size() + 1;
  return &(scores_[std::string(key)] = std::move(made));
}

}  // namespace gedge
