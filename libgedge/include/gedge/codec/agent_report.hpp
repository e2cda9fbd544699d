// gedge/codec/agent_report.hpp - what an agent of gedge replied to /matrix.json, from its bytes.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/latency/agent_reports.hpp"

namespace gedge {

/// The reply of one agent: kind LatencyMatrix, of which only what it says about itself is taken:
/// pairs from `expected`, or from the only name that there are pairs from. A time of 0 is none.
///
/// The bytes come from strangers: nothing is kept that they do not spell out, so memory is at most
/// a hundred times their size. Errors: kInvalidInput for anything else than JSON of that kind, and
/// where several names are spoken for and none of them is `expected`.
Result<AgentSaid> read_agent_report(const InputFile& file, const std::string& expected);

}  // namespace gedge
