// support/vivaldi.hpp - network coordinates by springs: what completion is compared with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gedge/latency/matrix.hpp"

namespace gedge::test {

/// Vivaldi as published (Dabek, Cox, Kaashoek, Morris, SIGCOMM 2004): adaptive time step, height
/// vectors. Errors and time step weigh with the constants of that paper. With few samples it is at
/// its best before it has come to rest: 50 rounds were the best of 30 to 2,000 on LatencySpace.
struct Vivaldi {
  std::size_t dimensions = 3;
  double correction = 0.25;  ///< c_c: share of the way to rest that one sample may move a node
  double memory = 0.25;      ///< c_e: weight of a new sample in a node's error
  std::size_t rounds = 50;   ///< how often a node looks at each pair that it takes part in
  std::uint64_t seed = 1;
};

/// Estimates of all pairs, the same both ways, from the measured ones of `shown`. Both ends of a
/// measured pair move by it: more than a node of the paper knows, which speaks for the baseline.
RttMatrix vivaldi(const RttMatrix& shown, const Vivaldi& how);

}  // namespace gedge::test
