// measure_collect.hpp - `gedge measure --agents SOURCE`: the matrix that agents know together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exit.hpp"
#include "flags.hpp"
#include "io.hpp"
#include "measure_format.hpp"
#include "measure_publish.hpp"
#include "options.hpp"
#include "web_options.hpp"

namespace gedge::cli {

struct CollectCommand {
  std::vector<std::string> agents;  ///< SOURCE...; empty: nothing is collected
  WebOptions web;
};

/// --agents.
void add_collect_flags(FlagSet& flags, CollectCommand& command);

/// Asks the agents, prints their matrix, and says on standard error what is amiss. `port` is that
/// of agents that are no URL. Yes: all of them are believed, nothing is suspicious, and every pair
/// with an agent is known in one direction at least.
Exit run_collect(Io& io, const CollectCommand& command, const InputOptions& input,
                 std::uint16_t port, MeasureFormat format, const PublishCommand& publication,
                 const OutputOptions& output);

}  // namespace gedge::cli
