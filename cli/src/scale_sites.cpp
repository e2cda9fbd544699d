#include "scale_sites.hpp"

#include <utility>

#include "gedge/control/planned_room.hpp"
#include "gedge/scale/site_run.hpp"
#include "report.hpp"

namespace gedge::cli {

std::optional<Exit> ScaleSites::read(ProgressLine& progress, const OutputOptions& output) {
  if (const Status ages = check_ages(options_); !ages) return fail_usage(io_, ages.error());
  InputReader reader(io_, options_, rule_options_.compat(), progress);
  auto input = reader.read();
  Errors errors = reader.take_errors();
  const Errors wrong = load_rules(rule_options_, reader, rules_);
  errors.insert(errors.end(), wrong.begin(), wrong.end());
  progress.erase();
  if (reader.lacks_cluster())
    return fail_usage(io_, invalid_input("no nodes to place replicas on", {},
                                         "name a cluster: `--cluster FILE` or `--cluster "
                                         "synthetic:nodes=6,tiers=2/2/2`"));
  if (!input || !errors.empty()) return fail(io_, errors, output);
  input_ = *std::move(input);
  return std::nullopt;
}

Result<LoadRun> ScaleSites::play(const LoadReading& load, const LoadSetting& setting,
                                 const ScaleSettings& settings) const {
  LiveOptions live;
  live.profiles = rules_.profiles;
  live.rtt_by = options_.rtt_by;
  live.seed = rule_options_.seed;
  live.modules = rules_.modules.get();
  auto room = PlannedRoom::make(input_.facts, input_.rtt, std::move(live), setting.autoscaler);
  if (!room) {
    Error error = std::move(room).error();
    error.where.line = static_cast<int>(setting.autoscaler.place.line);
    error.where.column = static_cast<int>(setting.autoscaler.place.column);
    return error;
  }
  const SiteStage stage{
      site_rtts(input_.facts, input_.rtt, options_.rtt_by, *setting.autoscaler.sites),
      room->base()};
  return run_site_load(*load.series, load.origins, setting, settings, stage, *room);
}

}  // namespace gedge::cli
