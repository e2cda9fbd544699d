// daemon_input.hpp - what a daemon is given before it follows a cluster.
#pragma once

#include <optional>

#include "exit.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "io.hpp"
#include "options.hpp"
#include "rules.hpp"

namespace gedge::cli {

struct DaemonInput {
  Rules rules;
  Facts facts;  ///< of --cluster, where there is one
  RttMatrix rtt;
};

/// Prints what is wrong and returns the exit code; `given` is set otherwise. `needs_nodes`: facts
/// without nodes are none.
std::optional<Exit> read_daemon_input(Io& io, const InputOptions& input, const RuleOptions& rules,
                                      const OutputOptions& output, bool needs_nodes,
                                      DaemonInput& given);

}  // namespace gedge::cli
