// render/plan_view.hpp - a Plan as a table, and what is said about it on standard error.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/effect/plan.hpp"
#include "term/stream.hpp"
#include "term/table.hpp"

namespace gedge::cli {

struct TableOptions {
  bool wide = false;
  bool headers = true;
  std::string sort_by = {};  ///< a column; empty: by name
  bool namespaces = false;   ///< a first column NAMESPACE even if there is only one
  bool names = false;        ///< not a table, but a line "pod/NAME" for each row
};

/// What to type for more.
struct ExplainHint {
  std::string command = {};  ///< with POD where a pod's name belongs; empty: no hint
  std::string home = {};     ///< the namespace whose pods need no prefix
};

/// More than one namespace among decisions, differences or violations.
template <typename Items>
bool several_namespaces(const Items& items) {
  return std::any_of(items.begin(), items.end(), [&](const auto& item) {
    return item.namespace_name != items.begin()->namespace_name;
  });
}

/// Sorts and prints a table; as names, the cells of the column `named` behind `prefix`. Errors:
/// kNotFound for a column that is not there.
Status finish_table(Table table, Stream& out, const TableOptions& options,
                    std::string_view named = {}, std::string_view prefix = {});

/// POD NODE SCORE RTT BUDGET SLACK of every decision, by namespace and name; of several budgets the
/// tightest. Wide adds FROM and RUNNER-UP. As names, only pods that are placed, in the order of the
/// plan unless one is asked for. Errors: kNotFound for a column that is not there.
Status print_plan(Stream& out, const Plan& plan, const TableOptions& options);

/// "3 of 4 pods placed; cam-archive is unschedulable:" and why, each reason once with its first
/// pods.
void print_plan_summary(Stream& err, const Plan& plan, ExplainHint explain, bool every_reason);

/// The one of a decision's budgets with the least slack; null if there is none. Unmeasured is
/// tighter than any.
const BudgetReport* tightest_budget(const Decision& decision);

}  // namespace gedge::cli
