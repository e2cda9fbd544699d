// plan/what_if.hpp - the plan of edited facts, where the plan before the edits is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gedge/plan/edit.hpp"
#include "plan/session.hpp"

namespace gedge {

/// Facts and matrix after edits, and the plan of them.
struct EditedPlan {
  Facts facts;
  RttMatrix rtt;
  Plan plan;
  std::size_t kept = 0;  ///< decisions of `plan`, the first ones, that stayed as they were
};

/// As what_if, without the comparison. `before` is make_plan(request).
Result<EditedPlan> plan_edited(const PlanRequest& request, const Plan& before,
                               const std::vector<Edit>& edits, bool replan,
                               const Facts* joined = nullptr);

/// What became of a pod: null where it does not exist, "" where it has no node.
Outcome compare_places(const std::string* before, const std::string* after);

/// Every pod whose place differs. Cost: O(pods log pods).
std::vector<Difference> differences(const Facts& facts_before, const Plan& before,
                                    const Facts& facts_after, const Plan& after);

/// Adds a warning for each pod that `edits` moved against the rules. The session shows everybody in
/// place, and does so again afterwards.
void warn_of_moves(Session& session, const std::vector<Edit>& edits,
                   std::vector<Warning>& warnings);

}  // namespace gedge
