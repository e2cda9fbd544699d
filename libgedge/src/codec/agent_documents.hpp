// codec/agent_documents.hpp - the replies of the agent that show all it knows.
#pragma once

#include <string>

#include "gedge/codec/agent_replies.hpp"

namespace gedge::codec {

/// Goldpinger's /check: what this node found out about each peer.
std::string goldpinger_check(const AgentFacts& facts);
/// Goldpinger's /check_all. Only this node's response is in it: an agent asks no other agent.
std::string goldpinger_check_all(const AgentFacts& facts);

/// kind LatencyMatrix, from this node to each peer that was ever asked.
std::string agent_matrix(const AgentFacts& facts);

/// The text format of Prometheus, version 0.0.4. An unmeasured time has no sample.
std::string agent_metrics(const AgentFacts& facts);

}  // namespace gedge::codec
