// control/workload_key.hpp - what a workload of a namespace is known by.
#pragma once

#include <string>

#include "gedge/model/autoscaler.hpp"

namespace gedge {

/// "Deployment/web".
inline std::string workload_of(const ObjectName& target) { return target.kind + "/" + target.name; }

}  // namespace gedge
