// policy/topology_spread_score.cpp - score PodTopologySpread.
//
// Raw      sum over soft constraints of count * ln(domains + 2) + (maxSkew - 1); 1.36 rounds half
//          away from zero, 1.20 truncates. `domains` are those of the feasible nodes; for
//          hostnames the number of feasible nodes that are scored.
// Range    normalised 100 * (max + min - raw) / max, all 100 if max is 0; nodes that lack a key are
//          ignored and get 0 (1.36: not with the system defaults).
// Cost     O(pods + nodes) a class, O(1) a bound pod, O(constraints) a row.
// Source   kube-scheduler plugins/podtopologyspread/scoring.go.
#include <algorithm>
#include <cmath>

#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/spread_constraints.hpp"

namespace gedge {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

struct Term {
  Term(const ClassContext& context, const SpreadConstraint& resolved)
      : constraint(resolved),
        matcher(context, resolved.counted()),
        by_row(resolved.column->key == kHostname),
        count(by_row ? context.cluster.slots() : resolved.column->domain_count() + 1U, 0) {
    // Upstream looks a missing label up as "": such nodes share the domain of that value.
    const auto empty = resolved.column->index.find("");
    domain_of_none =
        empty == resolved.column->index.end() ? resolved.column->domain_count() : empty->second;
  }

  bool has_key(NodeIndex n) const { return constraint.column->domain_of[raw(n)] != kNoDomain; }
  /// Where pods of this row are counted.
  std::uint32_t cell_of(NodeIndex n) const {
    if (by_row) return raw(n);
    const DomainIndex domain = constraint.column->domain_of[raw(n)];
    return domain == kNoDomain ? domain_of_none : domain;
  }
  double value(std::uint32_t cell) const {
    return static_cast<double>(count[cell]) * weight + static_cast<double>(constraint.max_skew - 1);
  }

  SpreadConstraint constraint;
  SpreadMatcher matcher;
  bool by_row;  // hostname: pods count on their own row, whatever the node policies
  DomainIndex domain_of_none = kNoDomain;
  NodeMask counted;
  std::vector<std::int64_t> count;  // [slots] if by_row, else [domains + 1]
  double weight = 0;                // ln(domains + 2) of the last feasible rows
};

struct State final : ClassState {
  std::vector<Term> terms;
  NodeMask scored;  // rows that have every key that is demanded
  // [domains + 1] of the only term, unless it counts by row: raw scores for the last feasible rows.
  std::vector<std::int64_t> of_cell;
};

// How many domains the rows lie in; rows without the key are in one, too.
std::size_t count_domains(const Term& term, const NodeMask& rows) {
  const TopologyColumn& column = *term.constraint.column;
  std::size_t count = 0;
  bool has_domain_of_none = false;
  for (DomainIndex domain = 0; domain < column.domain_count(); ++domain) {
    const auto words = column.rows_of(domain);
    const bool is_used = std::any_of(words.begin(), words.end(), [&](const WordRows& of) {
      return (of.bits & rows.word(of.word)) != 0;
    });
    if (is_used) ++count;
    if (domain == term.domain_of_none) has_domain_of_none = is_used;
  }
  const auto lacks_key = [&](std::uint32_t word) {
    return (rows.word(word) & ~column.keyed.word(word)) != 0;
  };
  for (std::uint32_t word = 0; word < rows.words() && !has_domain_of_none; ++word)
    if (lacks_key(word)) {
      ++count;
      has_domain_of_none = true;
    }
  return count;
}

class TopologySpreadScore final : public ScorePolicy {
 public:
  TopologySpreadScore(const PolicyArgs& args, Compat compat) : source_(args, compat) {}
  std::string_view name() const override { return "PodTopologySpread"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    constexpr unsigned kRead = kLabelPart | kTaintPart | kPresencePart;
    return state == nullptr || (change.parts & kRead) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    source_.sign(pod, false, signature);
    return true;
  }
  /// Without constraints 1.36 skips the plugin (0 everywhere); 1.20 gives 100 everywhere.
  Normalize normalize(const ClassContext&, const ClassState* state) const override {
    return state == nullptr && source_.compat != Compat::k1_20 ? Normalize::kNone
                                                               : Normalize::kSpread;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched& touched) const override;
  void listen(const ClassContext&, const ClassState& state,
              std::vector<Topic>& topics) const override {
    for (const Term& term : static_cast<const State&>(state).terms)
      listen_to_selected(term.constraint.counted(), topics);
  }
  bool reads_feasible(const ClassState* state) const override { return state != nullptr; }
  void on_feasible(ClassState* state, const ClassContext& context,
                   const NodeMask& feasible) const override;
  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override;
  std::optional<std::int64_t> constant(const ClassState* state) const override {
    return state == nullptr ? std::optional<std::int64_t>(0) : std::nullopt;
  }

 private:
  std::int64_t whole(double sum) const {
    return static_cast<std::int64_t>(source_.compat == Compat::k1_20 ? sum : std::round(sum));
  }

  SpreadSource source_;
};

std::unique_ptr<ClassState> TopologySpreadScore::prepare(const ClassContext& context) const {
  const SpreadPlan plan = source_.plan(context, false);
  if (plan.constraints.empty()) return nullptr;
  auto state = std::make_unique<State>();
  state->scored = context.cluster.alive();
  if (plan.require_all_keys)
    context.cluster.alive().for_each([&](NodeIndex n) {
      if (!has_all_keys(plan.constraints, n)) state->scored.clear(n);
    });
  for (const SpreadConstraint& constraint : plan.constraints) {
    Term& term = state->terms.emplace_back(context, constraint);
    term.counted = term.by_row ? context.cluster.alive() : included_nodes(context, constraint);
    if (!term.by_row) term.counted &= state->scored;
    std::vector<Topic> topics;
    listen_to_selected(term.constraint.counted(), topics);
    if (topics.empty()) continue;
    context.cluster.for_each_placed(topics, [&](PodIndex pod, NodeIndex n) {
      if (term.counted.test(n) && term.matcher.counts(context.cluster, pod))
        ++term.count[term.cell_of(n)];
    });
  }
  return state;
}

void TopologySpreadScore::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                                 NodeIndex node, int delta, Touched& touched) const {
  for (Term& term : static_cast<State&>(state).terms) {
    if (!term.counted.test(node) || !term.matcher.counts(context.cluster, other)) continue;
    term.count[term.cell_of(node)] += delta;
    if (!term.by_row && !term.constraint.column->one_row_a_domain && term.has_key(node))
      touch_domain(touched, *term.constraint.column, term.cell_of(node));
    if (!term.by_row && !term.has_key(node) && term.domain_of_none < term.count.size() - 1)
      touch_domain(touched, *term.constraint.column, term.domain_of_none);
  }
}

void TopologySpreadScore::on_feasible(ClassState* state, const ClassContext&,
                                      const NodeMask& feasible) const {
  if (state == nullptr) return;
  State& spread = static_cast<State&>(*state);
  NodeMask scored = feasible;
  scored &= spread.scored;
  for (Term& term : spread.terms) {
    const std::size_t size = term.by_row ? scored.count() : count_domains(term, scored);
    term.weight = std::log(static_cast<double>(size + 2));
  }
  spread.of_cell.clear();
  if (spread.terms.size() != 1 || spread.terms.front().by_row) return;
  const Term& only = spread.terms.front();
  for (std::uint32_t cell = 0; cell < only.count.size(); ++cell)
    spread.of_cell.push_back(whole(only.value(cell)));
}

void TopologySpreadScore::score(const ClassContext&, const ClassState* state, Rows rows,
                                std::span<std::int64_t> raw) const {
  for (std::uint32_t row = rows.first; row < rows.last; ++row) {
    const NodeIndex n{row};
    std::int64_t& out = raw[row - rows.first];
    out = 0;
    if (state == nullptr) continue;
    const State& spread = static_cast<const State&>(*state);
    if (!spread.scored.test(n)) {
      out = kIgnored;
      continue;
    }
    if (!spread.of_cell.empty()) {
      const Term& only = spread.terms.front();
      if (only.has_key(n)) out = spread.of_cell[only.cell_of(n)];
      continue;
    }
    double sum = 0;
    for (const Term& term : spread.terms)
      if (term.has_key(n)) sum += term.value(term.cell_of(n));
    out = whole(sum);
  }
}

}  // namespace

std::unique_ptr<ScorePolicy> make_pod_topology_spread_score(const PolicyArgs& args, Compat compat) {
  return std::make_unique<TopologySpreadScore>(args, compat);
}

}  // namespace gedge
