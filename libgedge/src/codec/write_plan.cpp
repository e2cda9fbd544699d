// The documents Plan, Explanation and WhatIf.
#include <algorithm>
#include <array>

#include "codec/document_sink.hpp"
#include "codec/write_parts.hpp"
#include "gedge/codec/write.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;
using codec::ValueSink;

void put_node(ValueSink& sink, std::string_view key, const std::optional<ScoredNode>& node) {
  sink.key(key);
  if (!node) return sink.null();
  sink.begin_map();
  sink.key("node");
  sink.text(node->node);
  sink.key("score");
  sink.number(node->score);
  sink.end_map();
}

void put_text(ValueSink& sink, std::string_view key, std::string_view value) {
  sink.key(key);
  sink.text(value);
}

void put_number(ValueSink& sink, std::string_view key, std::optional<std::int64_t> value) {
  sink.key(key);
  if (value)
    sink.number(*value);
  else
    sink.null();
}

void put_budget(ValueSink& sink, const BudgetReport& report) {
  sink.begin_map();
  put_text(sink, "from", report.from);
  put_number(sink, "limitUs", report.limit_us);
  put_number(sink, "rttUs", report.rtt_us);
  std::optional<std::int64_t> slack;
  if (report.rtt_us) slack = report.limit_us - *report.rtt_us;
  put_number(sink, "slackUs", slack);
  sink.end_map();
}

void put_decision(ValueSink& sink, const Decision& d) {
  sink.begin_map();
  put_text(sink, "namespace", d.namespace_name);
  put_text(sink, "pod", d.pod);
  sink.key("node");
  if (d.chosen)
    sink.text(d.chosen->node);
  else
    sink.null();
  std::optional<std::int64_t> score;
  if (d.chosen) score = d.chosen->score;
  put_number(sink, "score", score);
  put_node(sink, "runnerUp", d.runner_up);
  sink.key("budgets");
  sink.begin_list();
  for (const BudgetReport& report : d.budgets) put_budget(sink, report);
  sink.end_list();
  put_text(sink, "message", d.message);
  sink.key("rejectedBy");
  sink.begin_map();
  for (const auto& [policy, nodes] : d.rejected_by) put_number(sink, policy, nodes);
  sink.end_map();
  sink.end_map();
}

void put_plan(DocumentSink& sink, const Plan& plan, const Plan& whole) {
  put_head(sink, "Plan");
  sink.field("profile", plan.profile);
  sink.field("compat", to_string(plan.compat));
  sink.field("seed", plan.seed);
  sink.field("snapshot", plan.snapshot);
  sink.stream("decisions", plan.decisions.size(),
              [&](std::size_t i, ValueSink& item) { put_decision(item, plan.decisions[i]); });
  codec::put_remarks(sink, plan.warnings, plan.skipped);
  const std::size_t pods = whole.decisions.size(), placed = whole.placed();
  sink.field("summary", Json{{"pods", pods}, {"placed", placed}, {"unschedulable", pods - placed}});
}

/// Rejections first..last are of one policy: upstream gives it one status with all its reasons.
void put_rejection(ValueSink& sink, const Rejection* first, const Rejection* last, Compat compat) {
  const bool unresolvable = std::any_of(
      first, last, [](const Rejection& r) { return r.evidence.verdict == Verdict::kUnresolvable; });
  sink.begin_map();
  put_text(sink, "policy", first->policy);
  put_text(sink, "verdict", unresolvable ? "unresolvable" : "unschedulable");
  sink.key("reasons");
  sink.begin_list();
  for (const Rejection* r = first; r != last; ++r)
    for (const std::string& text : reason_texts(r->evidence, compat)) sink.text(text);
  sink.end_list();
  const Rejection* numbers = std::find_if(first, last, [](const Rejection& r) {
    return r.evidence.measured != kNoNumber || r.evidence.limit != kNoNumber;
  });
  if (numbers != last) {
    const Evidence& evidence = numbers->evidence;
    if (evidence.measured != kNoNumber) put_number(sink, "measured", evidence.measured);
    if (evidence.limit != kNoNumber) put_number(sink, "limit", evidence.limit);
    if (evidence.unit != Unit::kNone) put_text(sink, "unit", to_string(evidence.unit));
  }
  sink.end_map();
}

void put_rejections(ValueSink& sink, const std::vector<Rejection>& all, Compat compat) {
  if (all.empty()) return sink.empty_list();
  const Rejection* const end = all.data() + all.size();
  sink.begin_list();
  for (const Rejection* first = all.data(); first != end;) {
    const Rejection* last =
        std::find_if(first, end, [&](const Rejection& r) { return r.policy != first->policy; });
    put_rejection(sink, first, last, compat);
    first = last;
  }
  sink.end_list();
}

void put_score(ValueSink& sink, const PolicyScore& score) {
  sink.begin_map();
  put_text(sink, "policy", score.policy);
  put_number(sink, "raw", score.raw);
  put_number(sink, "normalized", score.normalized);
  put_number(sink, "weight", score.weight);
  sink.end_map();
}

void put_scores(ValueSink& sink, const std::vector<PolicyScore>& scores) {
  if (scores.empty()) return sink.empty_list();
  sink.begin_list();
  for (const PolicyScore& score : scores) put_score(sink, score);
  sink.end_list();
}

void put_node_explanation(ValueSink& sink, const NodeExplanation& node, Compat compat) {
  sink.begin_map();
  put_text(sink, "node", node.node);
  sink.key("feasible");
  sink.boolean(node.feasible);
  sink.key("rejections");
  put_rejections(sink, node.rejections, compat);
  sink.key("scores");
  put_scores(sink, node.scores);
  put_number(sink, "total", node.total);
  sink.end_map();
}

Json change(const SuggestedChange& suggested) {
  constexpr std::array<std::string_view, 3> shown{"what-if", "replan", "evaluation"};
  return Json{{"edits", suggested.edits},
              {"effect", suggested.wins ? "wins" : "schedulable"},
              {"node", suggested.node},
              {"shown", shown[static_cast<std::size_t>(suggested.shown)]}};
}

std::string_view name_of(Outcome outcome) {
  constexpr std::array<std::string_view, 5> names{"same", "placed", "moved", "lost",
                                                  "unschedulable"};
  return names[static_cast<std::size_t>(outcome)];
}

Json node_or_null(const std::string& node) { return node.empty() ? Json(nullptr) : Json(node); }

Json difference(const Difference& d) {
  return Json{{"outcome", name_of(d.outcome)},
              {"namespace", d.namespace_name},
              {"pod", d.pod},
              {"before", node_or_null(d.before)},
              {"after", node_or_null(d.after)}};
}

std::size_t count(const std::vector<Difference>& differences, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(),
                    [&](const Difference& d) { return d.outcome == outcome; }));
}

}  // namespace

std::string write(const Plan& plan, TextFormat format, const Plan* whole) {
  return codec::write_document(
      format, [&](DocumentSink& sink) { put_plan(sink, plan, whole != nullptr ? *whole : plan); });
}

std::string write(const Explanation& explanation, Compat compat, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "Explanation");
    sink.field("namespace", explanation.namespace_name);
    sink.field("pod", explanation.pod);
    sink.field("node", explanation.chosen ? Json(explanation.chosen->node) : Json(nullptr));
    sink.stream("nodes", explanation.nodes.size(), [&](std::size_t i, ValueSink& item) {
      put_node_explanation(item, explanation.nodes[i], compat);
    });
    sink.list("changes", explanation.changes.size(),
              [&](std::size_t i) { return change(explanation.changes[i]); });
  });
}

std::string write(const WhatIf& what_if, const std::vector<std::string>& edits, TextFormat format,
                  const WhatIf* whole) {
  const WhatIf& counted = whole != nullptr ? *whole : what_if;
  return codec::write_document(format, [&](DocumentSink& sink) {
    const std::vector<Difference>& shown = what_if.differences;
    const std::vector<Difference>& all = counted.differences;
    put_head(sink, "WhatIf");
    sink.field("edits", Json(edits));
    sink.list("differences", shown.size(), [&](std::size_t i) { return difference(shown[i]); });
    sink.field("summary", Json{{"placed", count(all, Outcome::kPlaced)},
                               {"moved", count(all, Outcome::kMoved)},
                               {"lost", count(all, Outcome::kLost)},
                               {"unschedulable", count(all, Outcome::kUnschedulable)}});
    sink.object("plan",
                [&](DocumentSink& inner) { put_plan(inner, what_if.after, counted.after); });
  });
}

}  // namespace gedge
