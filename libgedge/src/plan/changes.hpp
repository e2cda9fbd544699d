// plan/changes.hpp - the smallest sets of edits that would change the answer about one pod.
#pragma once

#include <vector>

#include "gedge/plan/planner.hpp"
#include "plan/session.hpp"

namespace gedge {

/// For a pod at its turn (unplaced): edits that make it schedulable, or, if it is, that let the
/// runner-up win. Fewest edits first, then least relative amount, then text order. `decided`: as in
/// Proof. Afterwards the session may have placed all other pods.
std::vector<SuggestedChange> nearest_changes(Session& session, const PlanRequest& request,
                                             PodIndex pod, const Explanation& explanation,
                                             std::vector<Decision>* decided);

/// The same for one node: edits that make it feasible, or, if it is, that let it win.
std::vector<SuggestedChange> changes_for_node(Session& session, const PlanRequest& request,
                                              PodIndex pod, NodeIndex node,
                                              const Explanation& explanation);

}  // namespace gedge
