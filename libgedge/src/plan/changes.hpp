// plan/changes.hpp - the smallest sets of edits that would change the answer about one pod.
#pragma once

#include <vector>

#include "gedge/plan/planner.hpp"
#include "plan/session.hpp"

namespace gedge {

/// For a pod at its turn (unplaced): edits that make it schedulable, or, if it is, that let the
/// runner-up win. Fewest edits first, then least relative amount, then text order. The session's
/// cluster is as before when this returns.
std::vector<SuggestedChange> nearest_changes(Session& session, const PlanRequest& request,
                                             PodIndex pod, const Explanation& explanation);

/// The same for one node: edits that make it feasible, or, if it is, that let it win.
std::vector<SuggestedChange> changes_for_node(Session& session, const PlanRequest& request,
                                              PodIndex pod, NodeIndex node,
                                              const Explanation& explanation);

/// Runs the plan up to the pod's turn and leaves it unplaced; a bound pod is taken off its node.
/// Errors: kNotFound.
Result<PodIndex> bring_to_turn(Session& session, std::string_view namespace_name,
                               std::string_view pod);
/// The evidence about an unplaced pod as things are, without changes.
Explanation explain_here(Session& session, PodIndex pod);

}  // namespace gedge
