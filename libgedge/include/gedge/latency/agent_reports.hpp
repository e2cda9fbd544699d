// gedge/latency/agent_reports.hpp - what agents say of their peers, put together into one matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/latency/vet.hpp"

namespace gedge {

/// What one agent says of one peer.
struct PeerReport {
  std::string peer;
  Rtt rtt = kUnmeasured;  ///< what counts; kUnmeasured: nothing came back
  PairStats stats;        ///< `from`, `to` and `method` are not set
  std::string method;
};

/// What one agent says.
struct AgentSaid {
  std::string node;  ///< what it calls itself; empty where it has measured nothing yet
  std::vector<PeerReport> peers;
};

/// One agent that was asked: what it said, or why it said nothing.
struct AskedAgent {
  std::string source;    ///< where it was asked, for people
  std::string expected;  ///< what the list of agents calls it; empty: that is for it to say
  std::string address;   ///< by which its peers may call it; empty: nobody knows
  std::optional<AgentSaid> said;
  Error failure;  ///< where it said nothing
};

enum class AgentState : std::uint8_t {
  kBelieved,    ///< its reports count, but for those that are suspicious
  kEmpty,       ///< it answers, but has measured nothing yet
  kDistrusted,  ///< its peers contradict it: none of its reports counts
  kRefused,     ///< it gives itself out for another: none of its reports counts
  kSilent,      ///< it did not answer, or with nothing that can be used
};

/// "believed", "empty", "distrusted", "refused", "silent".
std::string_view to_string(AgentState state);

struct AgentVerdict {
  std::string name, source;
  AgentState state = AgentState::kBelieved;
  std::string why, hint;  ///< both empty for agents that are believed
};

/// Pairs of names, at least one of which is an agent's; each is counted once.
struct KnownPairs {
  std::size_t known = 0;    ///< in each direction that begins at an agent
  std::size_t one_way = 0;  ///< two agents, and one direction is missing
  std::size_t unknown = 0;
};
/// `is_agent`, [names].
KnownPairs count_known_pairs(const RttMatrix& matrix, const std::vector<bool>& is_agent);

struct AgentMatrix {
  RttMatrix matrix;  ///< what counts, in the direction in which it was reported
  PairDetails
      details;  ///< of every report of an agent that was not refused, also of those left out
  std::vector<AgentVerdict> agents;        ///< by name, then by source
  std::vector<SuspiciousCell> suspicious;  ///< by from, then to; see vet_reports()
  KnownPairs pairs;
  std::vector<bool> is_agent;  ///< [names]
  std::size_t left_out = 0;    ///< places that no agent answers for, beyond kMostStrangers
};

/// Names that places are known by besides their own: the addresses of nodes.
using OtherNames = std::map<std::string, std::string, std::less<>>;

/// Places that are named by reports but are no agents: so many are kept, those first that most
/// agents name. A single liar can make up as many as fit into its answer.
inline constexpr std::size_t kMostStrangers = 2'048;

/// Every agent that was asked is a name of the matrix, also one that said nothing; so is every
/// place that one of them names. An agent is called what the list of agents calls it, else what it
/// calls itself, else by its address; peers that are named by the address of one agent alone, or by
/// one of `others`, are that agent, or that other name.
///
/// Each agent is believed about itself only. One that calls itself what the list, or the address in
/// `others`, calls another is refused, whether that other one answers or not; so are two that call
/// themselves the same, unless the list says which one it is, or they are an IPv4 and an IPv6
/// address: those are one. What is left is vetted: see vet_reports().
///
/// Nothing is made up: where one direction of a pair is not known, it stays unmeasured, and
/// RttMatrix::between lets the other one stand for both. Cost: that of vet_reports().
AgentMatrix merge_agents(const std::vector<AskedAgent>& asked, const OtherNames& others,
                         std::uint64_t seed);

}  // namespace gedge
