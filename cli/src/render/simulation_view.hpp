// render/simulation_view.hpp - what happened in a simulation, one line an event.
#pragma once

#include "gedge/effect/simulation.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// TIME WHAT POD NODE RTT BUDGET NOTE; wide: with pods that are created, run and are gone.
Status print_simulation(Stream& out, const Simulation& simulation, const TableOptions& options);

/// RUNS FAULTS BOUND REPLACED BREACHES, in one line.
Status print_runs(Stream& out, const Simulation& simulation, const TableOptions& options);

/// How it ended: pods placed, what was bound anew, who waits and why.
void print_simulation_summary(Stream& err, const Simulation& simulation);

}  // namespace gedge::cli
