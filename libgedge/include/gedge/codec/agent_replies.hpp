// gedge/codec/agent_replies.hpp - what `gedge agent` replies, as pure functions.
//
//   GET, HEAD                                        reply
//   /monitoring/near-nodes/latency                   {"result": [{node_name, node_ip, latency}]}
//     ?pingSize=&pingCount= (both required)            sorted by latency
//   /monitoring/near-clusters/latency                {"result": [{cluster_name, cluster_ip,
//                                                      latency}]}, sorted by latency
//   /monitoring/clusters/NAME/latency                {"result": ms}
//   /monitoring/node/NAME/latency                    {"result": ms}
//   /check, /check_all                               as Goldpinger, of this node
//   /matrix.json                                     LatencyMatrix: one row
//   /metrics                                         Prometheus text
//   /livez, /readyz                                  200 or 503, and why; nobody needs a token
//
// The first four are those of GS-Scheduler's worker agent; `latency` is the mean of the last
// pingCount answers (2 where it may be absent), in milliseconds. No request sends a probe: who may
// ask is not who decides what this node sends, so pingSize is checked and has no effect. What
// nobody measured is left out of lists, and an error where it is asked for alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/control/agent.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge {

/// What replies are made of.
struct AgentFacts {
  std::string node;                   ///< what this node is called
  std::string address;                ///< its own, as text; empty where nobody said it
  std::string method;                 ///< "icmp", "tcp" or "udp"
  Nanos now{0};                       ///< of the clock of the reports
  UnixSeconds date = 0;               ///< the same moment
  UnixSeconds started = 0;            ///< when the agent began
  std::vector<TargetReport> targets;  ///< by kind and name
  std::uint64_t rounds = 0;           ///< that are over
  OddReplies odd;
  HttpCounts http;
  bool probing = true;       ///< the loop that probes is alive
  std::uint64_t denied = 0;  ///< requests without a token that is known
  /// When the certificate of TLS ends; empty without TLS.
  std::optional<UnixSeconds> certificate_end = {};
  bool asks_for_token = false;  ///< any Host is answered then: other sites know no token
  /// Something else than this machine reaches the address, and TLS or a token is missing; any Host
  /// is answered.
  bool insecure = false;
};

/// The error codes of GS-Scheduler's agents.
enum class AgentError : std::uint8_t {
  kAccessDenied,
  kAuthorizationHeaderMalformed,
  kExpiredToken,
  kIncompleteBody,
  kInvalidRange,
  kInvalidRequestContent,
  kInvalidSecurity,
  kInvalidToken,
  kMaxMessageLengthExceeded,
  kMetadataTooLarge,
  kMethodNotAllowed,
  kMissingContentLength,
  kNotImplemented,
  kRequestTimeout,
  kResourceNotFound,
  kServiceInternal,
  kTokenRefreshRequired,
  kUnsupportedMediaType,
};

/// {"Error": {"ErrorCode": name, "Message": text}} with the status of that code.
HttpReply agent_error(AgentError code, std::string_view message);

/// Unless `insecure` or `asks_for_token`, a Host that is neither an address nor "localhost" nor
/// this node's name is refused, and so is every Origin: pages of other sites have no business here.
/// Cost: O(targets).
HttpReply agent_reply(const HttpRequest& request, const AgentFacts& facts);

/// Whether a request needs a token where the agent asks for one: all but those of /livez and
/// /readyz, which are for probes that carry none and tell nothing of what is measured.
bool needs_token(const HttpRequest& request);

/// What stands behind "Bearer " in the header; empty for anything else.
std::string_view bearer_token(const HttpRequest& request);

/// 401: without a token, or with one that is not known. The same in both cases.
HttpReply agent_denial();

/// The reply where no request came to be.
HttpReply agent_refusal(HttpFault fault);

}  // namespace gedge
