// policy/delay_budget.cpp - filter DelayBudget.
//
// Rule     every budget of the pod: measured and at most its limit (the limit itself passes). And
//          no placed pod's budget towards this pod, or towards the workload it belongs to, may
//          break; budgets that ask for the nearest replica only cannot.
// Verdict  unresolvable; towards pods and workloads unschedulable.
// Cost     O(nodes * places of peers) a class, O(nodes) a bound peer or client,
//          O(1) a row.
// Source   spec/surface.md section 4.
#include <algorithm>
#include <span>
#include <tuple>

#include "policy/delay_columns.hpp"
#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

/// A placed pod's budget towards the pod in question.
struct Guard {
  PodIndex pod;
  NodeIndex node;
  const DelayBudget* budget;

  bool admits(const ClusterState& cluster, NodeIndex n) const {
    const Rtt rtt = cluster.rtt_between(node, n);
    return rtt != kUnmeasured && std::int64_t{rtt.us} <= budget->limit_us;
  }
};

struct State final : ClassState {
  std::vector<DelayColumn> columns;
  std::vector<Guard> guards;  // in no order
  NodeMask barred;            // rows that a column or a guard does not admit
};

void add_guards(State& state, const ClassContext& context, PodIndex other, NodeIndex node) {
  const PodFacts& owner = context.cluster.pod_facts(other);
  for (const DelayBudget& budget : owner.spec->budgets)
    if (!budget.nearest && means_pod(context.cluster, budget, owner.namespace_name(), context.pod))
      state.guards.push_back({other, node, &budget});
}

// Bars what the guards from `first` on do not admit.
void bar_by_guards(State& state, const ClusterState& cluster, std::size_t first) {
  const std::span guards = std::span(state.guards).subspan(first);
  if (guards.empty()) return;
  NodeMask open = cluster.alive();
  open -= state.barred;
  open.for_each([&](NodeIndex n) {
    if (!std::all_of(guards.begin(), guards.end(),
                     [&](const Guard& g) { return g.admits(cluster, n); }))
      state.barred.set(n);
  });
}

void find_barred(State& state, const ClusterState& cluster) {
  state.barred = cluster.alive();
  for (const DelayColumn& column : state.columns) column.keep_admitted(state.barred);
  for (std::size_t i = 0; i < state.barred.words(); ++i)
    state.barred.assign_word(i, cluster.alive().word(i) & ~state.barred.word(i));
  bar_by_guards(state, cluster, 0);
}

bool has_identity(const PodFacts& pod) {
  return !pod.peer_name.empty() || !pod.peer_workload.empty();
}

// The placed pod with the lowest name whose budget a pod on `n` would break.
const Guard* broken_guard(const State& state, const ClusterState& cluster, NodeIndex n) {
  const auto name_of = [&](const Guard& guard) {
    const Pod& pod = cluster.pod(guard.pod);
    return std::tie(pod.namespace_name, pod.name);
  };
  const Guard* lowest = nullptr;
  for (const Guard& guard : state.guards)
    if (!guard.admits(cluster, n) && (lowest == nullptr || name_of(guard) < name_of(*lowest)))
      lowest = &guard;
  return lowest;
}

Evidence evidence(const ClusterState& cluster, const Guard& guard, NodeIndex n) {
  Evidence made;
  made.reason = Reason::kBreaksBudget;
  made.subject = cluster.pod(guard.pod).namespace_name + "/" + cluster.pod(guard.pod).name;
  made.limit = guard.budget->limit_us;
  made.unit = Unit::kMicros;
  const Rtt rtt = cluster.rtt_between(guard.node, n);
  if (rtt != kUnmeasured) made.measured = std::int64_t{rtt.us};
  return made;
}

class DelayBudgetFilter final : public FilterPolicy {
 public:
  std::string_view name() const override { return "DelayBudget"; }
  std::uint8_t reads() const override { return kRowStatic | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || !moves_delays(change);
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    sign_list(signature, pod.spec->budgets);
    signature.add(pod.peer_name);
    signature.add(pod.peer_workload);
    signature.add(pod.peer_workload_kind);
    if (has_identity(pod) || !pod.spec->budgets.empty()) signature.add(pod.namespace_name());
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched& touched) const override;
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;
  /// Where every budget is towards nodes and names, and nobody's budget means this pod, no pod
  /// matters.
  void listen(const ClassContext& context, const ClassState& state,
              std::vector<Topic>& topics) const override {
    const std::vector<DelayColumn>& columns = static_cast<const State&>(state).columns;
    if (has_identity(context.pod) || any_follows_pods(columns)) topics.push_back(kAnyPod);
  }
  bool passes_all(const ClassContext&, const ClassState* state) const override {
    return state == nullptr;
  }
  bool keeps_barred() const override { return true; }
  bool keep_at_once(const ClassContext& context, NodeMask& rows) const override;
  const NodeMask* barred(const ClassState* state) const override {
    return state == nullptr ? nullptr : &static_cast<const State*>(state)->barred;
  }
};

// Towards nodes: a look at their rows of the matrix says it all.
bool DelayBudgetFilter::keep_at_once(const ClassContext& context, NodeMask& rows) const {
  const ClusterState& cluster = context.cluster;
  const std::span<const NodeBudget> budgets = context.pod.node_budgets;
  if (budgets.empty() || has_identity(context.pod)) return false;
  return std::all_of(budgets.begin(), budgets.end(), [&](const NodeBudget& budget) {
    return cluster.alive().test(budget.node) &&
           keep_near(cluster, budget.node, budget.limit_us, rows);
  });
}

std::unique_ptr<ClassState> DelayBudgetFilter::prepare(const ClassContext& context) const {
  if (context.pod.spec->budgets.empty() && !has_identity(context.pod)) return nullptr;
  auto state = std::make_unique<State>();
  state->columns = make_columns(context);
  if (has_identity(context.pod))
    for (const PodIndex other : context.cluster.placed_with_budgets())
      add_guards(*state, context, other, context.cluster.node_of(other));
  find_barred(*state, context.cluster);
  return state;
}

void DelayBudgetFilter::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                               NodeIndex node, int delta, Touched&) const {
  State& known = static_cast<State&>(state);
  bool changed = false;
  for (DelayColumn& column : known.columns) changed = column.on_pod(other, node, delta) || changed;
  const std::size_t guards = known.guards.size();
  if (delta > 0 && has_identity(context.pod))
    add_guards(known, context, other, node);
  else if (delta < 0)
    std::erase_if(known.guards, [&](const Guard& guard) { return guard.pod == other; });
  if (!changed && known.guards.size() == guards) return;
  if (!changed && delta > 0) return bar_by_guards(known, context.cluster, guards);
  find_barred(known, context.cluster);
}

void DelayBudgetFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                               NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const State& known = static_cast<const State&>(*state);
  const auto explain = [&](NodeIndex n) {
    for (const DelayColumn& column : known.columns)
      if (!column.admits(n)) recorder->reject(n, column.evidence(n));
    if (const Guard* guard = broken_guard(known, context.cluster, n))
      recorder->reject(n, evidence(context.cluster, *guard, n));
  };
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, ~known.barred.word(block.first / kWordRows), recorder, explain);
  });
}

}  // namespace

std::unique_ptr<FilterPolicy> make_delay_budget_filter(const PolicyArgs&, Compat) {
  return std::make_unique<DelayBudgetFilter>();
}

}  // namespace gedge
