#include "gedge/latency/pair_stats.hpp"

#include <algorithm>
#include <utility>

namespace gedge {

PairStats stats_of(NameIndex from, NameIndex to, const RttSummary& rtt) {
  PairStats stats{.from = from, .to = to};
  stats.min = rtt.min;
  stats.p50 = rtt.p50;
  stats.p95 = rtt.p95;
  stats.p99 = rtt.p99;
  stats.max = rtt.max;
  stats.mean = rtt.mean;
  stats.mdev = rtt.mdev;
  stats.jitter = rtt.jitter;
  if (rtt.probes > 0) stats.loss_ppm = rtt.loss_ppm;
  stats.samples = rtt.samples;
  return stats;
}

const PairStats* PairDetails::find(NameIndex from, NameIndex to) const {
  const auto key = [](const PairStats& pair) { return std::pair(raw(pair.from), raw(pair.to)); };
  const std::pair wanted(raw(from), raw(to));
  const auto at =
      std::lower_bound(pairs.begin(), pairs.end(), wanted,
                       [&](const PairStats& pair, const auto& k) { return key(pair) < k; });
  return at != pairs.end() && key(*at) == wanted ? &*at : nullptr;
}

std::uint32_t PairDetails::method(std::string_view name) {
  const auto at = std::find(methods.begin(), methods.end(), name);
  if (at == methods.end()) {
    methods.emplace_back(name);
    return static_cast<std::uint32_t>(methods.size() - 1);
  }
  return static_cast<std::uint32_t>(at - methods.begin());
}

}  // namespace gedge
