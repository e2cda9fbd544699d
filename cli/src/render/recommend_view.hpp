// render/recommend_view.hpp - what containers should request, as a table.
#pragma once

#include "gedge/scale/recommend.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

void print_recommendation(Stream& out, const Recommendation& recommendation,
                          const TableOptions& options);

}  // namespace gedge::cli
