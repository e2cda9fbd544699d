// gedge/scale/site_run.hpp - an autoscaler with several sites against a load that was recorded.
#pragma once

#include <cstdint>

#include "gedge/base/result.hpp"
#include "gedge/scale/load_run.hpp"
#include "gedge/scale/settings.hpp"
#include "gedge/scale/site_scaler.hpp"

namespace gedge {

/// What sites are like, for a run.
struct SiteStage {
  SiteRtts rtts;          ///< of SiteRules::order
  std::int64_t base = 0;  ///< of SiteRules::up, as the workload's template has it
};

/// As run_load, for an autoscaler that has sites. The formula and its windows say how many replicas
/// of the template's size are wanted, and see those that found no room as pods that wait;
/// SiteScaler says where they are. Whoever asks is answered as `route` says, by replicas that are
/// ready.
///
/// Errors: as run_load; demand from a site that the autoscaler does not name; a pair of sites whose
/// RTT is unknown where replicas follow the demand; those of the room.
Result<LoadRun> run_site_load(const LoadSeries& series, const LoadOrigins& origins,
                              const LoadSetting& setting, const ScaleSettings& settings,
                              const SiteStage& stage, SiteRoom& room);

}  // namespace gedge
