// The Kubernetes objects of the scheduler vectors as facts, read by the shortest way: these objects
// are valid.
#pragma once

#include <nlohmann/json.hpp>

#include "gedge/model/facts.hpp"

namespace gedge::test {

Node read_node(const nlohmann::json& object);

/// Appends the pod and its spec to `facts`; `spec.nodeName` binds it.
void add_bound_pod(const nlohmann::json& object, Facts& facts);
/// The same for a pod that is to be placed; `spec.nodeName` is a wish.
void add_pending_pod(const nlohmann::json& object, Facts& facts);

}  // namespace gedge::test
