// render/measure_view.hpp - measured round-trip times as a table.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/drive/measure.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"
#include "term/table.hpp"

namespace gedge::cli {

/// One row a target, by name; wide has every statistic. What never answered is `-`, never 0.
Status print_measurement(Stream& out, const std::string& from, const Measurement& measurement,
                         const TableOptions& options);

/// "0.5 %", rounded up; a cell of nothing for kNotKnown.
Cell loss_cell(std::uint32_t loss_ppm);

/// "no route to it": why probes never left, in words; empty for kNone.
std::string_view words_of(Refusal refusal, bool has_port);

}  // namespace gedge::cli
