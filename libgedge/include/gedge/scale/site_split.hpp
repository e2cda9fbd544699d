// gedge/scale/site_split.hpp - how many replicas each site's own workload is to have, by what runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/scale/site_scaler.hpp"

namespace gedge {

/// What scales with a site, in the order of the sites; home's is the target.
std::vector<ObjectName> site_workloads(const Autoscaler& autoscaler);

/// Of the workload of one site.
struct SiteCount {
  std::int32_t replicas = 0;  ///< that it is to have
  std::int32_t ready = 0;     ///< of its pods
  /// At home, of those that run: HomeSize::sizes. Others are as SiteScalerOptions::home, or as
  /// comes_declared() says; empty: all of them are as the former.
  std::vector<std::int64_t> sizes = {};
};

/// Whether anything may change: else nobody has to be asked what fits. `wanted` as of SiteLook.
bool needs_split(const SiteRules& rules, std::span<const SiteCount> sites, std::int32_t wanted,
                 std::optional<UnixSeconds> moved, UnixSeconds now);

struct SiteSplit {
  std::vector<std::int32_t> replicas;  ///< [sites]
  /// Wanted, and no site that may be used now has room; those that wait already are among
  /// `replicas`.
  std::int32_t without_place = 0;
  std::optional<UnixSeconds> moved;  ///< the last move
  std::int64_t home = 0;             ///< what those at home are to have: SiteScalerOptions::home
  bool evens_out = true;             ///< false: those that are smaller stay so, as they lack room
  SiteEffects effects;
};

/// One look: SiteScaler goes on from what runs. Replicas that the room has no place for, as where a
/// node went, count as if they were not there, so others stand in for them elsewhere; whom nobody
/// stands in for waits where it is. Replicas of home grow as one, or not at all. Of each site, one
/// more than are wanted in all is asked for at the most, whatever is written there. Errors: those
/// of the room.
Result<SiteSplit> split_replicas(SiteScalerOptions options, std::span<const SiteCount> sites,
                                 const SiteLook& look, std::optional<UnixSeconds> moved,
                                 SiteRoom& room);

/// controller.kubernetes.io/pod-deletion-cost of a pod to which it is so far from those who ask:
/// whose loss costs least has the least. Empty: nobody measured it.
std::optional<std::int32_t> deletion_cost(Rtt from_home);

}  // namespace gedge
