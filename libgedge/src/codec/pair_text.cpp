#include "codec/pair_text.hpp"

namespace gedge::codec {

PairStats stats_that_count(const RttMatrix& matrix, NameIndex from, NameIndex to,
                           const PairStats* known) {
  PairStats stats = known != nullptr ? *known : PairStats{};
  stats.from = from;
  stats.to = to;
  const Rtt rtt = matrix.at(from, to);
  if (rtt == kUnmeasured)
    stats.only = stats.min = stats.p50 = stats.p95 = stats.p99 = stats.max = stats.mean =
        stats.upper = kUnmeasured;
  else if (!stats.has_times() && stats.upper == kUnmeasured)
    stats.only = rtt;
  return stats;
}

std::string milliseconds(Rtt rtt) {
  if (rtt == kUnmeasured) return "";
  std::string text = std::to_string(rtt.us / 1000);
  if (rtt.us % 1000 == 0) return text;
  std::string fraction = std::to_string(1000 + rtt.us % 1000).substr(1);
  while (fraction.back() == '0') fraction.pop_back();
  return text + '.' + fraction;
}

}  // namespace gedge::codec
