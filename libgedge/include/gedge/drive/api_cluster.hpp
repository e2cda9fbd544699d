// gedge/drive/api_cluster.hpp - a Kubernetes cluster through its API server.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/latency.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/watch.hpp"
#include "gedge/control/event_ledger.hpp"
#include "gedge/control/reflector.hpp"
#include "gedge/drive/last_failure.hpp"
#include "gedge/drive/lease_keeper.hpp"
#include "gedge/drive/queued_event.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/cluster_link.hpp"
#include "gedge/port/wall_clock.hpp"

namespace gedge {

class ConditionQueue;
class LatencyWatch;

enum class EventsTold : std::uint8_t { kAll, kFailures, kNone };

struct ApiClusterOptions {
  LoadOptions load;        ///< how objects are read
  std::string controller;  ///< who reports events: the scheduler's name
  std::string instance;    ///< which process of it
  EventsTold events = EventsTold::kAll;
  bool tells_conditions = true;
  std::uint32_t page_size = 500;
  std::uint64_t seed = 0;  ///< of jitter and of the names of events; another one each process
  int minor = 20;          ///< of the server's version: which groups it has
  ReflectorOptions reflector;
  /// With one, the round-trip times are followed that the cluster carries, and so read.
  std::optional<RttOptions> latency;
  /// With one, nothing is written but by the process that holds it, and nothing decided before it
  /// knows what the holder before has done.
  std::optional<LeaseOptions> lease;
};

struct ApiClusterCounts {
  std::uint64_t lists = 0, watches = 0, objects = 0, unreadable = 0, events_dropped = 0;
  std::uint64_t unknown_changes = 0;  ///< of a type that this version does not know
  std::uint64_t lease_seizures = 0;   ///< see LeaderElection
};

/// Follows nodes, pods that are not finished, namespaces, disruption budgets, volumes, claims,
/// storage classes and whose pods should be spread. `transport` and the clocks outlive it. Events
/// wait for nobody: of those that cannot be sent in time, the oldest are dropped. Of conditions the
/// newest of each pod waits until the server has it.
///
/// With a lease, who waits for it follows the cluster as well. What the leader before has done is
/// known when everything was listed later than that one could write, or has been told as far as
/// that one had heard when it gave the lease away. Each bind ends before the lease does, and wait()
/// fails with kDenied when it was lost: the process must end then.
class ApiCluster final : public ClusterLink {
 public:
  ApiCluster(ApiTransport& transport, const Clock& clock, const WallClock& wall_clock,
             ApiClusterOptions options);
  ~ApiCluster() override;

  void bind(const BindRequest& request) override;
  void read(const ReadRequest& request) override;
  void evict(const EvictRequest& request) override;
  void claim(const ClaimRequest& request) override;
  void nominate(const Nomination& nomination) override;
  void tell(const Unschedulable& pod) override;
  void tell(const Overcommit& node) override;
  void tell(const Misplaced& pod) override;
  std::size_t untold() const override;
  bool is_synced() const override;
  void refresh() override;
  const Error* failing() const override;
  void leave(bool is_told_back) override;
  Status wait(Nanos most, ClusterListener& listener) override;
  void wake() override { transport_.wake(); }

  /// What has not been listed yet, or heard of for too long, or not as far as the leader before
  /// had, and whether the store is in doubt; for who asks why it is not ready.
  std::vector<std::string> unsynced() const;
  ApiClusterCounts counts() const;
  /// Who holds the lease; empty: nobody, or there is none.
  std::string leader() const;
  /// See LeaseKeeper; empty: there is no lease, too.
  std::optional<Nanos> lease_deadline() const;
  bool is_leading() const { return !lease_ || lease_->election().is_leading(now()); }

 private:
  class Kind;
  enum class About : std::uint8_t {
    kCollection,
    kBind,
    kRead,
    kVictim,
    kEvict,
    kClaim,
    kUnawaited,
    kCondition,
    kTold,
    kLook,
  };
  struct Call {
    About about = About::kTold;
    Kind* kind = nullptr;            // kCollection
    std::uint64_t ticket = 0;        // kBind, kRead, kVictim, kEvict, kClaim: the caller's
    BindRequest bind;                // kBind
    PodName read;                    // kRead
    EvictRequest evict;              // kVictim, kEvict
    PodName claim;                   // kClaim
    Unschedulable condition;         // kCondition
    std::optional<SentEvent> event;  // kTold
  };

  std::uint64_t send(ApiRequest request, Call call);
  bool may_write(ApiRequest& request) const;
  bool send_write(ApiRequest request, Call call);
  Status keep_lease(Nanos now);
  bool follows() const;
  bool may_others_write(Nanos now) const;
  Nanos catch_up(Nanos now);
  HeardVersions heard() const;
  void refuse_unsent(ClusterListener& listener);
  bool is_quiet(Nanos now) const;
  void queue(QueuedEvent event);
  bool holds_events() const { return now() < events_from_; }
  bool is_told() const;
  bool tells_first(const EvictRequest& request) const;
  std::optional<Nanos> next_to_tell() const;
  void send_conditions();
  void tell_forbidden(unsigned status, ClusterListener& listener);
  void send_queued();
  void report(const codec::ApiEvent& event, bool may_come_again = false);
  void warn(codec::ApiEvent event);
  void take_told(const Call& call, const ApiAnswer& answer);
  bool is_listed() const;
  void distrust(Nanos since);
  bool has_its_turn(const Kind& kind) const;
  Nanos begin_calls(Nanos now);
  void hasten(Nanos now);
  template <typename Act>
  void each_reflector(Act act);
  void note_doubts(Nanos now, ClusterListener& listener);
  void look(Nanos now);
  std::optional<Nanos> next_look(Nanos now) const;
  void take_looked(const ApiAnswer& answer, ClusterListener& listener);
  void list_all(Nanos now, ClusterListener& listener);
  void begin_call(Kind& kind, Nanos now);
  void end_call(Kind& kind);
  void opened(std::uint64_t ticket, ClusterListener& listener);
  void take(std::uint64_t ticket, std::string_view line, ClusterListener& listener);
  void take(std::uint64_t ticket, const ApiAnswer& answer, ClusterListener& listener);
  static void heed(const ApiAnswer& answer, ClusterListener& listener);
  void take_bound(const Call& call, const ApiAnswer& answer, ClusterListener& listener);
  void take_read(const Call& call, const ApiAnswer& answer, ClusterListener& listener);
  void take_claimed(const Call& call, const ApiAnswer& answer, ClusterListener& listener);
  void take_victim(Call call, const ApiAnswer& answer, ClusterListener& listener);
  void take_evicted(const Call& call, const ApiAnswer& answer, ClusterListener& listener);
  void tell_not_evicted(const EvictRequest& evict, const ApiAnswer& answer,
                        ClusterListener& listener);
  void take_collection(Kind& kind, const ApiAnswer& answer, ClusterListener& listener);
  void flush(ClusterListener& listener);
  Nanos now() const { return Nanos(clock_.now()); }

  ApiTransport& transport_;
  const Clock& clock_;
  const WallClock& wall_clock_;
  ApiClusterOptions options_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::optional<WatchReader> page_reader_;  // while pages come: one for all
  std::unique_ptr<LatencyWatch> latency_;   // null: the cluster's are not asked for
  std::optional<LeaseKeeper> lease_;
  std::vector<Call> unsent_;  // writes that came when they must not be sent any more
  std::unordered_map<std::uint64_t, Call> calls_;  // under way
  std::uint64_t last_ticket_ = 0, last_event_ = 0;
  std::deque<QueuedEvent> queued_;
  std::unique_ptr<ConditionQueue> conditions_;
  bool are_conditions_forbidden_ = false, are_reads_refused_ = false;
  bool are_deletions_refused_ = false, are_evictions_refused_ = false;
  bool expects_writes_ = false, has_claimed_ = false;
  Nanos queued_since_{0};               // while there are any
  Nanos events_from_{0};                // as the server asked for
  std::optional<Nanos> refused_since_;  // Events by such a server, and none was taken since
  std::size_t telling_ = 0;             // of them under way
  EventLedger ledger_;                  // of Events that may say the same again and again
  std::uint64_t events_dropped_ = 0;
  int turns_in_haste_ = 0;  // at most as many as count
  // Whether the store is where it was is not known, or is asked, of `looked_for_`.
  bool is_doubtful_ = false, is_looking_ = false, has_look_returned_ = false;
  std::string looked_for_;
  LastFailure look_failure_;
  Nanos look_from_{0}, look_not_before_{0}, look_pause_{0}, doubtful_since_{0};
};

}  // namespace gedge
