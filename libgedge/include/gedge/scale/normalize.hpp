// gedge/scale/normalize.hpp - what windows, policies and bounds make of the replicas that the
// metrics ask for.
//
// Source   kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go, 1.20 and 1.36.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/scale/conditions.hpp"
#include "gedge/scale/settings.hpp"

namespace gedge {

struct ScaleRecommendation {
  std::int32_t replicas = 0;
  UnixSeconds at = 0;
  friend bool operator==(const ScaleRecommendation&, const ScaleRecommendation&) = default;
};
struct ScaleChange {
  std::int32_t change = 0;  ///< above 0 in both directions
  UnixSeconds at = 0;
  bool outdated = false;
  friend bool operator==(const ScaleChange&, const ScaleChange&) = default;
};

/// What a controller remembers of one autoscaler. Old entries are overwritten, so the lists stay as
/// long as a window has evaluations; they are not sorted by time.
struct ScaleHistory {
  std::vector<ScaleRecommendation> recommendations;
  std::vector<ScaleChange> ups, downs;
  friend bool operator==(const ScaleHistory&, const ScaleHistory&) = default;
};

struct ScaleBounds {
  std::int32_t current = 0, desired = 0;  ///< the last: what the metrics ask for
  std::int32_t min = 1, max = 1;
};

struct NormalizedScale {
  std::int32_t replicas = 0;
  std::int32_t stabilized = 0;  ///< between windows and limits
  /// What the policies of the direction allow; `stabilized` where none was asked.
  std::int32_t rate_limit = 0;
  ScaleCondition able, limited;
};

/// Records the recommendation in `history`. `behavior` null: the rules of an object without one.
NormalizedScale normalize(const ScaleBounds& bounds, const ScalingBehavior* behavior,
                          ScaleHistory& history, UnixSeconds now, const ScaleSettings& settings);

/// Remembers a change that was made; without `behavior` nobody asks for it.
void record_change(std::int32_t from, std::int32_t to, const ScalingBehavior* behavior,
                   ScaleHistory& history, UnixSeconds now);
/// So much of what was remembered then was not done after all: above 0 up, below 0 down.
void forget_change(std::int32_t change, ScaleHistory& history, UnixSeconds then);

}  // namespace gedge
