// snapshot/requests.hpp - what a pod asks for, by the rules of one Kubernetes version.
#pragma once

#include <cstdint>

#include "gedge/base/units.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

/// Everything a pod counts for on a node. Sums saturate at the ends of int64.
struct RequestTotals {
  /// With overhead; an explicit 0 stays. Lives as long as both the totals and the spec.
  const Resources& requests() const { return only != nullptr ? only->requests : summed; }

  const Container* only = nullptr;                 ///< the one container that says it all
  Resources summed;                                ///< where there is none
  std::int64_t score_cpu_m = 0, score_memory = 0;  ///< with stand-ins for missing requests
  std::int64_t incoming_cpu_m = 0;                 ///< as the pod that is being placed
};

/// Source: kubernetes.md 3.1 and its 1.20 row; component-helpers `resource`, and 1.20
/// `resourcehelper`.
RequestTotals total_requests(const PodSpec& spec, Compat compat);

std::int64_t add_saturated(std::int64_t a, std::int64_t b);

}  // namespace gedge
