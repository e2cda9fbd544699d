// agent_command.hpp - what `gedge agent` was told, and the part of it that runs.
#pragma once

#include <cstdint>
#include <string>

#include "agent_guard.hpp"
#include "agent_source.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/drive/agent_loop.hpp"
#include "gedge/port/ip_address.hpp"
#include "io.hpp"
#include "options.hpp"
#include "web_options.hpp"

namespace gedge::cli {

struct AgentCommand {
  AgentPlaces places;
  AgentGuard guard;
  WebOptions web;  ///< of the probes; no token
  OutputOptions output;
  AgentLoopOptions loop;
  std::string listen = "127.0.0.1:8787";
  std::uint64_t port = 0, probes = 3, bandwidth = 100'000;
  Nanos period{10'000'000'000}, timeout{1'000'000'000}, max_age{0};
};

/// In the library of daemons: probes and serves on `listen` until a signal says to stop. `command`
/// is checked and complete.
using RunAgent = int (*)(const AgentCommand&, const IpAddress&, Io&);
inline constexpr const char* kRunAgent = "gedge_run_agent";

}  // namespace gedge::cli
