// render/load_view.hpp - runs of autoscalers against a load: compared, drawn, as a picture.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/scale/load_run.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

using LoadRuns = std::vector<LoadRun>;

/// One line a run, and below a drawing of each; of sites, how they were used, and if wide, when.
Status print_load(Stream& out, const LoadRuns& runs, const TableOptions& options);

std::string load_svg(const LoadRuns& runs);
Result<std::string> load_png(const LoadRuns& runs);

}  // namespace gedge::cli
