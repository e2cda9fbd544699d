// render/plan_view.hpp - a Plan as a table, and what is said about it on standard error.
#pragma once

#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/effect/plan.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

struct TableOptions {
  bool wide = false;
  bool headers = true;
  std::string sort_by = {};  ///< a column; empty: by name
  bool namespaces = false;   ///< a first column NAMESPACE even if there is only one
};

/// POD NODE SCORE RTT BUDGET SLACK of every decision, by namespace and name; of several budgets the
/// tightest. Wide adds FROM and RUNNER-UP. Errors: kNotFound for a column that is not there.
Status print_plan(Stream& out, const Plan& plan, const TableOptions& options);

/// "3 of 4 pods placed; cam-archive is unschedulable:" and why, each reason once with its first
/// pods. `explain` is the command that tells more, with POD where the pod's name belongs; empty: no
/// such hint.
void print_plan_summary(Stream& err, const Plan& plan, std::string explain, bool every_reason);

/// The one of a decision's budgets with the least slack; null if there is none. Unmeasured is
/// tighter than any.
const BudgetReport* tightest_budget(const Decision& decision);

}  // namespace gedge::cli
