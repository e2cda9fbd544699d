// plan/engine.cpp - filter, score, choose; and the same with all evidence.
#include "gedge/plan/engine.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "gedge/base/split_mix.hpp"
#include "plan/block_choice.hpp"
#include "plan/blocks.hpp"
#include "plan/classes.hpp"
#include "plan/fit_errors.hpp"
#include "plan/normalize.hpp"

namespace gedge {
namespace {

// Spreads ties evenly, the same on every machine.
std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = split_mix(seed);
  for (const char c : text) hash = split_mix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

// Keeps the evidence of one filter, by node.
class KeepingRecorder final : public Recorder {
 public:
  explicit KeepingRecorder(std::vector<NodeExplanation>& nodes, std::string policy)
      : nodes_(nodes), policy_(std::move(policy)) {}
  void reject(NodeIndex node, Evidence evidence) override {
    nodes_[raw(node)].rejections.push_back({policy_, std::move(evidence)});
  }

 private:
  std::vector<NodeExplanation>& nodes_;
  std::string policy_;
};

// Keeps the evidence about one node.
class OneNodeRecorder final : public Recorder {
 public:
  OneNodeRecorder(std::vector<Rejection>& rejections, const std::string& policy)
      : rejections_(rejections), policy_(policy) {}
  void reject(NodeIndex, Evidence evidence) override {
    rejections_.push_back({policy_, std::move(evidence)});
  }

 private:
  std::vector<Rejection>& rejections_;
  const std::string& policy_;
};

}  // namespace

struct Engine::Parts {
  Parts(const ClusterState& state, Profile chosen, std::uint64_t tie_seed, bool boards,
        std::vector<FilterSlot> all_filters, std::vector<ScoreSlot> all_scores)
      : cluster(state),
        profile(std::move(chosen)),
        seed(tie_seed),
        in_tree(boards),
        filters(std::move(all_filters)),
        scores(std::move(all_scores)),
        classes(state, filters, scores,
                profile.spread_ties ? ClassCache::TieKeys(std::bind_front(&Parts::tie_keys, this))
                                    : ClassCache::TieKeys(),
                boards),
        fit_errors(state, filters, profile.compat) {}

  ClassContext context(PodIndex pod) const {
    return {cluster, cluster.pod_facts(pod), cluster.joint_group(pod)};
  }
  std::uint64_t tie_key(NodeIndex node, std::string_view signature) const;
  std::vector<std::uint64_t> tie_keys(std::string_view signature) const;
  void run_filter(std::size_t i, PodIndex pod, PreparedClass& prepared, NodeMask& mask,
                  Recorder* recorder) const;
  std::uint32_t keep_admitted(std::size_t i, const ClassContext& now, const PreparedClass& prepared,
                              NodeMask& mask) const;
  std::optional<std::int64_t> constant(std::size_t i, const PreparedClass& prepared) const;
  void add_scores(std::size_t i, PodIndex pod, PreparedClass& prepared,
                  Evaluation& evaluation) const;
  void run_score(std::size_t i, PodIndex pod, PreparedClass& prepared, const NodeMask& feasible,
                 std::vector<std::int64_t>& out) const;
  void run_normalize(std::size_t i, PodIndex pod, const PreparedClass& prepared,
                     const NodeMask& feasible, std::vector<std::int64_t>& column) const;
  void total(PodIndex pod, PreparedClass& prepared, Evaluation& evaluation) const;
  Evaluation evaluate(PodIndex pod, PreparedClass& prepared) const;

  bool wins_tie(PodIndex pod, NodeIndex a, NodeIndex b) const {
    const std::string_view signature = classes.signature(pod);
    const std::uint64_t tie_a = tie_key(a, signature), tie_b = tie_key(b, signature);
    return tie_a != tie_b ? tie_a < tie_b : cluster.rank_of(a) < cluster.rank_of(b);
  }

  /// Less(a, b): `a` is the better choice.
  auto order(PodIndex pod, const Evaluation& evaluation) const {
    return [this, pod, &totals = evaluation.totals](NodeIndex a, NodeIndex b) {
      const std::int64_t of_a = totals[gedge::raw(a)], of_b = totals[gedge::raw(b)];
      return of_a != of_b ? of_a > of_b : wins_tie(pod, a, b);
    };
  }

  const ClusterState& cluster;
  Profile profile;
  std::uint64_t seed;
  bool in_tree;  // no modules: blocks without a row that matters may be left out
  std::vector<FilterSlot> filters;
  std::vector<ScoreSlot> scores;
  ClassCache classes;
  FitErrors fit_errors;
  BlockChoice::Scratch scratch;
  Choice choice;                                   // the last one, kept for its memory
  mutable std::vector<std::int64_t> score_column;  // [slots], kept for its memory
};

std::uint64_t Engine::Parts::tie_key(NodeIndex node, std::string_view signature) const {
  if (!profile.spread_ties) return 0;
  return hash_text(hash_text(seed, signature), cluster.node(node).name);
}

std::vector<std::uint64_t> Engine::Parts::tie_keys(std::string_view signature) const {
  std::vector<std::uint64_t> keys;
  for (std::uint32_t row = 0; row < cluster.slots(); ++row)
    keys.push_back(tie_key(NodeIndex{row}, signature));
  return keys;
}

void Engine::Parts::run_filter(std::size_t i, PodIndex pod, PreparedClass& prepared, NodeMask& mask,
                               Recorder* recorder) const {
  const ClassContext now = context(pod);
  for_each_block(cluster.slots(), [&](Rows rows) {
    filters[i].policy->filter(now, prepared.filters[i], rows, mask, recorder);
  });
}

// Without evidence: what is known of all rows is not asked again. Returns how many rows it clears.
std::uint32_t Engine::Parts::keep_admitted(std::size_t i, const ClassContext& now,
                                           const PreparedClass& prepared, NodeMask& mask) const {
  const FilterPolicy& policy = *filters[i].policy;
  const ClassState* state = prepared.filters[i];
  if (in_tree) return gedge::keep_admitted(policy, now, state, prepared.static_filters[i], mask);
  std::uint32_t cleared = 0;
  for_each_block(cluster.slots(), [&](Rows rows) {
    const std::uint32_t word = rows.first / kBlock;
    const std::uint64_t before = mask.word(word);
    policy.filter(now, state, rows, mask, nullptr);
    if (const std::uint64_t out = before & ~mask.word(word); out != 0)
      cleared += static_cast<std::uint32_t>(std::popcount(out));
  });
  return cleared;
}

void Engine::Parts::run_score(std::size_t i, PodIndex pod, PreparedClass& prepared,
                              const NodeMask& feasible, std::vector<std::int64_t>& out) const {
  const ClassContext now = context(pod);
  const ScorePolicy& policy = *scores[i].policy;
  if (const StaticScores* known = prepared.static_scores[i]; known && !known->constant) {
    out = known->raw;
    return;
  }
  if (policy.reads_feasible(prepared.scores[i]))
    policy.on_feasible(prepared.scores[i], now, feasible);
  out.assign(cluster.slots(), 0);
  for_each_block(cluster.slots(), [&](Rows rows) {
    if (!in_tree || feasible.word(rows.first / kBlock) != 0)
      policy.score(now, prepared.scores[i], rows, std::span(out).subspan(rows.first, rows.size()));
  });
}

void Engine::Parts::run_normalize(std::size_t i, PodIndex pod, const PreparedClass& prepared,
                                  const NodeMask& feasible,
                                  std::vector<std::int64_t>& column) const {
  const ClassContext now = context(pod);
  const ScorePolicy& policy = *scores[i].policy;
  const Normalize how = policy.normalize(now, prepared.scores[i]);
  if (how == Normalize::kNone && in_tree) return;
  if (how == Normalize::kOwn)
    policy.normalize_rows(now, prepared.scores[i], feasible, column);
  else
    normalize(how, feasible, column);
}

std::optional<std::int64_t> Engine::Parts::constant(std::size_t i,
                                                    const PreparedClass& prepared) const {
  if (!in_tree) return std::nullopt;
  if (const StaticScores* known = prepared.static_scores[i]) return known->constant;
  return scores[i].policy->constant(prepared.scores[i]);
}

void Engine::Parts::add_scores(std::size_t i, PodIndex pod, PreparedClass& prepared,
                               Evaluation& evaluation) const {
  std::vector<std::int64_t>& column = score_column;
  run_score(i, pod, prepared, evaluation.feasible, column);
  run_normalize(i, pod, prepared, evaluation.feasible, column);
  evaluation.feasible.for_each([&](NodeIndex n) {
    std::int64_t& total = evaluation.totals[gedge::raw(n)];
    total = plus_weighted(total, scores[i].weight, column[gedge::raw(n)]);
  });
}

// Scores that are the same everywhere are added to all totals at once.
void Engine::Parts::total(PodIndex pod, PreparedClass& prepared, Evaluation& evaluation) const {
  std::int64_t base = 0;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Normalize how = scores[i].policy->normalize(context(pod), prepared.scores[i]);
    const auto same = how == Normalize::kOwn ? std::nullopt : constant(i, prepared);
    if (!same) {
      others.push_back(i);
      continue;
    }
    base = plus_weighted(base, scores[i].weight, normalized_alone(how, *same));
  }
  evaluation.totals.assign(cluster.slots(), base);
  for (const std::size_t i : others) add_scores(i, pod, prepared, evaluation);
}

Evaluation Engine::Parts::evaluate(PodIndex pod, PreparedClass& prepared) const {
  const ClassContext now = context(pod);
  Evaluation evaluation;
  evaluation.feasible = cluster.alive();
  std::size_t left = evaluation.feasible.count();
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::uint32_t cleared =
        left > 0 ? keep_admitted(i, now, prepared, evaluation.feasible) : 0;
    evaluation.rejected.push_back(cleared);
    left -= cleared;
  }
  if (left == 0) return evaluation;
  total(pod, prepared, evaluation);
  const auto better = order(pod, evaluation);
  evaluation.feasible.for_each([&](NodeIndex n) {
    if (evaluation.runner_up != kNoNode &&
        evaluation.totals[gedge::raw(n)] < evaluation.totals[gedge::raw(evaluation.runner_up)])
      return;
    if (evaluation.winner == kNoNode || better(n, evaluation.winner)) {
      evaluation.runner_up = evaluation.winner;
      evaluation.winner = n;
    } else if (evaluation.runner_up == kNoNode || better(n, evaluation.runner_up)) {
      evaluation.runner_up = n;
    }
  });
  return evaluation;
}

Result<Engine> Engine::make(const ClusterState& state, const Profile& profile,
                            const PolicySource* modules, std::uint64_t seed) {
  std::vector<FilterSlot> filters;
  std::vector<ScoreSlot> scores;
  for (const ProfileEntry& entry : profile.filters) {
    std::unique_ptr<FilterPolicy> policy =
        modules == nullptr ? nullptr : modules->filter(entry.policy);
    if (!policy) {
      auto made = make_filter(entry.policy, entry.args, profile.compat);
      if (!made) return std::move(made).error();
      policy = *std::move(made);
    }
    filters.push_back({entry.policy, std::move(policy)});
  }
  for (const ProfileEntry& entry : profile.scores) {
    std::unique_ptr<ScorePolicy> policy =
        modules == nullptr ? nullptr : modules->score(entry.policy);
    if (!policy) {
      auto made = make_score(entry.policy, entry.args, profile.compat);
      if (!made) return std::move(made).error();
      policy = *std::move(made);
    }
    scores.push_back({entry.policy, std::move(policy), entry.weight});
  }
  // Modules get whole columns, and what they answer is checked column by column: no boards.
  return Engine(std::make_unique<Parts>(state, profile, seed, modules == nullptr,
                                        std::move(filters), std::move(scores)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::follow() { parts_->classes.follow(); }

const Profile& Engine::profile() const { return parts_->profile; }

bool Engine::has_filter(std::string_view name) const {
  const auto named = [&](const FilterSlot& slot) { return slot.name == name; };
  return std::any_of(parts_->filters.begin(), parts_->filters.end(), named);
}

Choice to_choice(const Evaluation& evaluation) {
  const auto total = [&](NodeIndex n) { return n == kNoNode ? 0 : evaluation.totals[raw(n)]; };
  return {evaluation.winner, evaluation.runner_up, total(evaluation.winner),
          total(evaluation.runner_up), evaluation.rejected};
}

const Choice& Engine::choose(PodIndex pod) {
  Choice& choice = parts_->choice;
  if (parts_->classes.choose(pod, choice)) return choice;
  PreparedClass& prepared = parts_->classes.once(pod);
  if (parts_->in_tree) {
    const ClassContext now = parts_->context(pod);
    BlockChoice blocks(parts_->filters, parts_->scores, prepared, now, parts_->scratch);
    BlockChoice::TieKey tie_key;
    if (parts_->profile.spread_ties)
      tie_key = [&](NodeIndex n) { return parts_->tie_key(n, parts_->classes.signature(pod)); };
    if (blocks.choose(tie_key, choice)) return choice;
  }
  choice = to_choice(parts_->evaluate(pod, prepared));
  return choice;
}

Evaluation Engine::evaluate(PodIndex pod) {
  return parts_->evaluate(pod, parts_->classes.get(pod));
}

std::vector<NodeIndex> Engine::ranking(PodIndex pod, const Evaluation& evaluation) const {
  std::vector<NodeIndex> nodes;
  evaluation.feasible.for_each([&](NodeIndex n) { nodes.push_back(n); });
  std::sort(nodes.begin(), nodes.end(), parts_->order(pod, evaluation));
  return nodes;
}

bool Engine::fits(PodIndex pod, NodeIndex node) {
  if (!parts_->cluster.alive().test(node)) return false;
  PreparedClass& prepared = parts_->classes.get(pod);
  NodeMask mask(parts_->cluster.slots());
  mask.set(node);
  const Rows rows = block_of(node, parts_->cluster.slots());
  const ClassContext now = parts_->context(pod);
  for (std::size_t i = 0; i < parts_->filters.size(); ++i) {
    parts_->filters[i].policy->filter(now, prepared.filters[i], rows, mask, nullptr);
    if (!mask.test(node)) return false;
  }
  return true;
}

bool Engine::heeds_pods(PodIndex pod) {
  constexpr std::uint8_t kOfPods = kRowUsage | kDomains | kOpaque;
  PreparedClass& prepared = parts_->classes.get(pod);
  const ClassContext now = parts_->context(pod);
  for (std::size_t i = 0; i < parts_->filters.size(); ++i) {
    const FilterPolicy& policy = *parts_->filters[i].policy;
    const ClassState* const state = prepared.filters[i];
    const std::uint8_t read = policy.reads() & kOfPods;
    if (read == 0 || (state == nullptr && policy.passes_all(now, state))) continue;
    if (read != kDomains || state == nullptr) return true;
    std::vector<Topic> topics;
    policy.listen(now, *state, topics);
    if (!topics.empty()) return true;
  }
  return false;
}

std::vector<Rejection> Engine::rejections(PodIndex pod, NodeIndex node) {
  PreparedClass& prepared = parts_->classes.get(pod);
  const Rows rows = block_of(node, parts_->cluster.slots());
  const ClassContext now = parts_->context(pod);
  std::vector<Rejection> all;
  for (std::size_t i = 0; i < parts_->filters.size(); ++i) {
    NodeMask mask(parts_->cluster.slots());
    mask.set(node);
    OneNodeRecorder recorder(all, parts_->filters[i].name);
    parts_->filters[i].policy->filter(now, prepared.filters[i], rows, mask, &recorder);
  }
  return all;
}

std::vector<NodeExplanation> Engine::explain(PodIndex pod) {
  PreparedClass& prepared = parts_->classes.get(pod);
  const ClusterState& cluster = parts_->cluster;
  std::vector<NodeExplanation> nodes(cluster.slots());
  Evaluation evaluation;
  evaluation.feasible = cluster.alive();
  for (std::size_t i = 0; i < parts_->filters.size(); ++i) {
    NodeMask mask = cluster.alive();
    KeepingRecorder recorder(nodes, parts_->filters[i].name);
    parts_->run_filter(i, pod, prepared, mask, &recorder);
    evaluation.feasible &= mask;
  }
  evaluation.feasible.for_each(
      [&](NodeIndex n) { nodes[gedge::raw(n)].scores.reserve(parts_->scores.size()); });
  std::vector<std::int64_t> rawscores, normalized;
  evaluation.totals.assign(cluster.slots(), 0);
  for (std::size_t i = 0; i < parts_->scores.size(); ++i) {
    const ScoreSlot& slot = parts_->scores[i];
    parts_->run_score(i, pod, prepared, evaluation.feasible, rawscores);
    normalized = rawscores;
    parts_->run_normalize(i, pod, prepared, evaluation.feasible, normalized);
    evaluation.feasible.for_each([&](NodeIndex n) {
      const std::int64_t shown =
          rawscores[gedge::raw(n)] == kIgnored ? 0 : rawscores[gedge::raw(n)];
      nodes[gedge::raw(n)].scores.push_back(
          {slot.name, shown, normalized[gedge::raw(n)], slot.weight});
      std::int64_t& total = evaluation.totals[gedge::raw(n)];
      total = plus_weighted(total, slot.weight, normalized[gedge::raw(n)]);
    });
  }
  std::vector<NodeExplanation> sorted;
  sorted.reserve(cluster.alive().count());
  for (std::uint32_t rank = 0; rank < cluster.slots(); ++rank) {
    const NodeIndex n = cluster.by_rank(rank);
    if (!cluster.alive().test(n)) continue;
    NodeExplanation& node = nodes[gedge::raw(n)];
    node.node = cluster.node(n).name;
    node.feasible = evaluation.feasible.test(n);
    if (node.feasible) node.total = evaluation.totals[gedge::raw(n)];
    sorted.push_back(std::move(node));
  }
  return sorted;
}

std::string Engine::fit_error(PodIndex pod) {
  if (parts_->cluster.alive().none()) return "no nodes available to schedule pods";
  const PreparedClass& prepared = parts_->classes.get(pod);
  const bool has_equals = parts_->in_tree && parts_->cluster.joint_group(pod) == 0;
  return parts_->fit_errors.message(parts_->context(pod), prepared, has_equals);
}

RejectedBy Engine::rejected_by(const std::vector<std::uint32_t>& rejected) const {
  RejectedBy counts;
  counts.reserve(static_cast<std::size_t>(
      std::count_if(rejected.begin(), rejected.end(), [](std::uint32_t n) { return n > 0; })));
  for (std::size_t i = 0; i < rejected.size(); ++i)
    if (rejected[i] > 0) counts.emplace_back(parts_->filters[i].name, rejected[i]);
  return counts;
}

}  // namespace gedge
