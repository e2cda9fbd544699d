// server_access.hpp - a connection to the API server that is meant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exit.hpp"
#include "gedge/port/api_transport.hpp"
#include "io.hpp"
#include "options.hpp"
#include "server_options.hpp"

namespace gedge::cli {

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
