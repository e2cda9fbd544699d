// pin/take_1_20.hpp - takeByTopology of Kubernetes 1.20.
#pragma once

#include "gedge/pin/take_cpus.hpp"

namespace gedge {

/// As take_cpus; `free` holds at least `count`.
CpuSet take_by_1_20(const CpuTopology& topology, const CpuSet& free, int count);

}  // namespace gedge
