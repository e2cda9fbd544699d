// extender_command.hpp - what `gedge extender` was told, and the part of it that runs.
#pragma once

#include <cstdint>
#include <string>

#include "gedge/port/ip_address.hpp"
#include "io.hpp"
#include "options.hpp"
#include "server_options.hpp"

namespace gedge::cli {

struct ExtenderCommand {
  InputOptions input;  ///< without a cluster: what the API server says
  RuleOptions rules;
  OutputOptions output;
  ServerOptions server;
  bool binds = false;
  std::string listen = "127.0.0.1:8789";
  std::uint64_t max_body = std::uint64_t{64} << 20;
};

/// In the library of daemons. `command` is checked.
using RunExtender = int (*)(ExtenderCommand&, const IpAddress& listen, Io&);
inline constexpr const char* kRunExtender = "gedge_run_extender";

}  // namespace gedge::cli
