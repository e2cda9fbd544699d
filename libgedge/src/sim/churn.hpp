// sim/churn.hpp - what people and programs do to a cluster all day.
#pragma once

#include "gedge/base/split_mix.hpp"
#include "gedge/sim/world.hpp"

namespace gedge::sim {

/// One act, if it finds anything to do.
void churn(SimWorld& world, SplitMix& dice);

}  // namespace gedge::sim
