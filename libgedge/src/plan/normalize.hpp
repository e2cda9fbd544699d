// plan/normalize.hpp - raw scores to 0..100, in the integers and doubles of Kubernetes.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/policy/policy.hpp"

namespace gedge {

/// Least and largest raw score of the rows that count.
struct ScoreRange {
  std::int64_t min = 0, max = 0;
  friend bool operator==(const ScoreRange&, const ScoreRange&) = default;
};

/// The range that `how` works with: upstream lets 0 join some of them.
ScoreRange widened(Normalize how, ScoreRange range);
/// One score in a range that was widened; kIgnored becomes 0. Not for kOwn.
std::int64_t normalized(Normalize how, std::int64_t score, ScoreRange range);

/// The same where every row has this score.
std::int64_t normalized_alone(Normalize how, std::int64_t score);

/// total + weight * score, stopping at the ends of int64.
inline std::int64_t plus_weighted(std::int64_t total, std::int64_t weight, std::int64_t score) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(weight, score, &product) &&
      !__builtin_add_overflow(total, product, &total))
    return total;
  return (weight < 0) != (score < 0) ? -kNoBound : kNoBound;
}

/// `scores` [slots] are changed in place where `feasible` is set; rows with kIgnored become 0.
///
/// Source: kube-scheduler framework/plugins/helper/normalize_score.go, interpodaffinity/scoring.go
/// and podtopologyspread/scoring.go. Cost: two passes over the feasible rows, no allocation.
void normalize(Normalize how, const NodeMask& feasible, std::vector<std::int64_t>& scores);

}  // namespace gedge
