#include "measure_publish.hpp"

#include "daemon_library.hpp"

namespace gedge::cli {

void add_publish_flags(FlagSet& flags, PublishCommand& command) {
  flags.heading("Where to keep it");
  flags.add({.name = "publish", .help = "Write NodeLatency objects into the cluster"},
            command.publishes);
  add_identity_flags(flags, command.server);
}

Exit publish(Io& io, const PublishCommand& command, const RttMatrix& matrix,
             const PairDetails& details, const OutputOptions& output, Exit seen) {
  if (!command.publishes) return seen;
  const Exit exit =
      run_in_daemon_library<RunPublish>(kRunPublish, io, command, matrix, details, output);
  return exit == Exit::kYes ? seen : exit;
}

}  // namespace gedge::cli
