// gedge/drive/collect.hpp - the matrix that all agents know together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/agent_reports.hpp"
#include "gedge/port/http_client.hpp"

namespace gedge {

/// Where an agent is asked.
struct AgentPlace {
  std::string url;      ///< of its /matrix.json
  std::string name;     ///< what the list of agents calls it; empty: that is for it to say
  std::string address;  ///< by which its peers may call it; empty: nobody knows
};

struct CollectOptions {
  HttpTerms terms;
  std::string token;  ///< sent to all of them; empty: none
  OtherNames others;
  std::uint64_t seed = 0;  ///< of the map that reports are held against
};

/// How many have answered or failed, of how many.
using CollectProgress = std::function<void(std::size_t, std::size_t)>;

/// Asks all agents side by side and merges what they say: see merge_agents(). One that fails is no
/// error, but a verdict. Errors: those of HttpClient::fetch().
Result<AgentMatrix> collect(HttpClient& http, const std::vector<AgentPlace>& agents,
                            const CollectOptions& options, const CollectProgress& progress);

/// Why an answer is not what was asked for; empty for status 200.
std::optional<Error> refusal_in(const HttpAnswer& answer);

}  // namespace gedge
