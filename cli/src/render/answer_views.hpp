// render/answer_views.hpp - what-if differences, violations, the use of nodes and the list of
// policies, as tables.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/plan/edit.hpp"
#include "gedge/verify/verify.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// "+ placed", "~ moved", "- lost", "! unschedulable", one row a pod that changes; one line if none
/// does. `all`: these are all differences there are, not only those to be shown.
Status print_what_if(Stream& out, const WhatIf& what_if, bool all, const TableOptions& options);

/// One row a broken rule; its text is never cut.
Status print_violations(Stream& out, const std::vector<Violation>& violations,
                        const TableOptions& options);

/// What the pods on each node ask for, bound and placed alike, and the share of what the node has.
/// `facts` hold the cluster and the pods; `plan` says where the pending ones go.
void print_node_use(Stream& out, const Facts& facts, const Plan& plan, bool headers);

/// Name, kind, whether and with which weight `profile` uses it, range; wide adds formula and
/// source.
Status print_policies(Stream& out, const PolicyList& list, const TableOptions& options);

}  // namespace gedge::cli
