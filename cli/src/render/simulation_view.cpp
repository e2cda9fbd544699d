#include "render/simulation_view.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gedge/model/fact_name.hpp"
#include "render/numbers.hpp"

namespace gedge::cli {
namespace {

std::int64_t micros(Nanos span) { return std::chrono::duration_cast<Micros>(span).count(); }

// Moments and spans of minutes: seconds throughout.
std::string seconds(Nanos span) {
  const std::int64_t tenths = micros(span) / 100'000;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " s";
}

bool is_shown(const SimulationEvent& event, bool wide) {
  if (wide) return true;
  switch (event.what) {
    case Happening::kCreated:
    case Happening::kRunning:
    case Happening::kGone:
      return false;
    default:
      return true;
  }
}

Ink ink_of(Happening what) {
  switch (what) {
    case Happening::kBound:
    case Happening::kNodeReady:
      return Ink::kGood;
    case Happening::kUnschedulable:
    case Happening::kNodeFailed:
      return Ink::kBad;
    case Happening::kNodeUnreachable:
    case Happening::kDeleted:
      return Ink::kWarn;
    default:
      return Ink::kPlain;
  }
}

std::string note_of(const SimulationEvent& event) {
  if (event.replaces.empty()) return event.note;
  std::string note = "for " + event.replaces;
  if (!event.was_on.empty()) note += " of " + event.was_on;
  if (event.since_lost) note += ", lost for " + seconds(*event.since_lost);
  return note;
}

const BudgetReport* tightest(const SimulationEvent& event) {
  const auto slack = [](const BudgetReport& budget) {
    return budget.rtt_us ? budget.limit_us - *budget.rtt_us
                         : std::numeric_limits<std::int64_t>::min();
  };
  const auto at = std::min_element(
      event.budgets.begin(), event.budgets.end(),
      [&](const BudgetReport& a, const BudgetReport& b) { return slack(a) < slack(b); });
  return at == event.budgets.end() ? nullptr : &*at;
}

std::string name_of(const SimulationEvent& event, bool with_namespace) {
  if (event.pod.empty() || !with_namespace) return event.pod;
  return event.namespace_name + "/" + event.pod;
}

}  // namespace

Status print_simulation(Stream& out, const Simulation& simulation, const TableOptions& options) {
  std::vector<std::int64_t> spans;
  std::string home;
  bool with_namespace = false;
  for (const SimulationEvent& event : simulation.events) {
    if (const BudgetReport* budget = tightest(event)) {
      spans.push_back(budget->limit_us);
      if (budget->rtt_us) spans.push_back(*budget->rtt_us);
    }
    if (event.pod.empty()) continue;
    if (home.empty()) home = event.namespace_name;
    with_namespace = with_namespace || event.namespace_name != home;
  }
  const DurationColumn units(spans);
  Table table({{"TIME", Align::kRight},
               {"WHAT"},
               {"POD", Align::kLeft, Shrink::kLast},
               {"NODE", Align::kLeft, Shrink::kLast},
               {"RTT", Align::kRight},
               {"BUDGET", Align::kRight},
               {"NOTE", Align::kLeft, Shrink::kFlows}});
  for (const SimulationEvent& event : simulation.events) {
    if (!is_shown(event, options.wide)) continue;
    const BudgetReport* const budget = tightest(event);
    const bool is_measured = budget != nullptr && budget->rtt_us.has_value();
    table.add(
        {{seconds(event.at), Ink::kPlain, micros(event.at)},
         {std::string(to_string(event.what)), ink_of(event.what)},
         {name_of(event, with_namespace)},
         {event.node},
         is_measured ? Cell{units.text(*budget->rtt_us), Ink::kPlain, *budget->rtt_us} : Cell{},
         budget != nullptr ? Cell{units.text(budget->limit_us), Ink::kPlain, budget->limit_us}
                           : Cell{},
         {note_of(event)}});
  }
  return finish_table(std::move(table), out, options);
}

Status print_runs(Stream& out, const Simulation& simulation, const TableOptions& options) {
  Table table({{"RUNS", Align::kRight},
               {"FAULTS", Align::kRight},
               {"BOUND", Align::kRight},
               {"REPLACED", Align::kRight},
               {"BREACHES", Align::kRight}});
  const SimulationSummary& summary = simulation.summary;
  std::vector<Cell> row;
  for (const std::uint64_t count : {simulation.runs, summary.faults, summary.bound,
                                    summary.replaced, std::uint64_t{simulation.breaches.size()}})
    row.push_back({std::to_string(count)});
  table.add(std::move(row));
  return finish_table(std::move(table), out, options);
}

void print_simulation_summary(Stream& err, const Simulation& simulation) {
  const SimulationSummary& summary = simulation.summary;
  err.line(std::to_string(summary.placed) + " of " + counted(summary.pods, "pod") +
           " placed at the end; " + counted(summary.bound, "bind"));
  if (summary.replaced > 0)
    err.line(counted(summary.replaced, "pod") + " bound for others that were lost, " +
             std::to_string(summary.moved) + " on another node, the last " +
             seconds(summary.longest_rebind) + " after the loss");
  if (summary.over_budget > 0)
    err.line(counted(summary.over_budget, "pod") + " over a delay budget at the end");
  std::map<PodName, std::string> waiting;
  for (const SimulationEvent& event : simulation.events) {
    const PodName pod{event.namespace_name, event.pod};
    if (event.what == Happening::kUnschedulable) waiting[pod] = event.note;
    if (event.what == Happening::kBound || event.what == Happening::kGone) waiting.erase(pod);
  }
  constexpr std::size_t kMost = 3;
  std::size_t shown = 0;
  for (const auto& [pod, why] : waiting) {
    if (++shown > kMost) break;
    err.line(pod.name + " is unschedulable: " + why);
  }
  if (waiting.size() > kMost)
    err.line("... and " + counted(waiting.size() - kMost, "pod") + " more");
}

}  // namespace gedge::cli
