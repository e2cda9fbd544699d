// gedge/scale/settings.hpp - what a controller is told on its command line.
#pragma once

#include <cstdint>
#include <optional>

#include "gedge/base/units.hpp"

namespace gedge {

/// The defaults are those of kube-controller-manager.
struct ScaleSettings {
  double tolerance = 0.1;
  std::int64_t cpu_initialization_s = 300;
  std::int64_t initial_readiness_delay_s = 30;
  std::int64_t downscale_window_s = 300;
  Compat compat = Compat::k1_36;
  /// Samples that are older than this, and those from the future, count as missing; empty: none do.
  std::optional<std::int64_t> max_age_s;
};

}  // namespace gedge
