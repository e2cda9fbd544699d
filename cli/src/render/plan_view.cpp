#include "render/plan_view.hpp"

#include <algorithm>
#include <map>

#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kNamesOfAReason = 3;
constexpr std::size_t kReasonsShown = 10;
constexpr std::int64_t kNearShare = 10;  // slack under a tenth of the budget is near

// Pods by namespace and name; Plan has them in queue order.
std::vector<const Decision*> by_name(const Plan& plan) {
  std::vector<const Decision*> rows;
  for (const Decision& decision : plan.decisions) rows.push_back(&decision);
  std::stable_sort(rows.begin(), rows.end(), [](const Decision* a, const Decision* b) {
    return std::tie(a->namespace_name, a->pod) < std::tie(b->namespace_name, b->pod);
  });
  return rows;
}

std::optional<std::int64_t> slack_of(const BudgetReport& budget) {
  if (!budget.rtt_us) return std::nullopt;
  return budget.limit_us - *budget.rtt_us;
}

// RTT, budget and slack share a unit: they are read together.
DurationColumn budget_units(const std::vector<const Decision*>& rows) {
  std::vector<std::int64_t> micros;
  for (const Decision* decision : rows) {
    const BudgetReport* budget = tightest_budget(*decision);
    if (budget == nullptr) continue;
    micros.push_back(budget->limit_us);
    if (budget->rtt_us) micros.push_back(*budget->rtt_us);
  }
  return DurationColumn(micros);
}

Ink ink_of_slack(std::int64_t slack, std::int64_t limit) {
  if (slack < 0) return Ink::kBad;
  return slack < limit / kNearShare ? Ink::kWarn : Ink::kPlain;
}

void add_budget_cells(std::vector<Cell>& row, const BudgetReport* budget,
                      const DurationColumn& units) {
  const auto duration = [&](std::optional<std::int64_t> micros, Ink ink) {
    row.push_back(micros ? Cell{units.text(*micros), ink, *micros} : Cell{});
  };
  if (budget == nullptr) {
    row.insert(row.end(), 3, Cell{});
    return;
  }
  const auto slack = slack_of(*budget);
  duration(budget->rtt_us, Ink::kPlain);
  duration(budget->limit_us, Ink::kPlain);
  duration(slack, slack ? ink_of_slack(*slack, budget->limit_us) : Ink::kPlain);
}

// Unplaced pods that were refused for the same reason.
struct Refusal {
  std::string message;
  std::vector<const Decision*> pods;
};

std::vector<Refusal> refusals_of(const Plan& plan) {
  std::vector<Refusal> refusals;
  std::map<std::string_view, std::size_t> index_of;
  for (const Decision& decision : plan.decisions) {
    if (decision.chosen) continue;
    const auto [at, is_new] = index_of.try_emplace(decision.message, refusals.size());
    if (is_new) refusals.push_back({decision.message, {}});
    refusals[at->second].pods.push_back(&decision);
  }
  return refusals;
}

std::string names_of(const Refusal& refusal, bool with_namespace) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(refusal.pods.size(), kNamesOfAReason); ++i)
    names.push_back((with_namespace ? refusal.pods[i]->namespace_name + '/' : "") +
                    refusal.pods[i]->pod);
  const std::size_t more = refusal.pods.size() - names.size();
  if (more > 0) names.push_back(std::to_string(more) + " more");
  return join_words(names);
}

}  // namespace

const BudgetReport* tightest_budget(const Decision& decision) {
  const BudgetReport* tightest = nullptr;
  const auto tighter = [&](const BudgetReport& a, const BudgetReport& b) {
    if (!decision.chosen) return a.limit_us < b.limit_us;
    const auto left = slack_of(a), right = slack_of(b);
    return left.has_value() != right.has_value() ? !left.has_value() : left < right;
  };
  for (const BudgetReport& budget : decision.budgets)
    if (tightest == nullptr || tighter(budget, *tightest)) tightest = &budget;
  return tightest;
}

namespace {

Table plan_table(const Plan& plan, const TableOptions& options) {
  const std::vector<const Decision*> rows = by_name(plan);
  const DurationColumn units = budget_units(rows);
  const bool namespaces = options.namespaces || several_namespaces(plan.decisions);
  std::vector<Column> columns;
  if (namespaces) columns.push_back({"NAMESPACE", Align::kLeft, Shrink::kLast});
  columns.insert(columns.end(), {{"POD", Align::kLeft, Shrink::kLast},
                                 {"NODE", Align::kLeft, Shrink::kLast},
                                 {"SCORE", Align::kRight},
                                 {"RTT", Align::kRight},
                                 {"BUDGET", Align::kRight},
                                 {"SLACK", Align::kRight}});
  if (options.wide)
    columns.insert(columns.end(), {{"FROM", Align::kLeft, Shrink::kLast, true},
                                   {"RUNNER-UP", Align::kLeft, Shrink::kLast, true}});

  Table table(std::move(columns));
  for (const Decision* decision : rows) {
    std::vector<Cell> row;
    if (namespaces) row.push_back({decision->namespace_name});
    row.push_back({decision->pod, decision->chosen ? Ink::kPlain : Ink::kBad});
    row.push_back(decision->chosen ? Cell{decision->chosen->node, Ink::kGood} : Cell{});
    row.push_back(decision->chosen ? Cell{std::to_string(decision->chosen->score), Ink::kPlain,
                                          decision->chosen->score}
                                   : Cell{});
    const BudgetReport* budget = tightest_budget(*decision);
    add_budget_cells(row, budget, units);
    if (options.wide) {
      row.push_back({budget != nullptr ? budget->from : ""});
      row.push_back({decision->runner_up ? decision->runner_up->node : ""});
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

Status print_plan(Stream& out, const Plan& plan, const TableOptions& options) {
  if (!options.names) return finish_table(plan_table(plan, options), out, options);
  Plan placed = plan;
  std::erase_if(placed.decisions, [](const Decision& decision) { return !decision.chosen; });
  if (!options.sort_by.empty())
    return finish_table(plan_table(placed, options), out, options, "POD", "pod/");
  for (const Decision& decision : placed.decisions) out.line("pod/" + decision.pod);
  return {};
}

Status finish_table(Table table, Stream& out, const TableOptions& options, std::string_view named,
                    std::string_view prefix) {
  if (!options.sort_by.empty()) GEDGE_TRY(table.sort_by(options.sort_by));
  if (options.names)
    for (const std::string& name : table.column(named)) out.line(std::string(prefix) + name);
  else
    table.print(out, options.headers);
  return {};
}

void print_plan_summary(Stream& err, const Plan& plan, ExplainHint explain, bool every_reason) {
  const std::size_t pods = plan.decisions.size(), placed = plan.placed();
  if (pods == 0) return err.line("no pods to place");
  if (placed == pods) return;
  const bool namespaces = several_namespaces(plan.decisions);
  const std::vector<Refusal> refusals = refusals_of(plan);
  std::string line = std::to_string(placed) + " of " + counted(pods, "pod") + " placed; ";
  const bool one_reason = refusals.size() == 1;
  if (one_reason)
    line += names_of(refusals[0], namespaces) + (pods - placed == 1 ? " is" : " are");
  else
    line += std::to_string(pods - placed) + " are";
  err.line(escape_controls(line) + " unschedulable:");
  const std::size_t shown =
      every_reason ? refusals.size() : std::min(refusals.size(), kReasonsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string names = escape_controls(names_of(refusals[i], namespaces));
    if (!one_reason) err.line("  " + err.style().paint(Ink::kBad, names) + ':');
    err.line((one_reason ? "  " : "    ") + escape_controls(refusals[i].message));
  }
  if (refusals.size() > shown)
    err.line("  ... and " + counted(refusals.size() - shown, "more reason"));
  std::string& command = explain.command;
  if (command.empty()) return;
  const Decision& first = *refusals[0].pods[0];
  const std::string prefix = first.namespace_name == explain.home ? "" : first.namespace_name + '/';
  command.replace(command.find("POD"), 3, prefix + first.pod);
  err.line("  " + err.style().paint(Ink::kDim, "see: " + escape_controls(command)));
}

}  // namespace gedge::cli
