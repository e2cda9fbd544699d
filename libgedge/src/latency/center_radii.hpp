// latency/center_radii.hpp - how small a radius k centers can have, from above and from below.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/latency/matrix.hpp"

namespace gedge {

struct RadiusGoal {
  std::uint32_t count = 1;      // centers
  std::uint64_t unreached = 0;  // names that may stay out of reach
  Rtt radius;                   // what centers are known for
};

/// Up to `count` names, so that at most `unreached` names are further than some radius below
/// goal.radius from all of them: greedy covers, the smallest radius that bisection finds one for.
/// Empty: none was found.
std::vector<std::uint32_t> smaller_radius(const RttMatrix& matrix, const RadiusGoal& goal);

/// A radius up to goal.radius of which is proven that no choice has a smaller one.
Rtt radius_at_least(const RttMatrix& matrix, const RadiusGoal& goal);

}  // namespace gedge
