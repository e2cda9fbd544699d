// collect_source.hpp - which agents `gedge measure --agents SOURCE` asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/drive/collect.hpp"
#include "gedge/port/files.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge::cli {

struct CollectPlaces {
  std::vector<std::string> sources;  ///< FILE, dns:NAME, or [NAME=]URL,...
  bool secure = false;               ///< https for what is no URL
  std::uint16_t port = 0;            ///< for what is no URL
};

struct FoundAgents {
  std::vector<AgentPlace> agents;  ///< in the order named, each URL once; empty after errors
  Errors errors;
};

/// A FILE has one NAME, NAME=ADDRESS or NAME=URL a line, as that of `gedge agent --peers`; of
/// dns:NAME each address is an agent. A URL without a path means its /matrix.json.
FoundAgents find_agents(const CollectPlaces& places, FileStore& files, ProbeNetwork& network);

}  // namespace gedge::cli
