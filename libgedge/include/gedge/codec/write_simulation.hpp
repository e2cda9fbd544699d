// gedge/codec/write_simulation.hpp - what a simulation found, as a document.
#pragma once

#include <string>

#include "gedge/codec/write.hpp"
#include "gedge/effect/simulation.hpp"

namespace gedge {

/// kind Simulation.
std::string write(const Simulation& simulation, TextFormat format);

}  // namespace gedge
