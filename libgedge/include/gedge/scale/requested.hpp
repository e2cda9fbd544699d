// gedge/scale/requested.hpp - what a pod requests of that which a metric is about.
#pragma once

#include <cstdint>
#include <optional>

#include "gedge/base/units.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge {

/// In thousandths, of the containers that the metric is about. Empty: one of them does not say, or
/// nothing at all is requested.
std::optional<std::int64_t> requested_milli(const ScaledTemplate& made_of, const MetricSpec& metric,
                                            Compat compat);

}  // namespace gedge
