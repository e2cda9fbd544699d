// gedge/codec/workload_sample.hpp - workloads as a cluster has them: what their
// scales say, and the pods that one would make, whatever it has now.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/scaling.hpp"

namespace gedge::codec {

/// A Deployment, a StatefulSet, a ReplicaSet or a ReplicationController; the name does not matter.
bool makes_pods(const ObjectName& kind);
/// GET of a workload. Errors: kInvalidInput for what makes no pods.
Result<ApiRequest> workload_request(const ObjectName& workload, const std::string& namespace_name);
/// The workload of an answer, with what its pods are made of. A scale of it is as this one says.
ScaleReading workload_reading(const ApiAnswer& answer, const ObjectName& workload);

/// GET of the first `most` workloads of a kind; the name of `kind` does not matter. Errors: as of
/// workload_request().
Result<ApiRequest> workloads_request(const ObjectName& kind, const std::string& namespace_name,
                                     std::size_t most);
/// What their scales would say, of those that can be read. Errors: why there is no list.
Result<std::vector<ScaleTarget>> workloads_reading(const ApiAnswer& answer, const ObjectName& kind);

/// The workload of an answer as a manifest of that name, with one replica. Errors: why there is
/// none.
Result<std::string> sample_of(const ApiAnswer& answer, const ObjectName& workload,
                              const std::string& name);

/// PATCH of the pod's controller.kubernetes.io/pod-deletion-cost, if it still has its UID.
ApiRequest cost_request(const PodCost& cost);

}  // namespace gedge::codec
