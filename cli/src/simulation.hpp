// simulation.hpp - a scenario played through: the scheduler's loop in a simulated cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/effect/simulation.hpp"
#include "gedge/model/scenario.hpp"
#include "input.hpp"
#include "rules.hpp"

namespace gedge::cli {

/// What is played, whatever the seed.
struct Stage {
  Scenario scenario;
  Input begin;
  std::vector<Facts> added;  ///< everything that there is once the first, second, ... file is added
  Rules rules;
};

/// One run. `keeps_events`: with its history. Errors: what an event names that is not there then,
/// with its place; whatever a module breaks.
Result<Simulation> simulate(const Stage& stage, std::uint64_t seed, bool keeps_events);

/// The same twice: a breach of I-10 where both are not the same.
Result<Simulation> simulate_twice(const Stage& stage, std::uint64_t seed, bool keeps_events);

/// Adds what another run found.
void add(Simulation& all, Simulation&& run);

}  // namespace gedge::cli
