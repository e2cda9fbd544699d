// publish_entry.cpp - writing NodeLatency objects, in the library of daemons: it needs TLS.
#include <string>
#include <utility>

#include "gedge/drive/publish_latency.hpp"
#include "measure_publish.hpp"
#include "render/numbers.hpp"
#include "report.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

Exit run(const PublishCommand& command, const RttMatrix& matrix, const PairDetails& details,
         const OutputOptions& output, Io& io) {
  Server server;
  if (const auto failed = open_server(io, command.server, output, "publish", server))
    return *failed;
  PublishOptions options;
  options.listing.seed = io.network->random_key();
  if (command.comes_again) {
    options.listing.most_tries = 1;
    options.most_tries = 1;
  }
  auto published = publish_latency(*server.transport, io.clock, matrix, details, options);
  if (!published) {
    Error error = std::move(published).error();
    if (error.code == Errc::kNotFound) {
      error.code = Errc::kUnreachable;
      error.hint =
          "create the kind NodeLatency, once: `kubectl apply -f "
          "PREFIX/share/gedge/manifests/nodelatencies.yaml`";
    }
    return fail(io, error);
  }
  if (!output.quiet)
    io.err.line(counted(published->written, "NodeLatency object") + " written, " +
                std::to_string(published->unchanged) + " as before");
  if (published->failures.empty()) return Exit::kYes;
  static_cast<void>(fail(io, published->failures, output));
  return published->written + published->unchanged > 0 ? Exit::kPartly : Exit::kWorld;
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_publish(
    const gedge::cli::PublishCommand& command, const gedge::RttMatrix& matrix,
    const gedge::PairDetails& details, const gedge::cli::OutputOptions& output,
    gedge::cli::Io& io) {
  return static_cast<int>(gedge::cli::run(command, matrix, details, output, io));
}
