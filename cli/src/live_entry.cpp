// live_entry.cpp - listing a cluster that runs, in the library of daemons: it needs TLS.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "live_source.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMostFile = 16 << 20;  // of a kubeconfig, or what it names

void list(const ServerOptions& options, LiveReading& live, Io& io) {
  Server server;
  std::vector<Warning> warnings;
  Errors errors = find_server(io, options, "read", server, warnings);
  if (errors.empty()) live = list_server(io, options, server);
  if (!errors.empty()) live.errors = std::move(errors);
  live.warnings.insert(live.warnings.begin(), std::make_move_iterator(warnings.begin()),
                       std::make_move_iterator(warnings.end()));
}

// A kubeconfig that is there and cannot be read is meant, too: whoever asks is told.
bool is_live_meant(const ServerOptions& options, Io& io) {
  if (!options.choice.kubeconfig.empty() || !options.choice.context.empty()) return true;
  const KubeAccessReading reading =
      find_api_server(options.choice, io.kube,
                      [&io](const std::string& path) { return io.files.read(path, kMostFile); });
  return reading.access ||
         std::any_of(reading.errors.begin(), reading.errors.end(),
                     [](const Error& error) { return error.code != Errc::kNotFound; });
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_list_live(
    const gedge::cli::ServerOptions& options, gedge::cli::LiveReading& live, gedge::cli::Io& io) {
  gedge::cli::list(options, live, io);
  return 0;
}

extern "C" __attribute__((visibility("default"))) int gedge_may_be_live(
    const gedge::cli::ServerOptions& options, gedge::cli::Io& io) {
  return gedge::cli::is_live_meant(options, io) ? 1 : 0;
}
