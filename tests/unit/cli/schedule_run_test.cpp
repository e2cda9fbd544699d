// The watchdog over the lease of a scheduler that runs.
#include "schedule_run.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <utility>

#include "gedge/policy/profile.hpp"
#include "memory_io.hpp"
#include "unit/drive/quiet_link.hpp"

namespace {

using namespace gedge;
using cli::EventLog;
using cli::Exit;
using cli::Io;
using cli::ScheduleRun;
using cli::Stream;
using cli::Watchdog;

constexpr Nanos kSecond{1'000'000'000}, kDeadline = 10 * kSecond;
constexpr std::chrono::minutes kPatience{1};

class HandClock final : public Clock, public WallClock {
 public:
  Micros now() const override { return Micros{micros_}; }
  UnixSeconds date() const override { return 0; }
  void set(Nanos time) { micros_ = std::chrono::duration_cast<Micros>(time).count(); }

 private:
  std::atomic<std::int64_t> micros_{0};
};

/// Whoever waits for it learns that the lease was lost: at once, or when the watchdog has found out
/// that nobody did.
class LosingLink final : public test::QuietLink {
 public:
  LosingLink(HandClock& clock, std::future<void>* late) : clock_(clock), late_(late) {}
  bool is_synced() const override { return false; }
  Status wait(Nanos, ClusterListener&) override {
    if (late_ != nullptr) {
      clock_.set(kDeadline + 2 * kSecond);
      was_late = late_->wait_for(kPatience) == std::future_status::ready;
    }
    return Error{Errc::kDenied, "the lease was lost", {}, {}};
  }

  bool was_late = false;

 private:
  HandClock& clock_;
  std::future<void>* late_;  // null: it does not hang
};

Scheduler scheduler_of_nothing() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  return Scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
}

Exit run_until_lost(HandClock& clock, Watchdog& watchdog, ClusterLink& link) {
  test::MemoryFiles files;
  Stream out = Stream::in_memory(), err = Stream::in_memory();
  Io io{out, err, files, {}, clock};
  EventLog log(err, clock, {});
  ScheduleRun run(
      scheduler_of_nothing(), link, [](SchedulerFacts&) {}, {}, io, log);
  run.watch_lease(watchdog, [] { return std::optional(kDeadline); });
  return run.run();
}

TEST_CASE("schedule run: one that hangs is ended soon after its lease has run out") {
  HandClock clock;
  std::promise<void> said;
  std::future<void> late = said.get_future();
  Watchdog watchdog(clock, [&] { said.set_value(); });
  LosingLink link(clock, &late);
  CHECK(run_until_lost(clock, watchdog, link) == Exit::kWorld);
  CHECK(link.was_late);
}

TEST_CASE("schedule run: one that has nothing more to do is ended where it does not end") {
  HandClock clock;
  std::promise<void> said;
  std::future<void> late = said.get_future();
  Watchdog watchdog(clock, [&] { said.set_value(); });
  LosingLink link(clock, nullptr);
  CHECK(run_until_lost(clock, watchdog, link) == Exit::kWorld);
  clock.set(5 * kSecond);
  CHECK(late.wait_for(kPatience) == std::future_status::ready);
}

}  // namespace
