// codec/pair_text.hpp - what the writers of latency files share.
#pragma once

#include <string>

#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge::codec {

/// What is known of a pair, without the times where the matrix says that they do not count: they
/// are stale, or 0. `known` null: nothing but the number of the matrix.
PairStats stats_that_count(const RttMatrix& matrix, NameIndex from, NameIndex to,
                           const PairStats* known);

/// Calls use(from, to, details or null) for each pair of which anything is known, row by row; of
/// the diagonal what a reader set.
template <typename Use>
void for_each_known_pair(const RttMatrix& matrix, const PairDetails& details, Use use) {
  auto detail = details.pairs.begin();
  const auto n = static_cast<std::uint32_t>(matrix.size());
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const NameIndex from{i}, to{j};
      const bool detailed =
          detail != details.pairs.end() && detail->from == from && detail->to == to;
      const Rtt rtt = matrix.at(from, to);
      if (detailed || (rtt != kUnmeasured && (i != j || rtt.us != 0)))
        use(from, to, detailed ? &*detail : nullptr);
      if (detailed) ++detail;
    }
}

/// Exact milliseconds: "12", "0.25"; empty for kUnmeasured.
std::string milliseconds(Rtt rtt);

}  // namespace gedge::codec
