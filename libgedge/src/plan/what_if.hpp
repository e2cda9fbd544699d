// plan/what_if.hpp - the plan of edited facts, where the plan before the edits is known.
#pragma once

#include <vector>

#include "gedge/plan/edit.hpp"

namespace gedge {

/// Facts and matrix after edits, and the plan of them.
struct EditedPlan {
  Facts facts;
  RttMatrix rtt;
  Plan plan;
};

/// As what_if, without the comparison. `before` is make_plan(request).
Result<EditedPlan> plan_edited(const PlanRequest& request, const Plan& before,
                               const std::vector<Edit>& edits, bool replan,
                               const Facts* joined = nullptr);

}  // namespace gedge
