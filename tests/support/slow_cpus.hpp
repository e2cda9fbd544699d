// support/slow_cpus.hpp - the kubelet's choice of CPUs again, by plain searches through plain sets:
// nothing is shared with the library but the description of the machine.
#pragma once

#include <optional>
#include <set>

#include "gedge/pin/machine.hpp"

namespace gedge::test {

using Cpus = std::set<int>;

struct SlowOptions {
  bool whole_cores = false;  // full-pcpus-only
  bool across_numa = false, across_cores = false, by_cache = false, by_socket = false;
};

/// As today's kubelet takes `count` of `free`; nothing where there are too few.
std::optional<Cpus> slow_take(const Machine& machine, const SlowOptions& options, const Cpus& free,
                              int count);

/// CPUs of these NUMA nodes first.
std::optional<Cpus> slow_take_near(const Machine& machine, const SlowOptions& options,
                                   const Cpus& free, int count, const std::set<int>& nodes);

}  // namespace gedge::test
