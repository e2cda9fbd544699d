// latency/larger_directions.hpp - a matrix whose rows can be read instead of both directions.
#pragma once

#include "gedge/latency/matrix.hpp"

namespace gedge {

/// RttMatrix::between as cells. Cost: O(N * N), 4 bytes a pair.
RttMatrix larger_directions(const RttMatrix& matrix);

}  // namespace gedge
