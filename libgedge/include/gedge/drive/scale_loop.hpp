// gedge/drive/scale_loop.hpp - autoscalers between a cluster, its metrics and Prometheus.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/codec/scale_requests.hpp"
#include "gedge/control/event_ledger.hpp"
#include "gedge/control/reflector.hpp"
#include "gedge/control/scaler.hpp"
#include "gedge/drive/lease_keeper.hpp"
#include "gedge/drive/queued_event.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/wall_clock.hpp"

namespace gedge {

class ObjectWatch;
class SiteDesk;
class WorkloadLists;
namespace codec {
struct ApiEvent;
}

struct ScaleLoopOptions {
  std::string namespace_name;                  ///< nothing else is looked at; empty: all of them
  std::string autoscaling = "autoscaling/v2";  ///< the version of objects that the server has
  bool writes = true;        ///< false: nothing at all is written, no Event either
  bool grows = false;        ///< replicas of some autoscaler: what that needs is kept of all pods
  bool is_one_pass = false;  ///< ends when everything was looked at once
  std::string controller = "gedge-autoscaler";  ///< who reports Events
  std::string instance;                         ///< which process of it
  std::uint64_t seed = 0;                       ///< of jitter and of the names of Events
  ReflectorOptions reflector;
  SiteDesk* sites = nullptr;  ///< outlives the loop; null: nobody knows what fits on sites
  /// With one, nothing is read and nothing written but by the process that holds it.
  std::optional<LeaseOptions> lease;
  Nanos settle_within{15'000'000'000};  ///< after stop(), of writes that are under way
  Nanos turns_within{60'000'000'000};   ///< where nothing happens
};

struct ScaleLoopCounts {
  std::uint64_t lists = 0, watches = 0, objects = 0, unreadable = 0, events_dropped = 0;
  std::uint64_t lease_seizures = 0;  ///< see LeaderElection
};

/// What happens; called in the thread that runs.
struct ScaleEvents {
  std::function<void()> synced = [] {};
  std::function<void(const ScaleReport&)> reported = [](const ScaleReport&) {};
  std::function<void(const Error&)> failed = [](const Error&) {};
  /// Something that had failed works again.
  std::function<void()> recovered = [] {};
  /// Once a turn, after everything else.
  std::function<void()> turned = [] {};
};

/// Nothing is decided before all pods and autoscalers are known.
class ScaleLoop {
 public:
  /// `prometheus` null: queries are not answered. All of them outlive it.
  ScaleLoop(Scaler scaler, ApiTransport& transport, ApiTransport* prometheus, const Clock& clock,
            const WallClock& wall_clock, ScaleLoopOptions options, ScaleEvents events);
  ~ScaleLoop();

  /// Until stop(); then what was sent is settled, or given `settle_within`. Errors: kDenied where
  /// the lease was lost; those of Scaler::advance and ApiTransport::wait.
  Status run();
  /// From any thread.
  void stop();

  const Scaler& scaler() const { return scaler_; }
  ScaleLoopCounts counts() const;
  bool is_synced() const;
  /// What has not been listed yet.
  std::vector<std::string> unsynced() const;
  bool is_leading() const { return !lease_ || lease_->election().is_leading(now()); }
  /// Who holds the lease; empty: nobody, or there is none.
  std::string leader() const;
  /// See LeaseKeeper; empty: there is no lease, too.
  std::optional<Nanos> lease_deadline() const;

 private:
  enum class About : std::uint8_t {
    kScale,
    kScales,
    kWorkload,
    kMetric,
    kQuery,
    kKind,
    kWrite,
    kTold
  };
  struct Call {
    About about = About::kTold;
    std::uint64_t ticket = 0;        // the scaler's
    ObjectName object;               // kScale, kWorkload, kKind
    MetricRead read;                 // kMetric, kQuery
    std::vector<ScaleRead> scales;   // kScales
    std::optional<SentEvent> event;  // kTold
  };
  /// Reads that wait until it is known how paths call a kind.
  struct Waiting {
    std::vector<ScaleRead> scales;
    std::vector<MetricRead> metrics;
  };

  void watch_all();
  bool begin_turn(Nanos now);
  bool is_current(Nanos now) const;
  void send();
  void send(const ScaleRead& read);
  void send_list(std::vector<ScaleRead> reads);
  void take_list(std::vector<ScaleRead> reads, const ApiAnswer& answer);
  void send_whole(const ScaleRead& read);
  void send(const MetricRead& read);
  void send(SiteQuestion question);
  void send(ScaleWrite write);
  void send(ApiRequest request, Call call);
  void ask_kind(const ObjectName& object, Waiting waiting);
  void take_kind(const ObjectName& object, const ApiAnswer& answer);
  std::optional<codec::KindName> kind_of(const ObjectName& object) const;
  void take_line(std::uint64_t ticket, std::string_view line);
  void take(std::uint64_t ticket, const ApiAnswer& answer);
  void take_from_desk();
  void tell(const ScaleReport& report);
  void tell_size(const ScaleReport& report);
  void tell_status(const ScaleReport& report);
  void tell_event(const ScaleReport& report, bool is_warning, std::string reason, std::string note);
  void queue(QueuedEvent event);
  std::optional<Nanos> held_until() const;
  void send_queued();
  bool may_write(ApiRequest& request) const;
  Status keep_lease(Nanos now);
  Status wait(Nanos most);
  Nanos patience(Nanos now) const;
  bool is_over(Nanos now);
  Nanos now() const { return Nanos(clock_.now()); }

  Scaler scaler_;
  ApiTransport& transport_;
  ApiTransport* prometheus_;
  const Clock& clock_;
  const WallClock& wall_clock_;
  ScaleLoopOptions options_;
  ScaleEvents events_;
  std::vector<std::unique_ptr<ObjectWatch>> watches_;
  std::optional<LeaseKeeper> lease_;
  std::uint64_t last_ticket_ = 0, last_event_ = 0;
  std::unique_ptr<WorkloadLists> lists_;
  std::unordered_map<std::uint64_t, Call> calls_;  // under way
  std::size_t queries_ = 0;                        // of them, asked of Prometheus
  std::map<std::uint64_t, ScaleWrite> marking_;    // by ticket: their pods are told first
  std::map<std::string, codec::KindName> kinds_;   // by group, version and kind
  std::map<std::string, Waiting> waiting_;         // the same
  std::deque<QueuedEvent> queued_;                 // and statuses
  Nanos queued_since_{0};                          // while there are any
  std::size_t telling_ = 0;                        // of them under way
  EventLedger ledger_;
  std::shared_ptr<std::atomic<Nanos>> write_until_ =
      std::make_shared<std::atomic<Nanos>>(Nanos::max());
  std::uint64_t events_dropped_ = 0;
  bool was_synced_ = false, has_left_ = false;
  std::optional<Nanos> give_up_;  // since stop() was seen
  std::atomic<bool> stopping_{false};
};

}  // namespace gedge
