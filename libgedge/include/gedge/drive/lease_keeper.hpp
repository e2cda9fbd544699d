// gedge/drive/lease_keeper.hpp - a leader election through an API server.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gedge/base/result.hpp"
#include "gedge/control/event_ledger.hpp"
#include "gedge/control/leader_election.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

struct LeaseOptions {
  std::string namespace_name = "gedge-system", name = "gedge-scheduler";
  std::string identity;  ///< of this process alone
  LeaderElectionOptions election;
};

class LeaseKeeper {
 public:
  using Failed = std::function<void(const Error&)>;

  /// `seed`: of jitter and of the names of Events. `controller`: who reports an Event of a Lease
  /// that was taken from its holder, which nobody has to lead for; empty: there is none.
  LeaseKeeper(LeaseOptions options, std::uint64_t seed, std::string controller = {});

  LeaderElection& election() { return election_; }
  const LeaderElection& election() const { return election_; }
  /// Sends what is to be sent, under the ticket that follows `last_ticket`. Errors: kDenied, when
  /// the lease was lost; those of LeaderElectionOptions::check(), before anything is sent.
  Status advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now, UnixSeconds date);
  /// Gives a write as much time as LeaderElection::writes_until() does. False: there is none, and
  /// it is not to be sent.
  bool bounds(ApiRequest& request, Nanos now) const;
  /// Of the call under way; 0: none.
  std::uint64_t ticket() const { return ticket_; }
  /// What came of it; tells what went wrong and is tried again, and when it works again.
  void take(const ApiAnswer& answer, Nanos now, const Failed& failed,
            const std::function<void()>& recovered);

 private:
  void tell_seizure(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now,
                    UnixSeconds date);

  LeaseOptions options_;
  std::string controller_;
  LeaderElection election_;
  Status checked_;
  std::uint64_t ticket_ = 0;
  bool is_reading_ = false;
  std::string told_;
  EventLedger ledger_;
  std::uint64_t last_event_ = 0, seizures_told_ = 0;
};

}  // namespace gedge
