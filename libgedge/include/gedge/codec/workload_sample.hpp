// gedge/codec/workload_sample.hpp - the pods that a workload would make, whatever it has now.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/scaling.hpp"

namespace gedge::codec {

/// GET of a Deployment, a StatefulSet, a ReplicaSet or a ReplicationController. Errors:
/// kInvalidInput for other kinds.
Result<ApiRequest> workload_request(const ObjectName& workload, const std::string& namespace_name);
/// The workload of an answer, with what its pods are made of. A scale of it is as this one says.
ScaleReading workload_reading(const ApiAnswer& answer, const ObjectName& workload);
/// The workload of an answer as a manifest of that name, with one replica. Errors: why there is
/// none.
Result<std::string> sample_of(const ApiAnswer& answer, const ObjectName& workload,
                              const std::string& name);

/// PATCH of the pod's controller.kubernetes.io/pod-deletion-cost, if it still has its UID.
ApiRequest cost_request(const PodCost& cost);

}  // namespace gedge::codec
