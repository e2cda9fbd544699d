// live_entry.cpp - listing a cluster that runs, in the library of daemons: it needs TLS.
#include <utility>

#include "live_source.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

void list(const ServerOptions& options, LiveReading& live, Io& io) {
  Server server;
  live.errors = find_server(io, options, "read", server, live.warnings);
  if (!live.errors.empty()) return;
  live.url = server.url;
  live.minor = server.minor;
  live.namespace_name = server.namespace_name;
  ClusterListOptions how;
  how.timeout = options.request_timeout;
  how.minor = server.minor;
  how.seed = io.network->random_key();
  auto listing = list_cluster(*server.transport, io.clock, how);
  if (!listing) {
    live.errors.push_back(std::move(listing).error());
    return;
  }
  live.pages = std::move(listing->pages);
  for (Warning& warning : listing->warnings) live.warnings.push_back(std::move(warning));
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_list_live(
    const gedge::cli::ServerOptions& options, gedge::cli::LiveReading& live, gedge::cli::Io& io) {
  gedge::cli::list(options, live, io);
  return 0;
}
