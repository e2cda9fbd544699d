// server_access.hpp - a connection to the API server that is meant.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exit.hpp"
#include "gedge/base/error.hpp"
#include "gedge/port/api_transport.hpp"
#include "io.hpp"
#include "live_source.hpp"
#include "options.hpp"
#include "server_options.hpp"

namespace gedge::cli {

class EventLog;

/// A server that was found, and answers.
struct Server {
  std::unique_ptr<ApiTransport> transport;
  std::string url;
  int minor = 0;               ///< of its version: 20 for 1.20
  std::string namespace_name;  ///< of the context
};

/// Tells why nobody can say any more who we are: in `log`, which outlives it, and from any thread;
/// where there is none, it is printed as any error.
std::function<void(const Error&)> credential_notice(Io& io, EventLog* log);

/// What is wrong; `server` is set where nothing is. `component` is what the server's logs will call
/// us. `log` is that of credential_notice().
Errors find_server(Io& io, const ServerOptions& options, std::string_view component, Server& server,
                   std::vector<Warning>& warnings, EventLog* log = nullptr);

/// The same, but prints what is wrong, and returns the exit code.
std::optional<Exit> open_server(Io& io, const ServerOptions& options, const OutputOptions& output,
                                std::string_view component, Server& server,
                                EventLog* log = nullptr);

/// Everything of it that a plan depends on.
LiveReading list_server(Io& io, const ServerOptions& options, Server& server);

}  // namespace gedge::cli
