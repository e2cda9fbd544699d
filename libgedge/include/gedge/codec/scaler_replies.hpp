// gedge/codec/scaler_replies.hpp - what `gedge scale run` replies to probes and to Prometheus.
//
//   GET, HEAD    reply
//   /livez       200, or 503: the loop stands still
//   /readyz      200, or 503 and what has not been listed yet; not whether it leads
//   /metrics     Prometheus text; no label that a tenant can choose
//
// Pages of other sites have no business here: every Origin is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/control/scaler.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge {

struct ScalerFacts {
  bool is_alive = true;
  std::vector<std::string> unsynced;  ///< what has not been listed yet; empty: all was
  bool is_synced = false;
  bool is_leading = true;            ///< or there is no lease
  std::string leader;                ///< who holds it; empty: nobody
  std::uint64_t lease_seizures = 0;  ///< see LeaderElection
  ScalerCounts counts;
  std::uint64_t autoscalers = 0, frozen = 0;
  std::uint64_t lists = 0, watches = 0, objects = 0, unreadable = 0, events_dropped = 0;
  bool any_host = false;  ///< false: who names another Host than an address or localhost is refused
};

HttpReply scaler_reply(const HttpRequest& request, const ScalerFacts& facts);

}  // namespace gedge
