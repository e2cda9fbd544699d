// render/recommend_view.hpp - what containers should request, as a table.
#pragma once

#include "gedge/scale/recommend.hpp"
#include "gedge/scale/resize.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

void print_recommendation(Stream& out, const Recommendation& recommendation,
                          const TableOptions& options);
/// What changes by it, below.
void print_resize(Stream& out, const ResizeRun& run, const TableOptions& options);

}  // namespace gedge::cli
