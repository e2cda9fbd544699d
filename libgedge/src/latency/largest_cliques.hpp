// latency/largest_cliques.hpp - a cover that takes the largest clique again and again.
//
// What kubernetes-edge-scheduler does: it lists all maximal cliques, takes the largest, removes its
// members from the others and goes on. What is left of maximal cliques contains every clique of the
// names that are left, so each step takes a maximum clique of those, and no list is needed.
//
// Each name keeps the size of the largest clique that it is the lowest member of, or a bound of it;
// names wait in a heap. Who comes to the top with a bound is searched (branch and bound with
// colours, after Tomita and Seki 2003), who comes with a clique of which nobody was taken gives it.
#pragma once

#include <cstdint>
#include <vector>

#include "latency/near_rows.hpp"

namespace gedge {

struct LargestCliques {
  std::vector<std::uint32_t> cluster_of;  ///< [N]
  std::uint32_t count = 0;
  /// False: steps ran out; from then on cliques are maximal, but need not be the largest.
  bool is_exact = true;
};

/// Ties go to the clique that comes first when members are compared in order. `most_steps` bounds
/// the comparisons of words, some 10^9 a second: a maximum clique is NP-hard to find, though RTTs
/// give easy graphs.
LargestCliques largest_cliques(const NearRows& near, std::uint64_t most_steps);

}  // namespace gedge
