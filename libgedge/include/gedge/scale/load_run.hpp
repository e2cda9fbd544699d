// gedge/scale/load_run.hpp - an autoscaler against a load that was recorded, on a clock that jumps.
//
// A closed loop: the load is the total demand, its pods share it evenly, and pods that start take
// none. What the metric says is the demand over the pods that are ready.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/scale/normalize.hpp"
#include "gedge/scale/site_scaler.hpp"
#include "gedge/scale/users.hpp"

namespace gedge {

/// The demand from a moment on, until the next point.
struct LoadPoint {
  UnixSeconds at = 0;
  std::int64_t milli = 0;
  friend bool operator==(const LoadPoint&, const LoadPoint&) = default;
};
/// Sorted by time, each time once.
using LoadSeries = std::vector<LoadPoint>;

/// The same demand by where it comes from.
struct LoadOrigins {
  std::vector<std::string> sites;                ///< by name; empty: nobody says
  std::vector<std::vector<std::int64_t>> milli;  ///< [sites][points of the series]
};

/// Changes at most so often instead of windows and policies, as GS-Engine's autoscaler: out after
/// `out_s` without a change, in after `in_s`.
struct Cooldown {
  std::int64_t out_s = 180, in_s = 300;
};

/// One way to scale.
struct LoadSetting {
  std::string name;
  Autoscaler autoscaler;             ///< with one metric
  std::optional<Cooldown> cooldown;  ///< empty: behavior, or the rules without one
  std::int64_t every_s = 15;         ///< from one look to the next
  std::int64_t startup_s = 10;       ///< from the change to a pod that is ready
  std::int32_t first = 0;            ///< replicas at the beginning; 0: as many as the load needs
  std::int64_t request_milli = 0;    ///< of a pod, where the target is a utilization
};

/// From here on there are so many.
struct LoadStep {
  UnixSeconds at = 0;
  std::int64_t demand_milli = 0;
  std::int32_t replicas = 0, ready = 0;
};

/// One of the sites that replicas could go to.
struct SiteUse {
  std::string name;
  Rtt rtt;                ///< from home
  bool in_budget = true;  ///< else no replica goes there, where the sites have an order
  std::int32_t most = 0;  ///< replicas
  std::int64_t replica_seconds = 0;
};

struct SiteChange {
  UnixSeconds at = 0;
  SiteEffect effect;
};

/// A replica that is left at the end.
struct SiteRest {
  SiteReplica replica;
  std::int32_t deletion_cost = 0;
};

struct SitesOfRun {
  std::vector<SiteUse> sites;  ///< in their order
  std::vector<SiteChange> changes;
  std::int32_t moves = 0;  ///< looks that a hysteresis bounds, see SiteScaler
  UserRtts users;          ///< empty where the RTT of a pair of sites is unknown
  std::optional<std::int64_t> budget_us;
  std::vector<SiteRest> rest;
};

struct LoadRun {
  std::string name;
  std::vector<LoadStep> steps;  ///< whenever one of the three changes
  UnixSeconds begin = 0, end = 0;
  std::int64_t target_milli = 0;  ///< of one pod
  std::int64_t replica_seconds = 0;
  std::int64_t short_seconds = 0;  ///< in which the pods that are ready have more than the target
  std::int32_t most = 0, fewest = 0;  ///< replicas
  std::int32_t outs = 0, ins = 0;     ///< changes
  /// From the moment that the demand needs more than is ready to the moment that enough is, each
  /// time; what is still short at the end is not among them.
  std::vector<std::int64_t> reactions_s;
  /// Where replicas may be on several sites. A larger replica counts as its size in `steps`, and
  /// as one elsewhere.
  std::optional<SitesOfRun> sites;
};

/// The pods that a demand needs, each at the target.
std::int32_t pods_for(std::int64_t demand_milli, std::int64_t target_milli);

/// Errors: kInvalidInput for an empty series, more than ten million looks, and, with the line and
/// column of the autoscaler but no file, several metrics, a utilization without a request, a
/// largest number of replicas above a million. Cost: O(looks * replicas).
Result<LoadRun> run_load(const LoadSeries& series, const LoadSetting& setting,
                         const ScaleSettings& settings);

}  // namespace gedge
