// gedge/codec/write_load.hpp - runs of autoscalers against a load, as a document.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/scale/load_run.hpp"

namespace gedge {

/// kind ScaleSimulation.
std::string write(const std::vector<LoadRun>& runs, Compat compat, TextFormat format);

}  // namespace gedge
