// gedge/drive/resize_workload.hpp - what a workload's pods request, changed through an API server.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/scale/resize.hpp"

namespace gedge {

struct WorkloadLook {
  ScaleFacts facts;
  std::vector<Warning> warnings;  ///< of nodes and metrics that could not be read
};

/// Workloads, pods and LimitRanges of a namespace, all nodes, and the usage of now, read with
/// ScaleLoadOptions::keep_objects. Errors: kDenied, kTimeout, kUnreachable; kInvalidInput for what
/// is no list.
Result<WorkloadLook> look_at_workloads(ApiTransport& transport, const Clock& clock,
                                       const std::string& namespace_name);

/// Whether the server resizes pods where they run. Errors: why nobody knows.
Result<bool> resizes_pods(ApiTransport& transport);

/// What is to be done, by what a look sees.
using PlanResize = std::function<Result<ResizePlan>(const WorkloadLook&)>;

/// Looks, and does what is planned by that look, one object after the other, each only as it was
/// read. Where an object was changed meanwhile, or nobody knows what became of a change, it looks
/// and plans again, up to five times. Errors: those of a look and of `plan`, before anything was
/// asked for.
Result<ResizeRun> resize_workload(ApiTransport& transport, const Clock& clock,
                                  const std::string& namespace_name, const PlanResize& plan);

}  // namespace gedge
