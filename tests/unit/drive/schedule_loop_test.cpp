// The scheduler's loop and a cluster that does not answer.
#include "gedge/drive/schedule_loop.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"
#include "unit/drive/quiet_link.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

/// Tells of three nodes and some pods, answers no bind, and is its own clock: time passes while it
/// waits.
class SilentLink final : public QuietLink, public Clock {
 public:
  Micros now() const override { return std::chrono::duration_cast<Micros>(now_); }
  void bind(const BindRequest&) override { ++binds; }
  bool is_synced() const override { return waits > 0; }
  void leave(bool /*is_told_back*/) override { ++leaves; }
  Status wait(Nanos most, ClusterListener& listener) override {
    REQUIRE(++waits < 1'000);
    now_ += most;
    if (waits > 1) return {};
    Facts facts = three_nodes();
    add_pods(facts, "Deployment", "web", 3);
    listener.put(std::move(facts));
    return {};
  }

  int binds = 0, leaves = 0, waits = 0;

 private:
  Nanos now_ = kSecond;
};

}  // namespace

TEST_CASE("schedule loop: a stop waits for binds under way, and not for ever") {
  SilentLink link;
  LiveOptions live;
  live.profiles = {*builtin_profile("edge", Compat::k1_36)};
  SchedulerOptions queue;
  queue.first_binds = 3;
  ScheduleLoopOptions options;
  options.settle_within = 7 * kSecond;
  Micros stopped{0};
  ScheduleLoop* running = nullptr;
  ScheduleEvents events;
  events.turned = [&] {
    if (link.binds == 0 || stopped != Micros{0}) return;
    stopped = link.now();
    running->stop();
  };
  ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, queue), link, link, options,
                    events);
  running = &loop;
  REQUIRE(loop.run());
  CHECK(link.binds == 3);
  CHECK(link.now() == stopped + Micros{7'000'000});
  CHECK(link.leaves == 0);  // what is under way may still be done: the lease is not given away
}

namespace {

/// Tells of a pod that waits when it is asked again, and knows nothing for sure before.
class StaleLink final : public QuietLink, public Clock {
 public:
  Micros now() const override { return std::chrono::duration_cast<Micros>(now_); }
  void bind(const BindRequest&) override { ++binds; }
  bool is_synced() const override { return waits == 1 || is_refreshed; }
  void refresh() override { ++refreshes; }
  Status wait(Nanos, ClusterListener& listener) override {
    now_ += kSecond;
    ++waits;
    if (waits == 1) listener.put(three_nodes());
    if (waits == 2) {
      Facts facts;
      add_pods(facts, "Pod", "a", 1);
      listener.put(std::move(facts));
    }
    return {};
  }

  int binds = 0, waits = 0, refreshes = 0;
  bool is_refreshed = false;

 private:
  Nanos now_ = kSecond;
};

}  // namespace

TEST_CASE("schedule loop: what is not known any more is asked for, and nothing is decided before") {
  StaleLink link;
  LiveOptions live;
  live.profiles = {*builtin_profile("kube", Compat::k1_36)};
  ScheduleLoop* running = nullptr;
  ScheduleEvents events;
  events.turned = [&] {
    if (link.waits == 1) CHECK(link.refreshes == 0);  // nobody waits
    if (link.waits < 10) {
      CHECK(link.binds == 0);
    } else if (link.waits == 10) {
      CHECK(link.refreshes == 9);
      link.is_refreshed = true;
    } else {
      running->stop();
    }
    REQUIRE(link.waits < 50);
  };
  ScheduleLoopOptions options;
  options.settle_within = kSecond;
  ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, {}), link, link, options,
                    events);
  running = &loop;
  REQUIRE(loop.run());
  CHECK(link.binds == 1);
}

namespace {

/// Nobody knows what became of its binds, and for some time nobody can read; it asks a pod to go,
/// and says later that it does. Time passes while it waits.
class UnclearLink final : public QuietLink, public Clock {
 public:
  Micros now() const override { return std::chrono::duration_cast<Micros>(now_); }
  void bind(const BindRequest& request) override { binds.push_back(request); }
  void read(const ReadRequest& request) override { reads_.push_back(request.ticket); }
  void evict(const EvictRequest& request) override { evictions.push_back(request.ticket); }
  bool is_synced() const override { return waits_ > 0; }
  void leave(bool is_told_back) override {
    left = now();
    was_told_back = is_told_back;
  }
  Status wait(Nanos most, ClusterListener& listener) override {
    REQUIRE(++waits_ < 1'000);
    if (waits_ == 1) {
      listener.put(Facts(facts));
      return {};
    }
    now_ += std::min(most, kSecond);
    for (const std::uint64_t ticket : std::exchange(reads_, {})) {
      PodReading reading;
      if (now_ >= readable_at) reading = {PodReading::Kind::kFound, {}, binds.front().node};
      listener.answer(ticket, reading);
    }
    if (!is_asked_) {
      for (const BindRequest& bind : binds) listener.answer(bind.ticket, BindAnswer::kUnknown);
      is_asked_ = !binds.empty();
    }
    if (now_ >= readable_at)
      for (const std::uint64_t ticket : std::exchange(evictions, {})) {
        listener.answer(ticket, EvictAnswer::kGoing);
        for (Pod& pod : facts.pods) pod.terminating = true;
        if (tells_who_goes) listener.put(Facts(facts));
      }
    return {};
  }

  Facts facts = three_nodes();
  std::vector<BindRequest> binds;
  std::vector<std::uint64_t> evictions;
  Nanos readable_at{0};
  std::optional<Micros> left;
  bool was_told_back = false, tells_who_goes = false;

 private:
  Nanos now_ = kSecond;
  std::vector<std::uint64_t> reads_;
  int waits_ = 0;
  bool is_asked_ = false;
};

// Stops as soon as something was asked of it. Returns how long it went on.
Nanos stop_after_first(UnclearLink& link) {
  LiveOptions live;
  live.profiles = {*builtin_profile("kube", Compat::k1_36)};
  ScheduleLoop* running = nullptr;
  std::optional<Micros> stopped;
  ScheduleEvents events;
  events.turned = [&] {
    if (stopped || (link.binds.empty() && link.evictions.empty())) return;
    stopped = link.now();
    link.readable_at = Nanos(link.now()) + 3 * kSecond;
    running->stop();
  };
  ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, {}), link, link, {}, events);
  running = &loop;
  REQUIRE(loop.run());
  REQUIRE(stopped);
  return Nanos(link.now() - *stopped);
}

}  // namespace

TEST_CASE("schedule loop: a stop reads again what became of binds that nobody knows of") {
  UnclearLink link;
  add_pods(link.facts, "Pod", "a", 1);
  const Nanos after = stop_after_first(link);
  CHECK(link.left);
  CHECK(after >= 3 * kSecond);
  CHECK(after < 15 * kSecond);  // what it would wait for those of whom nobody ever knows
}

namespace {

/// Answers binds at once, and tells of them `late` after that; until `busy_until` after them it has
/// something else to say. Time passes while it waits.
class LateLink final : public QuietLink, public Clock {
 public:
  Micros now() const override { return std::chrono::duration_cast<Micros>(now_); }
  void bind(const BindRequest& request) override { binds_.push_back(request); }
  bool is_synced() const override { return waits_ > 0; }
  void leave(bool is_told_back) override {
    was_told_back = is_told_back;
    left = now_ - bound_at_;
  }
  Status wait(Nanos most, ClusterListener& listener) override {
    REQUIRE(++waits_ < 1'000);
    if (waits_ == 1) {
      listener.put(facts);
      return {};
    }
    if (!is_answered_ && !binds_.empty()) {
      is_answered_ = true;
      bound_at_ = now_;
      for (const BindRequest& bind : binds_) listener.answer(bind.ticket, BindAnswer::kBound);
      return {};
    }
    now_ += std::min(most, Nanos{100'000'000});
    if (now_ < bound_at_ + late) return {};
    facts.pods.front().bound_node = binds_.front().node;
    listener.put(facts);
    return {};
  }

  std::size_t untold() const override {
    const Nanos since = now_ - bound_at_;
    return is_answered_ && since > Nanos{0} && since < busy_until ? 1 : 0;
  }

  Facts facts = three_nodes();
  Nanos late{0}, busy_until{0};
  std::optional<Nanos> left;  // after the bind
  bool was_told_back = false;

 private:
  Nanos now_ = kSecond, bound_at_{0};
  std::vector<BindRequest> binds_;
  int waits_ = 0;
  bool is_answered_ = false;
};

}  // namespace

TEST_CASE("schedule loop: who hands over waits until its binds are told back, and not for long") {
  for (const auto& [late, busy, within, left, is_told_back] : {std::tuple(300, 0, 1'000, 300, true),
                                                               {2'000, 0, 1'000, 1'000, false},
                                                               {2'000, 1'500, 1'000, 1'500, false},
                                                               {300, 0, 0, 0, false}}) {
    const auto& shown_late = late;
    CAPTURE(shown_late);
    const auto& shown_busy = busy;
    CAPTURE(shown_busy);
    LateLink link;
    link.late = Nanos{1'000'000} * late;
    link.busy_until = Nanos{1'000'000} * busy;
    add_pods(link.facts, "Pod", "a", 1);
    LiveOptions live;
    live.profiles = {*builtin_profile("kube", Compat::k1_36)};
    ScheduleLoopOptions options;
    options.told_back_within = Nanos{1'000'000} * within;
    ScheduleLoop* running = nullptr;
    ScheduleEvents events;
    events.bound = [&](const BindRequest&, Nanos) { running->stop(); };
    ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, {}), link, link, options,
                      events);
    running = &loop;
    REQUIRE(loop.run());
    REQUIRE(link.left);
    CHECK(*link.left == Nanos{1'000'000} * left);
    CHECK(link.was_told_back == is_told_back);
  }
}

namespace {

/// A module that breaks its contract from some moment on.
struct BrokenModule final : PolicySource {
  std::unique_ptr<FilterPolicy> filter(std::string_view) const override { return nullptr; }
  std::unique_ptr<ScorePolicy> score(std::string_view) const override { return nullptr; }
  std::optional<Error> failure() const override {
    return is_broken ? std::optional(invalid_input("it gave n0 no score")) : std::nullopt;
  }
  bool is_broken = false;
};

}  // namespace

TEST_CASE("schedule loop: where nothing can be decided any more, what was sent is settled first") {
  BrokenModule module;
  UnclearLink link;
  add_pods(link.facts, "Pod", "a", 1);
  LiveOptions live;
  live.profiles = {*builtin_profile("kube", Compat::k1_36)};
  live.modules = &module;
  SchedulerOptions options;
  options.max_binds = 1;  // `b` is tried when the bind of `a` is unclear
  add_pods(link.facts, "Pod", "b", 1);
  ScheduleEvents events;
  events.turned = [&] {
    if (std::exchange(module.is_broken, !link.binds.empty())) return;
    link.readable_at = Nanos(link.now()) + 3 * kSecond;
  };
  ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, options), link, link, {},
                    events);
  const Status ended = loop.run();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().what == "it gave n0 no score");
  CHECK(link.binds.size() == 1);
  REQUIRE(link.left);
  CHECK(Nanos(*link.left) >= link.readable_at);
}

TEST_CASE("schedule loop: a stop waits for pods that were asked to go, and to hear that they go") {
  for (const bool tells : {false, true}) {
    UnclearLink link;
    link.tells_who_goes = tells;
    for (Node& node : link.facts.nodes) node.allocatable.set("pods", 1);
    add_pods(link.facts, "ReplicaSet", "low", 3);
    for (std::size_t i = 0; i < 3; ++i) link.facts.pods[i].bound_node = "n" + std::to_string(i);
    add_pods(link.facts, "Pod", "high", 1);
    link.facts.pods.back().priority = 100;
    CHECK(stop_after_first(link) >= 3 * kSecond);
    CHECK(link.evictions.empty());
    CHECK(link.left);
    CHECK(link.was_told_back == tells);
  }
}

namespace {

/// Binds no pod, and says so at once.
class RefusingLink final : public QuietLink, public Clock {
 public:
  Micros now() const override { return Micros{1'000'000}; }
  void bind(const BindRequest& request) override { binds.push_back(request.ticket); }
  bool is_synced() const override { return waits > 0; }
  Status wait(Nanos, ClusterListener& listener) override {
    REQUIRE(++waits < 1'000);
    Facts facts = three_nodes();
    add_pods(facts, "Deployment", "web", 3);
    if (waits == 1) listener.put(std::move(facts));
    for (const std::uint64_t ticket : binds) {
      listener.answer(ticket, BindAnswer::kRefused);
      ++refused;
    }
    binds.clear();
    return {};
  }

  std::vector<std::uint64_t> binds;
  int waits = 0, refused = 0;
};

}  // namespace

TEST_CASE("schedule loop: a pass whose binds are refused ends, and its pods have no place") {
  RefusingLink link;
  LiveOptions live;
  live.profiles = {*builtin_profile("kube", Compat::k1_36)};
  ScheduleLoopOptions options;
  options.is_one_pass = true;
  ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, {}), link, link, options,
                    {});
  REQUIRE(loop.run());
  CHECK(link.refused == 3);
  CHECK(loop.scheduler().parked() == 0);
  CHECK(loop.scheduler().unplaced() == 3);
}

namespace {

/// Whose calls have failed for too long from some second on: of lists, or of all that it did since.
class VainLink final : public QuietLink, public Clock {
 public:
  explicit VainLink(bool is_listed) : is_listed_(is_listed) {}
  Micros now() const override { return std::chrono::duration_cast<Micros>(now_); }
  bool is_synced() const override { return is_listed_ && now_ == 2 * kSecond; }
  const Error* failing() const override { return now_ >= 15 * kSecond ? &failure_ : nullptr; }
  void bind(const BindRequest& request) override { binds_.push_back(request.ticket); }
  Status wait(Nanos most, ClusterListener& listener) override {
    REQUIRE(most > Nanos{0});
    Facts facts = three_nodes();
    add_pods(facts, "Deployment", "web", 1);
    if (is_listed_ && now_ == kSecond) listener.put(std::move(facts));
    for (const std::uint64_t ticket : std::exchange(binds_, {}))
      listener.answer(ticket, BindAnswer::kRefused);
    now_ += std::min(most, kSecond);
    return now_ < 100 * kSecond ? Status{} : Status(Error{Errc::kTimeout, "over", {}, {}});
  }

 private:
  bool is_listed_;
  std::vector<std::uint64_t> binds_;
  Nanos now_ = kSecond;
  Error failure_{Errc::kDenied, "cannot read nodes", {}, {}};
};

}  // namespace

TEST_CASE("schedule loop: whoever tries once does not wait for lists that fail, nor later") {
  for (const auto& [is_one_pass, is_listed] :
       {std::pair(true, false), {true, true}, {false, false}, {false, true}}) {
    VainLink link(is_listed);
    ScheduleLoopOptions options;
    options.is_one_pass = is_one_pass;
    LiveOptions live;
    live.profiles = {*builtin_profile("kube", Compat::k1_36)};
    ScheduleLoop loop(Scheduler(LiveCluster(std::move(live)), {"gedge"}, {}), link, link, options,
                      {});
    const Status ended = loop.run();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().what == (is_one_pass ? "cannot read nodes" : "over"));
    CHECK(link.now() == Micros{1'000'000} * (is_one_pass ? 15 : 100));
  }
}
