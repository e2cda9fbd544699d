#include "gedge/codec/write_simulation.hpp"

#include <chrono>

#include "codec/document_sink.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;

std::int64_t micros(Nanos span) { return std::chrono::duration_cast<Micros>(span).count(); }

Json text_or_null(const SharedText& text) {
  return text.empty() ? Json(nullptr) : Json(text.str());
}

Json budget_json(const BudgetReport& budget) {
  return Json{{"from", budget.from},
              {"limitUs", budget.limit_us},
              {"rttUs", budget.rtt_us ? Json(*budget.rtt_us) : Json(nullptr)},
              {"slackUs", budget.rtt_us ? Json(budget.limit_us - *budget.rtt_us) : Json(nullptr)}};
}

Json event_json(const SimulationEvent& event) {
  Json budgets = Json::array();
  for (const BudgetReport& budget : event.budgets) budgets.push_back(budget_json(budget));
  Json replaces = nullptr;
  if (!event.replaces.empty())
    replaces = Json{{"pod", event.replaces.str()}, {"node", text_or_null(event.was_on)}};
  return Json{{"atUs", micros(event.at)},
              {"what", to_string(event.what)},
              {"namespace", text_or_null(event.namespace_name)},
              {"pod", text_or_null(event.pod)},
              {"node", text_or_null(event.node)},
              {"budgets", budgets},
              {"replaces", replaces},
              {"sinceLostUs", event.since_lost ? Json(micros(*event.since_lost)) : Json(nullptr)},
              {"note", event.note}};
}

Json breach_json(const Breach& breach) {
  return Json{{"seed", breach.seed},
              {"atUs", micros(breach.at)},
              {"invariant", breach.invariant},
              {"text", breach.text}};
}

Json summary_json(const SimulationSummary& summary) {
  return Json{{"pods", summary.pods},
              {"placed", summary.placed},
              {"unschedulable", summary.pods - summary.placed},
              {"overBudget", summary.over_budget},
              {"created", summary.created},
              {"bound", summary.bound},
              {"replaced", summary.replaced},
              {"moved", summary.moved},
              {"longestRebindUs", micros(summary.longest_rebind)},
              {"attempts", summary.attempts},
              {"faults", summary.faults}};
}

}  // namespace

std::string write(const Simulation& simulation, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "Simulation");
    sink.field("profile", simulation.profile);
    sink.field("compat", to_string(simulation.compat));
    sink.field("seed", simulation.seed);
    sink.field("runs", simulation.runs);
    sink.field("durationUs", micros(simulation.duration));
    sink.list("events", simulation.events.size(),
              [&](std::size_t i) { return event_json(simulation.events[i]); });
    sink.list("breaches", simulation.breaches.size(),
              [&](std::size_t i) { return breach_json(simulation.breaches[i]); });
    sink.field("summary", summary_json(simulation.summary));
  });
}

}  // namespace gedge
