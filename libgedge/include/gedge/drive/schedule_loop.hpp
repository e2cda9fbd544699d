// gedge/drive/schedule_loop.hpp - a scheduler between the cluster that it watches and binds pods
// of.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "gedge/control/scheduler.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/cluster_link.hpp"

namespace gedge {

struct ScheduleLoopOptions {
  bool is_dry_run = false;   ///< asks nothing of the cluster; the scheduler awaits no volumes then
  bool is_one_pass = false;  ///< ends when every pod that waits was tried and every bind settled
  Nanos settle_within{15'000'000'000};  ///< after stop(), of binds that are under way
  /// What was settled is told back by the cluster within that, or the next leader has to list it.
  /// 0: nobody takes over.
  Nanos told_back_within{0};
  Nanos turns_within{60'000'000'000};  ///< where nothing happens
};

/// What happens; called in the thread that runs.
struct ScheduleEvents {
  std::function<void()> synced = [] {};
  /// The place was decided; a bind is on its way, but in a dry run.
  std::function<void(const BindRequest&)> placed = [](const BindRequest&) {};
  /// The cluster said so, so long after it was asked.
  std::function<void(const BindRequest&, Nanos)> bound = [](const BindRequest&, Nanos) {};
  std::function<void(const BindRequest&, Nanos, BindAnswer)> not_bound = [](const BindRequest&,
                                                                            Nanos, BindAnswer) {};
  /// A pod is asked to go, for another or as a repair; in a dry run it would be.
  std::function<void(const EvictRequest&)> evicted = [](const EvictRequest&) {};
  std::function<void(const Unschedulable&)> unschedulable = [](const Unschedulable&) {};
  std::function<void(const Overcommit&)> overcommitted = [](const Overcommit&) {};
  std::function<void(const Misplaced&)> misplaced = [](const Misplaced&) {};
  /// The cluster carries round-trip times, and these are all of them now.
  std::function<void(const RttMatrix&)> measured = [](const RttMatrix&) {};
  std::function<void(const Error&)> failed = [](const Error&) {};
  /// Something that had failed works again.
  std::function<void()> recovered = [] {};
  /// Once a turn, after everything else.
  std::function<void()> turned = [] {};
};

/// Nothing is decided before the whole cluster is known.
class ScheduleLoop final : private ClusterListener {
 public:
  /// `link` and `clock` outlive it.
  ScheduleLoop(Scheduler scheduler, ClusterLink& link, const Clock& clock,
               const ScheduleLoopOptions& options, ScheduleEvents events);

  /// Until stop(); then binds under way are settled, or given `settle_within`. Errors: those of
  /// Scheduler::advance and ClusterLink::wait.
  Status run();
  /// From any thread.
  void stop();
  /// Turns once soon, whether anything happens or not. From any thread.
  void wake() { link_.wake(); }
  /// As of Scheduler. In the thread that runs: from one of its events.
  Status use(std::vector<Profile> profiles) { return scheduler_.use(std::move(profiles)); }

  const Scheduler& scheduler() const { return scheduler_; }

 private:
  void put(Facts objects) override;
  void put_listed(Facts objects) override;
  void remove(FactKind kind, std::string_view namespace_name, std::string_view name,
              std::string_view uid) override;
  void keep_only(FactKind kind, std::vector<PodName> names) override;
  void measured(RttMatrix&& rtt) override;
  void answer(std::uint64_t ticket, BindAnswer answer) override;
  void answer(std::uint64_t ticket, const PodReading& reading) override;
  void answer(std::uint64_t ticket, EvictAnswer answer) override;
  void answer(std::uint64_t ticket, ClaimAnswer answer) override;
  void rest(Nanos how_long) override;
  void failed(const Error& error) override;
  void recovered() override { events_.recovered(); }

  struct SentBind {
    BindRequest bind;
    Nanos at{0};
  };
  struct Going {
    PodName pod;
    SharedText uid;
  };
  Status decide();
  void fail(const Error& error);
  void send();
  bool is_over(Nanos now);
  void drop_gone();
  Nanos patience(Nanos now) const;
  Nanos now() const { return Nanos(clock_.now()); }

  Scheduler scheduler_;
  ClusterLink& link_;
  const Clock& clock_;
  ScheduleLoopOptions options_;
  ScheduleEvents events_;
  std::map<std::uint64_t, SentBind> binds_;  // not answered
  std::size_t asked_ = 0;                    // evictions and claims under way
  std::map<std::uint64_t, Going> victims_;   // of evictions under way
  std::vector<Going> going_;                 // they have been asked to, and were not seen to
  bool was_synced_ = false;
  std::optional<Nanos> give_up_;   // since stop() was seen
  std::optional<Nanos> leave_by_;  // since all was settled
  std::optional<Error> failure_;   // why it stops by itself
  bool has_left_ = false;
  std::atomic<bool> stopping_{false};
};

}  // namespace gedge
