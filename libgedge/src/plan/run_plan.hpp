// plan/run_plan.hpp - a session's plan, from its next group to the end.
#pragma once

#include <vector>

#include "gedge/plan/planner.hpp"
#include "plan/session.hpp"

namespace gedge {

/// `session` was started with `request`; `decided`: what it has decided so far. Afterwards every
/// pod that found a place is on its node. Errors: as make_plan.
Result<Plan> run_plan(Session& session, const PlanRequest& request,
                      std::vector<Decision> decided = {});

/// Errors: kInternal where the request lacks facts, matrix or profile.
Status check_request(const PlanRequest& request);

}  // namespace gedge
