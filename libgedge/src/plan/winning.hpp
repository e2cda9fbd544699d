// plan/winning.hpp - edits that change who wins, for a pod that fits on several nodes.
#pragma once

#include <vector>

#include "plan/candidates.hpp"
#include "plan/session.hpp"

namespace gedge {

/// Single edits after which `node`, which is feasible now, has the highest total; smallest first.
/// Amounts are the least that were found by doubling and halving (scores need not be monotone in
/// them). Cost: at most 2,000 evaluations.
std::vector<EditSet> winning_edits(Session& session, PodIndex pod, NodeIndex node);

}  // namespace gedge
