// render/scale_view.hpp - why an autoscaler wants so many replicas, as tables.
#pragma once

#include "gedge/base/result.hpp"
#include "gedge/scale/explain.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

Status print_scale(Stream& out, const ScaleExplanation& explanation, const TableOptions& options);

/// "60 %" of a utilization, "1500m" of others.
std::string amount_text(const MetricSpec& metric, std::int64_t amount);
/// "cpu utilization", "Pods qps".
std::string metric_title(const MetricSpec& metric);

}  // namespace gedge::cli
