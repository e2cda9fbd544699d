// render/collect_view.hpp - a matrix of many places as a table, and what became of the agents that
// it was collected from.
#pragma once

#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/agent_reports.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// One row an ordered pair that begins at an agent, by name. What is not known is `-`, never 0; a
/// suspicious pair has a NOTE that says why, and what was reported.
Status print_agent_matrix(Stream& out, const AgentMatrix& merged, const TableOptions& options);

/// Which agents do not count and why, what was contradicted, and what nobody knows: the first few
/// of each kind, or `all`. Nothing where nothing is amiss.
void report_agents(Stream& err, const AgentMatrix& merged, bool all);

}  // namespace gedge::cli
