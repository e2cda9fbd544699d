#include <optional>
#include <utility>

#include "gedge/latency/complete.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kAllLost = 1'000'000;  // millionths

/// Estimates of an earlier completion are taken back: what they were made of is still there.
void take_back_estimates(RttMatrix& matrix, PairDetails& details) {
  for (const PairStats& pair : details.pairs)
    if (pair.estimated) matrix.set(pair.from, pair.to, kUnmeasured);
  matrix.note_symmetry();
  std::erase_if(details.pairs, [](const PairStats& pair) { return pair.estimated; });
}

bool is_unreachable(const PairDetails& details, NameIndex from, NameIndex to) {
  const PairStats* pair = details.find(from, to);
  return pair != nullptr && pair->loss_ppm == kAllLost;
}

}  // namespace

std::optional<PairStats> CompletedMatrix::estimate(NameIndex from, NameIndex to) const {
  const auto known = estimates.between(from, to);
  if (!known) return std::nullopt;
  PairStats stats;
  stats.from = from;
  stats.to = to;
  stats.p50 = known->rtt;
  stats.upper = known->upper;
  stats.method = method;
  stats.estimated = true;
  return stats;
}

Result<CompletedMatrix> complete(const RttMatrix& matrix, const PairDetails& details,
                                 const CompletionOptions& options) {
  CompletedMatrix completed{matrix, details, Completion(0)};
  take_back_estimates(completed.matrix, completed.details);
  auto completion = complete(completed.matrix, options);
  if (!completion) return std::move(completion).error();
  completed.estimates = *std::move(completion);
  completed.method = completed.details.method("estimate");
  for (std::uint32_t a = 0; a < matrix.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const NameIndex from{a}, to{b};
      const auto estimate = completed.estimates.between(from, to);
      if (completed.matrix.between(from, to) != kUnmeasured) {
        ++completed.measured;
      } else if (!estimate || is_unreachable(completed.details, from, to) ||
                 is_unreachable(completed.details, to, from)) {
        ++completed.unknown;
        completed.estimates.reset(from, to);
      } else {
        ++completed.estimated;
      }
    }
  }
  // What else a pair without RTT may have been said to be, some loss for instance, gives way.
  std::erase_if(completed.details.pairs, [&](const PairStats& pair) {
    return completed.estimates.between(pair.from, pair.to).has_value();
  });
  return completed;
}

}  // namespace gedge
