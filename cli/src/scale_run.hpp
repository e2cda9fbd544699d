// scale_run.hpp - the running autoscaler: its loop in one thread, and who asks after it in another.
#pragma once

#include <mutex>
#include <optional>

#include "agent_guard.hpp"
#include "event_log.hpp"
#include "exit.hpp"
#include "gedge/codec/scaler_replies.hpp"
#include "gedge/drive/scale_loop.hpp"
#include "gedge/port/ip_address.hpp"
#include "io.hpp"
#include "status_server.hpp"
#include "watchdog.hpp"

namespace gedge::cli {

class ScaleRun {
 public:
  /// All of them outlive it.
  ScaleRun(Scaler scaler, ApiTransport& transport, ApiTransport* prometheus,
           const WallClock& wall_clock, const ScaleLoopOptions& options, Io& io, EventLog& log);

  /// Answers probes and Prometheus while it runs, and stops on SIGTERM and SIGINT. Errors: those of
  /// opening a server, and of reading the files of `guard`.
  Status listen(const IpAddress& address, const AgentGuard& guard);
  /// The process ends at once with Exit::kWorld where the lease ran out and the loop hangs, or the
  /// end itself does. `watchdog` outlives it.
  void watch_lease(Watchdog& watchdog) { watchdog_ = &watchdog; }
  Exit run();

 private:
  ScaleEvents events();
  void turned();
  void tell(const ScaleReport& report);
  void tell_size(const ScaleReport& report);
  Exit exit_of(const Status& ended, int signal) const;
  ScalerFacts facts() const;

  Io& io_;
  EventLog& log_;
  StatusServer server_;
  bool is_once_;
  bool lacks_an_answer_ = false;
  ScaleLoop loop_;
  std::optional<bool> was_leading_;
  std::uint64_t lease_seizures_ = 0;  // that were told
  Watchdog* watchdog_ = nullptr;      // null: nobody waits for the lease of this process

  mutable std::mutex mutex_;  // of all below: the two threads share it
  ScalerFacts facts_;
  Micros turned_{0};
};

}  // namespace gedge::cli
