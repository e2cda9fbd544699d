// gedge/codec/resize_requests.hpp - changes of what pods request, as what is asked of an API
// server.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/codec/scale_requests.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/scale/resize.hpp"

namespace gedge::codec {

/// Whether the kinds of "v1" that a server has (kinds_request) are such that pods are resized where
/// they run: 1.33 and later, 1.32 where that was switched on. Errors: why nobody knows.
Result<bool> resizes_pods(const ApiAnswer& answer);

/// PATCH of the subresource resize of a pod, or of a workload of `kind` with its template; with
/// the UID and the version that were read. What it answers: scale_answer().
ApiRequest resize_request(const ObjectResize& resize, ResizeWay way);

/// GET of the LimitRanges of a namespace, and what they allow. Errors: why nobody knows.
ApiRequest limits_request(const std::string& namespace_name);
Result<std::vector<ContainerLimits>> read_limits(const ApiAnswer& answer);

}  // namespace gedge::codec
