#include "render/explain_view.hpp"

#include <algorithm>
#include <functional>

#include "render/numbers.hpp"
#include "render/reason_text.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

using Rows = std::vector<const NodeExplanation*>;

constexpr std::size_t kNodeHeader = 16;  // columns of a terminal for a node's name above its scores

std::string reasons_of(const NodeExplanation& node, std::string_view policy, Compat compat) {
  std::string text;
  for (const Rejection& rejection : node.rejections)
    if (rejection.policy == policy)
      text += (text.empty() ? "" : ", ") + short_reason(rejection.evidence, compat);
  return text;
}

bool rejects_anywhere(const Rows& rows, std::string_view policy) {
  return std::any_of(rows.begin(), rows.end(), [&](const NodeExplanation* node) {
    return std::any_of(node->rejections.begin(), node->rejections.end(),
                       [&](const Rejection& rejection) { return rejection.policy == policy; });
  });
}

void print_title(Stream& out, std::string_view title) {
  out.line(""), out.line(out.style().paint(Ink::kStrong, title));
}

Cell verdict_cell(const NodeExplanation& node) {
  return node.feasible ? Cell{"feasible", Ink::kGood} : Cell{"rejected", Ink::kBad};
}

// One column for each filter that rejects a node.
Table filter_matrix(const Rows& rows, const std::vector<std::string>& rejecting, Compat compat) {
  std::vector<Column> columns{{"NODE", Align::kLeft, Shrink::kLast}};
  for (const std::string& policy : rejecting) columns.push_back({policy});
  columns.push_back({"VERDICT"});

  Table table(std::move(columns));
  for (const NodeExplanation* node : rows) {
    std::vector<Cell> row{{node->node}};
    for (const std::string& policy : rejecting) {
      const std::string reasons = reasons_of(*node, policy, compat);
      row.push_back(reasons.empty() ? Cell{"ok"} : Cell{reasons, Ink::kBad});
    }
    row.push_back(verdict_cell(*node));
    table.add(std::move(row));
  }
  return table;
}

// One row for each reason, for terminals that are too narrow for the matrix.
Table filter_list(const Rows& rows, Compat compat, std::size_t subject_width) {
  Table table({{"NODE", Align::kLeft, Shrink::kLast},
               {"VERDICT"},
               {"POLICY", Align::kLeft, Shrink::kFirst},
               {"REASON"}});
  for (const NodeExplanation* node : rows) {
    if (node->rejections.empty()) table.add({{node->node}, verdict_cell(*node), {}, {}});
    for (const Rejection& rejection : node->rejections)
      table.add({{node->node},
                 verdict_cell(*node),
                 {rejection.policy},
                 {short_reason(rejection.evidence, compat, subject_width), Ink::kBad}});
  }
  return table;
}

// Filters that reject none are named below.
void print_filters(Stream& out, const Rows& rows, const Profile& profile, bool headers) {
  constexpr std::size_t kWidestSubject = 40, kLeastSubject = 8;
  std::vector<std::string> rejecting, silent;
  for (const ProfileEntry& filter : profile.filters)
    (rejects_anywhere(rows, filter.policy) ? rejecting : silent).push_back(filter.policy);
  Table table = filter_matrix(rows, rejecting, profile.compat);
  for (std::size_t width = kWidestSubject; !table.fits(out, headers) && width >= kLeastSubject;
       width -= kLeastSubject)
    table = filter_list(rows, profile.compat, width);
  table.print(out, headers);
  if (!silent.empty())
    out.line(out.style().paint(Ink::kDim, "ok on every node: " + join_words(silent, ", ", ", ")));
}

std::string word_of(const Explanation& explanation, const std::string& node) {
  if (explanation.chosen && explanation.chosen->node == node) return "chosen";
  return explanation.runner_up && explanation.runner_up->node == node ? "runner-up" : "";
}

bool is_chosen(const Explanation& explanation, const NodeExplanation& node) {
  return explanation.chosen && explanation.chosen->node == node.node;
}

// A row a node, a column a policy.
Table score_matrix(const Explanation& explanation, const Rows& rows) {
  std::vector<Column> columns{{"NODE", Align::kLeft, Shrink::kLast}};
  for (const PolicyScore& score : rows[0]->scores)
    columns.push_back({score.policy + " x" + std::to_string(score.weight), Align::kRight});
  columns.push_back({"TOTAL", Align::kRight});
  columns.push_back({"RANK"});
  Table table(std::move(columns));
  for (const NodeExplanation* node : rows) {
    const Ink ink = is_chosen(explanation, *node) ? Ink::kStrong : Ink::kPlain;
    std::vector<Cell> row{{node->node, ink}};
    for (const PolicyScore& score : node->scores) row.push_back({std::to_string(score.normalized)});
    row.push_back({std::to_string(*node->total), ink});
    row.push_back({word_of(explanation, node->node), ink});
    table.add(std::move(row));
  }
  return table;
}

// A row a policy, a column a node: for terminals that are too narrow for the matrix. Nodes that
// have no room are counted.
void print_score_list(Stream& out, const Rows& rows, bool headers) {
  const auto list_of = [&](std::size_t nodes) {
    std::vector<Column> columns{{"POLICY", Align::kLeft, Shrink::kLast}, {"WEIGHT", Align::kRight}};
    for (std::size_t i = 0; i < nodes; ++i)
      columns.push_back(
          {shorten_middle(escape_controls(rows[i]->node), kNodeHeader), Align::kRight});
    Table table(std::move(columns));
    for (std::size_t at = 0; at < rows[0]->scores.size(); ++at) {
      const PolicyScore& first = rows[0]->scores[at];
      std::vector<Cell> row{{first.policy}, {'x' + std::to_string(first.weight)}};
      for (std::size_t i = 0; i < nodes; ++i)
        row.push_back({std::to_string(rows[i]->scores[at].normalized)});
      table.add(std::move(row));
    }
    std::vector<Cell> totals{{"total"}, {}};
    for (std::size_t i = 0; i < nodes; ++i) totals.push_back({std::to_string(*rows[i]->total)});
    table.add(std::move(totals));
    return table;
  };
  std::size_t nodes = std::min(rows.size(), out.width());  // a node takes more than one column
  while (nodes > 1 && !list_of(nodes).fits(out, headers)) --nodes;
  list_of(nodes).print(out, headers);
  if (nodes < rows.size())
    out.line(out.style().paint(Ink::kDim, "and " + counted(rows.size() - nodes, "node") +
                                              " with lower totals; -o json has all"));
}

// Normalised scores, best node first.
void print_scores(Stream& out, const Explanation& explanation, Rows rows, const Profile& profile,
                  bool headers) {
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [](const NodeExplanation* node) { return !node->total; }),
             rows.end());
  if (rows.empty() || profile.scores.empty()) return;
  std::stable_sort(
      rows.begin(), rows.end(), [&](const NodeExplanation* a, const NodeExplanation* b) {
        return *a->total != *b->total ? *a->total > *b->total
                                      : is_chosen(explanation, *a) > is_chosen(explanation, *b);
      });
  print_title(out, "Scores (0-100; total = weighted sum)");
  const Table matrix = score_matrix(explanation, rows);
  if (matrix.fits(out, headers))
    matrix.print(out, headers);
  else
    print_score_list(out, rows, headers);
}
void print_budgets(Stream& out, const Explanation& explanation, bool headers) {
  if (explanation.budgets.empty()) return;
  std::vector<std::int64_t> micros;
  for (const BudgetReport& budget : explanation.budgets) {
    micros.push_back(budget.limit_us);
    if (budget.rtt_us) micros.push_back(*budget.rtt_us);
  }
  const DurationColumn units(micros);
  print_title(out, "Delay budgets");
  Table table({{"FROM", Align::kLeft, Shrink::kLast},
               {"RTT", Align::kRight},
               {"BUDGET", Align::kRight},
               {"SLACK", Align::kRight}});
  for (const BudgetReport& budget : explanation.budgets) {
    const std::string rtt = budget.rtt_us ? units.text(*budget.rtt_us) : "";
    const std::string slack = budget.rtt_us ? units.text(budget.limit_us - *budget.rtt_us) : "";
    table.add({{budget.from}, {rtt}, {units.text(budget.limit_us)}, {slack}});
  }
  table.print(out, headers);
}

std::string_view condition_of(Shown shown, bool is_bound) {
  switch (shown) {
    case Shown::kWhatIf:
      return "";
    case Shown::kReplan:
      return ", everything planned anew (--replan)";
    case Shown::kEvaluation:
      return is_bound ? ", placed anew; no plan moves a bound pod"
                      : ", at its turn in the queue; no plan that was tried puts it there";
  }
  return "";
}

void print_changes(Stream& out, const std::vector<SuggestedChange>& changes, bool is_bound) {
  print_title(out, "What would change this");
  if (changes.empty()) return out.line("  no set of edits that was tried");
  bool planned = false, replans = false;
  for (const SuggestedChange& change : changes) {
    const std::string effect = change.wins ? " wins with " : " becomes feasible with ";
    std::string line = "  " + escape_controls(change.node) + effect;
    line += escape_controls(join_words(change.edits));
    out.line(line.append(condition_of(change.shown, is_bound)));
    planned = planned || change.shown != Shown::kEvaluation;
    replans = replans || change.shown == Shown::kReplan;
  }
  if (planned)
    out.line(out.style().paint(
        Ink::kDim, std::string("  other pods may lose their place: gedge plan --what-if EDIT") +
                       (replans ? " --replan" : "") + " shows which"));
}

std::string score_of(const ScoredNode& node) {
  return escape_controls(node.node) + " (" + std::to_string(node.score) + ')';
}

std::string verdict_line(Stream& out, const Explanation& explanation) {
  const std::string pod = escape_controls(explanation.pod);
  if (!explanation.chosen)
    return pod + " is " + out.style().paint(Ink::kBad, "unschedulable") + ": " +
           escape_controls(explanation.message);
  std::string line =
      pod + " -> " + out.style().paint(Ink::kStrong, escape_controls(explanation.chosen->node));
  line += "   score " + std::to_string(explanation.chosen->score);
  return line + (explanation.runner_up ? ", runner-up " + score_of(*explanation.runner_up)
                                       : ", no other node is feasible");
}

void print_verdict(Stream& out, const Explanation& explanation, std::string_view bound_node) {
  if (!bound_node.empty())
    out.line(escape_controls(explanation.pod) + " is bound to " + escape_controls(bound_node) +
             "; placed anew, with everything else as it is:");
  out.line(verdict_line(out, explanation));
}

Rows all_nodes(const Explanation& explanation,
               const std::function<bool(const NodeExplanation&)>& wanted) {
  Rows rows;
  for (const NodeExplanation& node : explanation.nodes)
    if (wanted(node)) rows.push_back(&node);
  return rows;
}

void print_node_matrices(Stream& out, const Explanation& explanation, const Rows& rows,
                         const Profile& profile, bool headers) {
  const auto feasible = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const NodeExplanation* node) { return node->feasible; }));
  print_title(out, "Filters (" + counted(rows.size(), "node") + ", " + std::to_string(feasible) +
                       " feasible)");
  print_filters(out, rows, profile, headers);
  print_scores(out, explanation, rows, profile, headers);
}

}  // namespace

void print_explanation(Stream& out, const Explanation& explanation, const Profile& profile,
                       std::string_view bound_node, bool headers) {
  print_verdict(out, explanation, bound_node);
  print_budgets(out, explanation, headers);
  print_node_matrices(out, explanation,
                      all_nodes(explanation, [](const NodeExplanation&) { return true; }), profile,
                      headers);
  print_changes(out, explanation.changes, !bound_node.empty());
}

void print_why_not(Stream& out, const Explanation& explanation, const Profile& profile,
                   std::string_view bound_node, std::string_view node, bool headers) {
  const auto is_shown = [&](const NodeExplanation& candidate) {
    return candidate.node == node ||
           (explanation.chosen && candidate.node == explanation.chosen->node);
  };
  print_verdict(out, explanation, bound_node);
  print_node_matrices(out, explanation, all_nodes(explanation, is_shown), profile, headers);
  if (explanation.chosen && explanation.chosen->node == node) return;
  print_changes(out, explanation.changes, !bound_node.empty());
}

}  // namespace gedge::cli
