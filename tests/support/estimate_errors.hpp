// support/estimate_errors.hpp - how far estimates of hidden pairs are from the truth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "gedge/latency/complete.hpp"
#include "gedge/latency/matrix.hpp"
#include "support/latency_space.hpp"

namespace gedge::test {

/// Of |estimate - truth| / truth, over cells; [0, 1] shares, not percent.
struct RelativeErrors {
  double median, p90, p99;
};

/// `estimate(from, to)` in microseconds.
template <typename Function>
RelativeErrors relative_errors(const RttMatrix& truth, const std::vector<Cell>& cells,
                               Function estimate) {
  std::vector<double> errors;
  errors.reserve(cells.size());
  for (const Cell& cell : cells) {
    const double rtt = truth.at(cell.from, cell.to).us;
    errors.push_back(std::abs(estimate(cell.from, cell.to) - rtt) / rtt);
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&errors](std::size_t percent) { return errors[errors.size() * percent / 100]; };
  return {at(50), at(90), at(99)};
}

inline RelativeErrors errors_of(const RttMatrix& truth, const std::vector<Cell>& cells,
                                const RttMatrix& estimates) {
  return relative_errors(truth, cells, [&estimates](NameIndex from, NameIndex to) {
    return static_cast<double>(estimates.at(from, to).us);
  });
}

/// A pair without an estimate counts as 0: wrong by all of it.
inline RelativeErrors errors_of(const RttMatrix& truth, const std::vector<Cell>& cells,
                                const Completion& completion) {
  return relative_errors(truth, cells, [&completion](NameIndex from, NameIndex to) {
    const auto estimate = completion.between(from, to);
    return estimate ? static_cast<double>(estimate->rtt.us) : 0.0;
  });
}

/// Shares of cells inside, above and below the stated bounds; without an estimate: not inside.
struct Coverage {
  double inside = 0, above = 0, below = 0;
  double median_upper = 0;  ///< of upper bound / estimate
};

inline Coverage coverage_of(const RttMatrix& truth, const std::vector<Cell>& cells,
                            const Completion& completion) {
  Coverage found;
  std::vector<double> uppers;
  for (const Cell& cell : cells) {
    const auto estimate = completion.between(cell.from, cell.to);
    if (!estimate) continue;
    const Rtt rtt = truth.at(cell.from, cell.to);
    const double share = 1 / static_cast<double>(cells.size());
    (rtt > estimate->upper   ? found.above
     : rtt < estimate->lower ? found.below
                             : found.inside) += share;
    uppers.push_back(static_cast<double>(estimate->upper.us) /
                     std::max(1.0, static_cast<double>(estimate->rtt.us)));
  }
  if (uppers.empty()) return found;
  const auto middle = uppers.begin() + static_cast<std::ptrdiff_t>(uppers.size() / 2);
  std::nth_element(uppers.begin(), middle, uppers.end());
  found.median_upper = *middle;
  return found;
}

}  // namespace gedge::test
