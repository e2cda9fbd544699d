// gedge/codec/scheduler_replies.hpp - what `gedge schedule` replies to probes and to Prometheus.
//
//   GET, HEAD    reply
//   /livez       200, or 503: the loop stands still
//   /readyz      200, or 503 and what has not been listed yet: who waits for the lease has it too
//   /metrics     Prometheus text; no label that a tenant can choose
//
// Pages of other sites have no business here: every Origin is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/durations.hpp"
#include "gedge/control/scheduler.hpp"
#include "gedge/port/http_server.hpp"

namespace gedge {

struct SchedulerFacts {
  bool is_alive = true;
  std::vector<std::string> unsynced;  ///< what has not been listed yet; empty: all was
  bool is_synced = false;
  bool is_leading = true;                                 ///< or there is no lease
  std::string leader;                                     ///< who holds it; empty: nobody
  std::uint64_t lease_seizures = 0;                       ///< see LeaderElection
  std::string profile;                                    ///< fingerprint of those that decide
  std::uint64_t profiles_used = 0, profiles_refused = 0;  ///< that were read while it ran
  bool is_paused = false;                                 ///< nobody answers binds
  SchedulerCounts counts;
  Durations bind_times;  ///< from when a bind was sent until its answer
  std::uint64_t active = 0, backing_off = 0, parked = 0, binding = 0, unclear = 0;
  std::uint64_t awaiting = 0;  ///< volumes
  std::uint64_t overcommitted = 0;
  std::uint64_t nodes = 0, pods = 0, rebuilds = 0;
  std::uint64_t lists = 0, watches = 0, objects = 0, unreadable = 0, events_dropped = 0;
  std::uint64_t unknown_changes = 0;
  bool any_host = false;  ///< false: who names another Host than an address or localhost is refused
};

HttpReply scheduler_reply(const HttpRequest& request, const SchedulerFacts& facts);
/// 401: without a token, or with one that is not known.
HttpReply scheduler_denial();
/// The reply where no request came to be.
HttpReply scheduler_refusal(HttpFault fault);

}  // namespace gedge
