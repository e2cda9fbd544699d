// server_access.hpp - which API server is meant, and as whom it is spoken to, as kubectl's flags
// say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exit.hpp"
#include "flags.hpp"
#include "gedge/base/result.hpp"
#include "gedge/codec/kubeconfig.hpp"
#include "gedge/port/api_transport.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

struct ServerOptions {
  KubeChoice choice;
  bool insecure = false;
};

void add_server_flags(FlagSet& flags, ServerOptions& options);

/// A server that was found, and answers.
struct Server {
  std::unique_ptr<ApiTransport> transport;
  int minor = 0;  ///< of its version: 20 for 1.20
};

/// Prints what is wrong and returns the exit code; `server` is set otherwise. `component` is what
/// the server's logs will call us.
std::optional<Exit> open_server(Io& io, const ServerOptions& options, const OutputOptions& output,
                                std::string_view component, Server& server);

}  // namespace gedge::cli
