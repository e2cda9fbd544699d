// gedge/drive/lease_keeper.hpp - a leader election through an API server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gedge/base/result.hpp"
#include "gedge/control/event_ledger.hpp"
#include "gedge/control/leader_election.hpp"
#include "gedge/drive/last_failure.hpp"
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

  /// `seed`: of jitter and of the names of Events. `controller`: who reports that a Lease was taken
  /// from its holder, whether it leads or not; empty: there is no such Event.
  LeaseKeeper(LeaseOptions options, std::uint64_t seed, std::string controller = {});

  LeaderElection& election() { return election_; }
  const LeaderElection& election() const { return election_; }
  /// Sends what is to be sent, under the tickets that follow `last_ticket`. Errors: kDenied, when
  /// the lease was lost, and half a second later where an Event tells of it; those of
  /// LeaderElectionOptions::check(), before anything is sent.
  Status advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now, UnixSeconds date);
  /// When advance() will do something new; empty: only an answer can change that.
  std::optional<Nanos> next() const;
  /// Until when this process holds the lease, or held it until it was lost; empty: it does not.
  std::optional<Nanos> deadline(Nanos now) const;
  /// That were too many to be told.
  std::uint64_t events_dropped() const { return events_dropped_; }
  /// Gives a write as much time as LeaderElection::writes_until() does. False: there is none, and
  /// it is not to be sent.
  bool bounds(ApiRequest& request, Nanos now) const;
  /// Of the call under way; 0: none.
  std::uint64_t ticket() const { return ticket_; }
  /// The last answer showed an older version than the one before it: the store has been put back to
  /// what it was before.
  bool has_gone_back() const { return has_gone_back_; }
  /// Of the calls about the Lease.
  const LastFailure& failure() const { return failure_; }
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
  LastFailure failure_;
  EventLedger ledger_;
  std::string version_;
  bool has_gone_back_ = false;
  std::uint64_t last_event_ = 0, seizures_told_ = 0, events_dropped_ = 0;
  std::optional<Nanos> ends_at_;  // who was robbed, and tells of it
};

}  // namespace gedge
