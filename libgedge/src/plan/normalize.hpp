// plan/normalize.hpp - raw scores to 0..100, in the integers and doubles of Kubernetes.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/policy/policy.hpp"

namespace gedge {

/// Shapes   `scores` [slots], changed in place where `feasible` is set; rows with kIgnored become
/// 0. Source   kube-scheduler framework/plugins/helper/normalize_score.go,
/// interpodaffinity/scoring.go and
///          podtopologyspread/scoring.go.
/// Cost     two passes over the feasible rows, no allocation.
void normalize(Normalize how, const NodeMask& feasible, std::vector<std::int64_t>& scores);

}  // namespace gedge
