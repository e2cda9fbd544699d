// measure_publish.hpp - `gedge measure --publish`: what was measured, as objects of a cluster.
#pragma once

#include "exit.hpp"
#include "flags.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "io.hpp"
#include "options.hpp"
#include "server_options.hpp"

namespace gedge::cli {

struct PublishCommand {
  bool publishes = false;
  bool comes_again = false;  ///< what fails is not tried again at once
  ServerOptions server;
};

/// --publish, and how the server is found.
void add_publish_flags(FlagSet& flags, PublishCommand& command);

/// Writes the objects and says how many. Returns `seen` where all of them are as they should be, or
/// where nothing is to be published.
Exit publish(Io& io, const PublishCommand& command, const RttMatrix& matrix,
             const PairDetails& details, const OutputOptions& output, Exit seen);

/// In the library of daemons.
using RunPublish = int (*)(const PublishCommand&, const RttMatrix&, const PairDetails&,
                           const OutputOptions&, Io&);
inline constexpr const char* kRunPublish = "gedge_run_publish";

}  // namespace gedge::cli
