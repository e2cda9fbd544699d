// io/hwloc_machine.hpp - a topology that hwloc has loaded, to a Machine.
#pragma once

#include "gedge/pin/machine.hpp"
#include "io/hwloc_library.hpp"

namespace gedge {

/// Errors: kInvalidInput where there is no CPU, or one beyond CpuSet::kLast.
Result<Machine> machine_of(const HwlocLibrary& hwloc, hwloc_topology_t topology);

}  // namespace gedge
