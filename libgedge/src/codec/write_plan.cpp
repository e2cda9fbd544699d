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
using codec::or_null;

Json scored(const std::optional<ScoredNode>& node) {
  if (!node) return nullptr;
  return Json{{"node", node->node}, {"score", node->score}};
}

Json budget(const BudgetReport& report) {
  Json json{{"from", report.from}, {"limitUs", report.limit_us}, {"rttUs", or_null(report.rtt_us)}};
  json["slackUs"] = report.rtt_us ? Json(report.limit_us - *report.rtt_us) : Json(nullptr);
  return json;
}

Json decision(const Decision& d) {
  Json json{{"namespace", d.namespace_name}, {"pod", d.pod}};
  json["node"] = d.chosen ? Json(d.chosen->node) : Json(nullptr);
  json["score"] = d.chosen ? Json(d.chosen->score) : Json(nullptr);
  json["runnerUp"] = scored(d.runner_up);
  json["budgets"] = Json::array();
  for (const BudgetReport& report : d.budgets) json["budgets"].push_back(budget(report));
  json["message"] = d.message;
  json["rejectedBy"] = Json::object();
  for (const auto& [policy, nodes] : d.rejected_by) json["rejectedBy"][policy] = nodes;
  return json;
}

void put_plan(DocumentSink& sink, const Plan& plan, const Plan& whole) {
  put_head(sink, "Plan");
  sink.field("profile", plan.profile);
  sink.field("compat", to_string(plan.compat));
  sink.field("seed", plan.seed);
  sink.field("snapshot", plan.snapshot);
  sink.list("decisions", plan.decisions.size(),
            [&](std::size_t i) { return decision(plan.decisions[i]); });
  codec::put_remarks(sink, plan.warnings, plan.skipped);
  const std::size_t pods = whole.decisions.size(), placed = whole.placed();
  sink.field("summary", Json{{"pods", pods}, {"placed", placed}, {"unschedulable", pods - placed}});
}

/// Rejections first..last are of one policy: upstream gives it one status with all its reasons.
Json rejection(const Rejection* first, const Rejection* last, Compat compat) {
  const bool unresolvable = std::any_of(
      first, last, [](const Rejection& r) { return r.evidence.verdict == Verdict::kUnresolvable; });
  Json json{{"policy", first->policy},
            {"verdict", unresolvable ? "unresolvable" : "unschedulable"}};
  json["reasons"] = Json::array();
  for (const Rejection* r = first; r != last; ++r)
    for (const std::string& text : reason_texts(r->evidence, compat))
      json["reasons"].push_back(text);
  const Rejection* numbers = std::find_if(first, last, [](const Rejection& r) {
    return r.evidence.measured != kNoNumber || r.evidence.limit != kNoNumber;
  });
  if (numbers == last) return json;
  const Evidence& evidence = numbers->evidence;
  if (evidence.measured != kNoNumber) json["measured"] = evidence.measured;
  if (evidence.limit != kNoNumber) json["limit"] = evidence.limit;
  if (evidence.unit != Unit::kNone) json["unit"] = to_string(evidence.unit);
  return json;
}

Json rejections(const std::vector<Rejection>& all, Compat compat) {
  Json json = Json::array();
  const Rejection* const end = all.data() + all.size();
  for (const Rejection* first = all.data(); first != end;) {
    const Rejection* last =
        std::find_if(first, end, [&](const Rejection& r) { return r.policy != first->policy; });
    json.push_back(rejection(first, last, compat));
    first = last;
  }
  return json;
}

Json node_explanation(const NodeExplanation& node, Compat compat) {
  Json json{{"node", node.node}, {"feasible", node.feasible}};
  json["rejections"] = rejections(node.rejections, compat);
  json["scores"] = Json::array();
  for (const PolicyScore& score : node.scores)
    json["scores"].push_back(Json{{"policy", score.policy},
                                  {"raw", score.raw},
                                  {"normalized", score.normalized},
                                  {"weight", score.weight}});
  json["total"] = or_null(node.total);
  return json;
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
    sink.list("nodes", explanation.nodes.size(),
              [&](std::size_t i) { return node_explanation(explanation.nodes[i], compat); });
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
