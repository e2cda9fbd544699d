#include <algorithm>
#include <utility>

#include "gedge/latency/complete.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kAllLost = 1'000'000;  // millionths

/// Estimates of an earlier completion are taken back: what they were made of is still there.
void take_back_estimates(RttMatrix& matrix, PairDetails& details) {
  for (const PairStats& pair : details.pairs)
    if (pair.estimated) matrix.set(pair.from, pair.to, kUnmeasured);
  std::erase_if(details.pairs, [](const PairStats& pair) { return pair.estimated; });
}

bool is_unreachable(const PairDetails& details, NameIndex from, NameIndex to) {
  const PairStats* pair = details.find(from, to);
  return pair != nullptr && pair->loss_ppm == kAllLost;
}

PairStats stats_of(NameIndex from, NameIndex to, const Estimate& estimate, std::uint32_t method) {
  PairStats stats;
  stats.from = from;
  stats.to = to;
  stats.p50 = estimate.rtt;
  stats.upper = estimate.upper;
  stats.method = method;
  stats.estimated = true;
  return stats;
}

}  // namespace

Result<CompletedMatrix> complete(const RttMatrix& matrix, const PairDetails& details,
                                 const CompletionOptions& options) {
  CompletedMatrix completed{matrix, details};
  take_back_estimates(completed.matrix, completed.details);
  const auto completion = complete(completed.matrix, options);
  if (!completion) return completion.error();
  const std::uint32_t method = completed.details.method("estimate");
  std::vector<PairStats> estimates;
  for (std::uint32_t a = 0; a < matrix.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const NameIndex from{a}, to{b};
      const auto estimate = completion->between(from, to);
      if (completed.matrix.between(from, to) != kUnmeasured) {
        ++completed.measured;
      } else if (!estimate || is_unreachable(completed.details, from, to) ||
                 is_unreachable(completed.details, to, from)) {
        ++completed.unknown;
      } else {
        ++completed.estimated;
        estimates.push_back(stats_of(from, to, *estimate, method));
        estimates.push_back(stats_of(to, from, *estimate, method));
      }
    }
  }
  std::vector<PairStats>& pairs = completed.details.pairs;
  for (const PairStats& estimate : estimates)
    completed.matrix.set(estimate.from, estimate.to, estimate.upper);
  // What else a pair without RTT may have been said to be, some loss for instance, gives way.
  const auto before = [](const PairStats& x, const PairStats& y) {
    return std::pair(raw(x.from), raw(x.to)) < std::pair(raw(y.from), raw(y.to));
  };
  std::sort(estimates.begin(), estimates.end(), before);
  std::erase_if(pairs, [&](const PairStats& pair) {
    return std::binary_search(estimates.begin(), estimates.end(), pair, before);
  });
  const auto middle = pairs.insert(pairs.end(), estimates.begin(), estimates.end());
  std::inplace_merge(pairs.begin(), middle, pairs.end(), before);
  completed.matrix.note_symmetry();
  return completed;
}

}  // namespace gedge
