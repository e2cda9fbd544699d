#include "codec/rtt_counts.hpp"

#include "gedge/base/target_clones.hpp"

namespace gedge::codec {

GEDGE_FOR_EACH_TARGET RttCounts count_rtts(std::span<const Rtt> rtts) {
  RttCounts counts;
  const Rtt* const first = rtts.data();
  for (std::size_t i = 0; i < rtts.size(); ++i) counts.add(first[i].us);
  return counts;
}

}  // namespace gedge::codec
