// agent_source.hpp - who the peers of `gedge agent` are.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gedge/control/agent.hpp"
#include "gedge/port/files.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge::cli {

struct AgentPlaces {
  std::string peers;     ///< FILE or dns:NAME
  std::string clusters;  ///< FILE; may be empty
  std::string own_name;  ///< never probed
  std::optional<IpAddress> own_address;
  std::uint16_t port = 0;  ///< of the probes
};

/// Whether peers are the addresses of a name.
bool is_dns_source(const AgentPlaces& places);

struct FoundTargets {
  std::vector<AgentTarget> targets;
  Errors without_address;  ///< names of a file that nothing is known of: left out
};

/// Reads the files and looks the names up, every time it is asked: they may have changed.
/// Errors: those of the files; that no name has an address; kTimeout as soon as nobody answers who
/// could know one, as each further question would take as long, or it is to `stop`.
Result<FoundTargets> find_agent_targets(const AgentPlaces& places, FileStore& files,
                                        ProbeNetwork& network, const std::stop_token& stop = {});

}  // namespace gedge::cli
