// gedge/latency/material_change.hpp - whether what a place measures is worth telling anew.
#pragma once

#include <cstdint>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge {

struct MaterialChange {
  std::uint32_t permille = 100;  ///< a pair whose RTT moved by more than that,
  Rtt least{100};                ///< and by more than that
  std::int64_t seconds = 3'600;  ///< or that was measured anew so much later
};

/// Of the pairs that begin at `from` in `now`: one came or went, moved by more than noise, became
/// suspicious or unsuspicious, or what was told is old or, by its date, yet to come. Cost: O(names
/// * log).
bool is_material(NameIndex from, const RttMatrix& now, const PairDetails& details,
                 const RttMatrix& then, const PairDetails& details_then,
                 const MaterialChange& bounds = {});

}  // namespace gedge
