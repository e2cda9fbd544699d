#include "gedge/codec/write_load.hpp"

#include "codec/document_sink.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;

Json step_json(const LoadStep& step) {
  return Json{{"at", codec::format_timestamp(step.at)},
              {"demandMilli", step.demand_milli},
              {"replicas", step.replicas},
              {"ready", step.ready}};
}

Json rtt_json(Rtt rtt) { return rtt == kUnmeasured ? Json(nullptr) : Json(rtt.us); }

Json users_json(const SitesOfRun& sites) {
  if (sites.users.empty()) return nullptr;
  Json users{{"meanUs", rtt_json(sites.users.mean())},
             {"p50Us", rtt_json(sites.users.quantile(0.5))},
             {"p95Us", rtt_json(sites.users.quantile(0.95))}};
  if (sites.budget_us) users["beyondBudget"] = sites.users.share_beyond(*sites.budget_us);
  return users;
}

Json change_json(const SiteChange& change, const SitesOfRun& sites) {
  const SiteEffect& effect = change.effect;
  Json json{{"at", codec::format_timestamp(change.at)},
            {"step", to_string(effect.step)},
            {"replica", effect.replica},
            {"site", sites.sites[effect.site].name}};
  if (effect.step == SiteStep::kUp || effect.step == SiteStep::kDown)
    json["amount"] = effect.amount;
  return json;
}

Json sites_json(const SitesOfRun& sites) {
  Json uses = Json::array(), changes = Json::array(), rest = Json::array();
  for (const SiteUse& use : sites.sites)
    uses.push_back(Json{{"name", use.name},
                        {"rttUs", rtt_json(use.rtt)},
                        {"withinBudget", use.in_budget},
                        {"mostReplicas", use.most},
                        {"replicaSeconds", use.replica_seconds}});
  for (const SiteChange& change : sites.changes) changes.push_back(change_json(change, sites));
  for (const SiteRest& left : sites.rest)
    rest.push_back(Json{{"replica", left.replica.id},
                        {"site", sites.sites[left.replica.site].name},
                        {"deletionCost", left.deletion_cost}});
  return Json{{"sites", uses},
              {"moves", sites.moves},
              {"users", users_json(sites)},
              {"changes", changes},
              {"left", rest}};
}

Json run_json(const LoadRun& run) {
  Json steps = Json::array();
  for (const LoadStep& step : run.steps) steps.push_back(step_json(step));
  Json json{{"setting", run.name},
            {"begin", codec::format_timestamp(run.begin)},
            {"end", codec::format_timestamp(run.end)},
            {"targetMilli", run.target_milli},
            {"fewestReplicas", run.fewest},
            {"mostReplicas", run.most},
            {"scaledOut", run.outs},
            {"scaledIn", run.ins},
            {"replicaSeconds", run.replica_seconds},
            {"aboveTargetSeconds", run.short_seconds},
            {"reactionSeconds", run.reactions_s},
            {"steps", steps}};
  if (run.sites) json["overSites"] = sites_json(*run.sites);
  return json;
}

}  // namespace

std::string write(const std::vector<LoadRun>& runs, Compat compat, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    codec::put_head(sink, "ScaleSimulation");
    sink.field("compat", to_string(compat));
    sink.list("runs", runs.size(), [&](std::size_t i) { return run_json(runs[i]); });
  });
}

}  // namespace gedge
