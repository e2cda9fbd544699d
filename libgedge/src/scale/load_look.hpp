// scale/load_look.hpp - one look of an autoscaler at a load that is played.
#pragma once

#include <cstdint>
#include <limits>

#include "gedge/base/result.hpp"
#include "gedge/scale/load_run.hpp"
#include "gedge/scale/metric.hpp"
#include "gedge/scale/normalize.hpp"
#include "gedge/scale/settings.hpp"

namespace gedge {

inline constexpr UnixSeconds kNoTime = std::numeric_limits<UnixSeconds>::min();

/// What there is when it looks.
struct LoadNow {
  std::int64_t demand_milli = 0;
  std::int32_t ready = 0, starting = 0;
  UnixSeconds now = 0;
};

/// From demand and pods to the replicas that there should be: the formula, then behavior, the rules
/// without one, or the cooldown. Keeps what has to be remembered.
class LoadLook {
 public:
  /// Both must outlive it.
  LoadLook(const LoadSetting& setting, const ScaleSettings& settings, UnixSeconds begin)
      : setting_(setting), settings_(settings), begin_(begin) {}

  std::int32_t wanted(const LoadNow& now);

 private:
  MetricAnswer ask(const LoadNow& now) const;
  std::int32_t bounded(std::int32_t proposal, std::int32_t current, UnixSeconds now);

  const LoadSetting& setting_;
  const ScaleSettings& settings_;
  UnixSeconds begin_, changed_ = kNoTime;
  ScaleHistory history_;
};

/// What one pod is to have, in thousandths. Errors: as run_load.
Result<std::int64_t> load_target(const LoadSeries& series, const LoadSetting& setting);
/// The last point counts as long as the one before did.
UnixSeconds end_of(const LoadSeries& series, const LoadSetting& setting);
std::int32_t first_replicas(const LoadSeries& series, const LoadSetting& setting,
                            std::int64_t target_milli);

}  // namespace gedge
