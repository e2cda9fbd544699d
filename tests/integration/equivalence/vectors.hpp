// Objects of the recorded scheduler vectors as facts, without the library's decoders: only the
// fields that occur there.
#pragma once

#include <nlohmann/json.hpp>

#include "gedge/model/facts.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge::reference {

/// Nodes, bound pods and spread owners of the vector; the incoming pod is the last of `facts.pods`.
Facts read_vector(const nlohmann::json& vector);

/// Arguments of an extra score, as a KubeSchedulerConfiguration writes them.
PolicyArgs read_args(const nlohmann::json& args);

}  // namespace gedge::reference
