// plan/run_plan.hpp - the plan of a session that has decided nothing yet.
#pragma once

#include "gedge/plan/planner.hpp"
#include "plan/session.hpp"

namespace gedge {

/// `session` was started with `request`; afterwards every pod that found a place is on its node.
/// Errors: as make_plan.
Result<Plan> run_plan(Session& session, const PlanRequest& request);

/// Errors: kInternal where the request lacks facts, matrix or profile.
Status check_request(const PlanRequest& request);

}  // namespace gedge
