// schedule_run.hpp - the running scheduler: its loop in one thread, and who asks after it in
// another.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "agent_guard.hpp"
#include "event_log.hpp"
#include "exit.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/codec/scheduler_replies.hpp"
#include "gedge/drive/schedule_loop.hpp"
#include "gedge/io/service_manager.hpp"
#include "gedge/port/ip_address.hpp"
#include "io.hpp"
#include "profile_source.hpp"
#include "status_server.hpp"
#include "watchdog.hpp"

namespace gedge::cli {

/// What the link knows beyond the port.
using LinkFacts = std::function<void(SchedulerFacts&)>;
/// Until when this process holds the lease; empty: it does not.
using LeaseDeadline = std::function<std::optional<Nanos>()>;

class ScheduleRun {
 public:
  /// All of them outlive it.
  ScheduleRun(Scheduler scheduler, ClusterLink& link, LinkFacts link_facts,
              const ScheduleLoopOptions& options, Io& io, EventLog& log);

  /// Answers probes and Prometheus while it runs, and stops on SIGTERM and SIGINT. Errors: those of
  /// opening a server, and of reading the files of `guard`.
  Status listen(const IpAddress& address, const AgentGuard& guard);
  /// Reads profiles again on SIGHUP, and when their file has changed: those that can be used are,
  /// from then on. `source` outlives it. Before listen().
  void follow(ProfileSource& source) { profiles_ = &source; }
  /// The process ends at once with Exit::kWorld where the lease ran out and the loop hangs, or the
  /// end itself does. `deadline` is called in the thread that runs; `watchdog` outlives it, and
  /// expects the end of the process soon after that of run().
  void watch_lease(Watchdog& watchdog, LeaseDeadline deadline);
  Exit run();

  const Scheduler& scheduler() const { return loop_.scheduler(); }

 private:
  ScheduleEvents events();
  void turned();
  void tell_manager(const SchedulerFacts& facts);
  void read_profiles();
  void refuse_profiles(const Errors& errors);
  Exit exit_of(const Status& ended, int signal) const;
  SchedulerFacts facts() const;
  void tell(const BindRequest& bind, BindAnswer answer);

  Io& io_;
  EventLog& log_;
  StatusServer server_;
  ClusterLink& link_;
  LinkFacts link_facts_;
  ScheduleLoopOptions options_;
  ScheduleLoop loop_;
  Durations bind_times_;
  std::optional<bool> was_leading_;
  std::uint64_t lease_seizures_ = 0;  // that were told
  ProfileSource* profiles_ = nullptr;
  std::atomic<bool> is_asked_for_profiles_{false};
  Nanos profiles_at_{0};  // when they are looked at next
  std::string profile_;   // fingerprint of those that decide
  std::uint64_t profiles_used_ = 0, profiles_refused_ = 0;
  ServiceManager manager_ = ServiceManager::of_environment();
  std::string told_manager_;  // how it is
  Nanos told_manager_at_{0};
  LeaseDeadline lease_deadline_;
  Watchdog* watchdog_ = nullptr;  // null: nobody waits for the lease of this process

  mutable std::mutex mutex_;  // of all below: the two threads share it
  SchedulerFacts facts_;
  Micros turned_{0};
};

}  // namespace gedge::cli
