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

Json run_json(const LoadRun& run) {
  Json steps = Json::array();
  for (const LoadStep& step : run.steps) steps.push_back(step_json(step));
  return Json{{"setting", run.name},
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
