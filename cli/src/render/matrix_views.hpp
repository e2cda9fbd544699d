// render/matrix_views.hpp - what is odd about a matrix, and what moved between two, as tables.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/check.hpp"
#include "gedge/latency/diff.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// ODDITY FROM TO RTT OTHER WHY, one row a finding; on a terminal the first `most` of a kind.
Status print_findings(Stream& out, const RttMatrix& matrix, const std::vector<Finding>& findings,
                      std::size_t most, const TableOptions& options);

/// "2 gaps, 1 triangle".
std::string counted_findings(const MatrixCheck& check);

/// CHANGE FROM TO BEFORE AFTER DELTA NOISE, names that only one matrix has first; moves that noise
/// explains only if `noise` is asked for.
Status print_difference(Stream& out, const MatrixDifference& difference, bool noise,
                        const TableOptions& options);

/// "3 pairs moved, 1 appeared, 40 within the noise, 56 equal".
std::string counted_differences(const MatrixDifference& difference);

}  // namespace gedge::cli
