// gedge/scale/status_text.hpp - what a status and its Events say in words, as the controller of
// Kubernetes says it.
#pragma once

#include <string>

#include "gedge/scale/reconcile.hpp"

namespace gedge {

/// "cpu resource utilization (percentage of request)".
std::string describe(const MetricSpec& metric);
/// Why there should be more replicas, or fewer.
std::string rescale_reason(const Autoscaler& autoscaler, const ScaleDecision& decision,
                           bool is_more);
/// The message of a condition. `why`: what kept a metric or a workload from being read.
std::string condition_message(const Autoscaler& autoscaler, const ScaleDecision& decision,
                              const ScaleCondition& condition, const std::string& why);

}  // namespace gedge
