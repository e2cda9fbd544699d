// live_entry.cpp - listing a cluster that runs, in the library of daemons: it needs TLS.
#include <iterator>
#include <utility>
#include <vector>

#include "live_source.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

void list(const ServerOptions& options, LiveReading& live, Io& io) {
  Server server;
  std::vector<Warning> warnings;
  Errors errors = find_server(io, options, "read", server, warnings);
  if (errors.empty()) live = list_server(io, options, server);
  if (!errors.empty()) live.errors = std::move(errors);
  live.warnings.insert(live.warnings.begin(), std::make_move_iterator(warnings.begin()),
                       std::make_move_iterator(warnings.end()));
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_list_live(
    const gedge::cli::ServerOptions& options, gedge::cli::LiveReading& live, gedge::cli::Io& io) {
  gedge::cli::list(options, live, io);
  return 0;
}
