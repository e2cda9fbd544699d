// Two schedulers, of which the one works that holds the Lease: they freeze, die and are cut off
// from it, their clocks run at other speeds, and requests and answers get lost. Who waits follows,
// late. Never do two lead, and what both do together is what one may do.
//
//   GEDGE_SIM_RUNS=100000   more runs
//   GEDGE_SEED=4711         only this one
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gedge/control/leader_election.hpp"
#include "gedge/control/scheduler.hpp"
#include "gedge/sim/bind_budget.hpp"
#include "gedge/sim/cluster.hpp"
#include "gedge/sim/memory_checks.hpp"
#include "support/dice.hpp"
#include "support/meddled_site.hpp"
#include "support/sim_site.hpp"

namespace {

using namespace gedge;
using test::Dice;

constexpr std::uint64_t kFirstSeed = 6'000'000, kRuns = 300;
constexpr int kSteps = 250, kCalmSteps = 400;
constexpr std::size_t kMostBinds = 4;
constexpr const char* kAll = "all";  // the watch of everything that there is
constexpr Nanos kBindTimeout{10'000'000'000};
constexpr Nanos kRenewDeadline = LeaderElectionOptions{}.renew_deadline;

/// As the server keeps it.
struct LeaseStore {
  std::optional<Lease> lease;
  int version = 0;

  bool write(const LeaseCall& call) {
    const bool creates = call.kind == LeaseCall::Kind::kCreate;
    if (creates == lease.has_value() || (lease && lease->version != call.lease.version))
      return false;
    lease = call.lease;
    lease->version = std::to_string(++version);
    return true;
  }
};

struct BindMessage {
  std::size_t who = 0, life = 0;
  Nanos at{0}, expires{0};
  BindRequest bind;
  bool is_lost = false, is_mute = false;
};
struct LeaseMessage {
  std::size_t who = 0, life = 0;
  Nanos at{0}, expires{0};
  LeaseCall call;
  bool is_lost = false, is_mute = false;
  Nanos begun{0};  // by the clock of who sent it
};

/// What an instance is told.
struct Answer {
  Nanos at{0};
  std::size_t life = 0;
  std::optional<LeaseCall::Kind> lease = {};  // else of a bind, or of a read
  bool is_known = false, is_taken = false;
  std::optional<Lease> found = {};
  std::uint64_t ticket = 0;
  bool is_reading = false;
  BindAnswer answer = BindAnswer::kUnknown;
  PodReading reading = {};
  Nanos begun{0};  // of a call about the lease, by the clock of who sent it
};

struct Instance {
  std::size_t life = 0;
  int speed = 100;  // of its clock, per cent
  std::unique_ptr<LeaderElection> election;
  std::unique_ptr<Scheduler> scheduler;  // null before anybody leads
  std::optional<Nanos> known_from;       // it knows what others wrote until then
  BindBudget budget{kMostBinds, kMostBinds};
  std::size_t seen = 0;                 // version of the watch
  Nanos frozen_until{0}, cut_until{0};  // cut: from the lease
  Nanos deaf_until{0};                  // its watch says nothing
  std::optional<Nanos> renewed;         // when the last renewal that succeeded began, by its clock
  std::vector<BindRequest> outbox;      // decided, not yet sent
  std::deque<Answer> answers;
  bool is_leaving = false, has_left = false;

  Nanos local(Nanos now) const { return now * speed / 100; }
  /// How long that much of its time is.
  Nanos real(Nanos of_its_own) const { return of_its_own * 100 / speed; }
};

class Run {
 public:
  explicit Run(std::uint64_t seed) : dice_(seed), server_(Facts{}) {
    test::fill(server_);
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      instances_[i].speed = static_cast<int>(dice_.between(85, 120));
      start(i);
    }
  }
  void step();
  void calm_down();
  std::vector<std::string> failures;
  std::uint64_t faults = 0, binds = 0, leaders = 0, late = 0, handed_over = 0;

 private:
  void fail(const std::string& what) { failures.push_back(what); }
  bool chance(std::size_t percent) {
    const bool happens = faulty_ && dice_.chance(percent);
    faults += happens ? 1U : 0U;
    return happens;
  }
  Nanos up_to(std::int64_t millis) { return Nanos(dice_.between(0, millis) * 1'000'000); }

  void start(std::size_t i);
  void leave(std::size_t i);
  void turn(std::size_t i);
  void hear(std::size_t i);
  void hear_of_lease(Instance& it, const Answer& answer);
  void ask_for_lease(std::size_t i);
  void list(std::size_t i);
  void follow(std::size_t i);
  bool knows(std::size_t i);
  void work(std::size_t i);
  void send(std::size_t i);
  void check_lease(const Instance& it, const BindRequest& bind, Nanos until);
  void run_binds();
  void run_leases();
  void check_leaders();
  void check_taken(const LeaderElection& election);
  void look_on();

  Dice dice_;
  SimCluster server_;
  LeaseStore store_;
  LeaderElection third_{"third", 1};  // looks, and never takes what it could
  std::array<Instance, 2> instances_;
  Nanos now_{0};
  bool faulty_ = true;
  std::vector<BindMessage> binds_under_way_;
  std::vector<LeaseMessage> leases_under_way_;
  std::map<std::string, std::set<std::string>> bound_;  // by UID: nodes acknowledged
};

// A new process: it knows nothing.
void Run::start(std::size_t i) {
  Instance& it = instances_[i];
  ++it.life;
  it.election = std::make_unique<LeaderElection>(
      "me-" + std::to_string(i) + "-" + std::to_string(it.life), dice_.below(1'000'000));
  it.scheduler.reset();
  it.known_from.reset();
  it.renewed.reset();
  it.outbox.clear();
  it.answers.clear();
  it.is_leaving = it.has_left = false;
}

void Run::hear_of_lease(Instance& it, const Answer& answer) {
  const Nanos local = it.local(now_);
  if (!answer.is_known) return it.election->take_failure(local);
  if (*answer.lease == LeaseCall::Kind::kRead) {
    it.election->take_read(answer.found, local);
    return check_taken(*it.election);
  }
  if (!answer.is_taken) return it.election->take_conflict(local);
  if (!it.has_left) it.renewed = answer.begun;
  it.election->take_written(answer.found->version, local);
}

void Run::hear(std::size_t i) {
  Instance& it = instances_[i];
  const Nanos local = it.local(now_);
  std::deque<Answer> later;
  for (const Answer& answer : std::exchange(it.answers, {})) {
    if (answer.life != it.life) continue;
    if (answer.at > now_) {
      later.push_back(answer);
    } else if (answer.lease) {
      hear_of_lease(it, answer);
    } else if (it.scheduler && answer.is_reading) {
      it.scheduler->answer(answer.ticket, answer.reading, local);
    } else if (it.scheduler) {
      it.budget.answered(answer.ticket, answer.answer);
      it.scheduler->answer(answer.ticket, answer.answer, local);
    }
  }
  for (const Answer& answer : it.answers) later.push_back(answer);
  it.answers = std::move(later);
}

void Run::ask_for_lease(std::size_t i) {
  Instance& it = instances_[i];
  const auto call = it.election->advance(it.local(now_), 0);
  if (!call) return;
  LeaseMessage message{i, it.life, now_ + up_to(1'500), now_ + call->timeout, *call};
  message.is_lost = chance(6) || now_ < it.cut_until;
  message.is_mute = chance(6);
  message.begun = it.local(now_);
  leases_under_way_.push_back(message);
}

// By what this test knows of the lease, whatever the election says of it.
void Run::check_lease(const Instance& it, const BindRequest& bind, Nanos until) {
  const Nanos deadline = it.renewed ? *it.renewed + kRenewDeadline : Nanos{0};
  if (it.local(now_) >= deadline) fail("I-3: " + bind.pod.name + " is sent without the lease");
  if (until > deadline) fail("I-3: " + bind.pod.name + " may be bound after the lease");
}

// What was decided is sent only while the lease may be used, and given no more time than that.
void Run::send(std::size_t i) {
  Instance& it = instances_[i];
  const Nanos local = it.local(now_);
  for (const BindRequest& bind : std::exchange(it.outbox, {})) {
    const auto until = it.election->writes_until(local);
    if (!until) {
      ++late;
      it.budget.answered(bind.ticket, BindAnswer::kRefused);
      it.scheduler->answer(bind.ticket, BindAnswer::kRefused, local);
      continue;
    }
    ++binds;
    check_lease(it, bind, *until);
    if (!it.budget.sent(bind)) fail("I-9: " + bind.pod.name + " is one bind too many at once");
    const Nanos most = it.real(std::min(*until - local, kBindTimeout));
    BindMessage message{i, it.life, now_ + up_to(3'000), now_ + most, bind};
    message.is_lost = chance(6);
    message.is_mute = chance(6);
    binds_under_way_.push_back(message);
  }
}

void Run::list(std::size_t i) {
  Instance& it = instances_[i];
  SchedulerOptions options;
  options.max_binds = kMostBinds;
  it.budget = {kMostBinds, kMostBinds};
  options.preempts = false;
  it.scheduler =
      std::make_unique<Scheduler>(test::make_live(), std::vector<std::string>{"gedge"}, options);
  it.scheduler->put(server_.list());
  it.seen = server_.version();
}

// Of a leader: what others wrote. It has heard as much as the one before, or lists.
bool Run::knows(std::size_t i) {
  Instance& it = instances_[i];
  const Nanos alone_from = it.election->alone_from();
  if (it.known_from == alone_from) return true;
  if (it.local(now_) < alone_from) return false;
  const HeardVersions& heard = it.election->handed_over();
  const auto all = heard.find(kAll);
  const bool may_catch_up = it.scheduler && all != heard.end();
  if (may_catch_up && it.seen >= std::stoul(all->second))
    ++handed_over;
  else if (may_catch_up && !dice_.chance(20))
    return false;
  else
    list(i);
  ++leaders;
  it.known_from = alone_from;
  return true;
}

void Run::follow(std::size_t i) {
  Instance& it = instances_[i];
  if (!it.scheduler) return list(i);
  if (chance(2)) it.deaf_until = now_ + up_to(20'000);
  if (now_ < it.deaf_until) return;
  for (std::size_t most = faulty_ ? dice_.below(5) : 1'000; most > 0 && it.seen < server_.version();
       --most, ++it.seen) {
    const ClusterEvent& event = server_.event(it.seen);
    for (const Pod& pod : event.object.pods) it.budget.seen(event.name, pod.bound_node);
    if (event.is_removed)
      it.scheduler->remove(event.kind, event.name.namespace_name, event.name.name);
    else
      it.scheduler->put(Facts(event.object));
  }
}

void Run::work(std::size_t i) {
  Instance& it = instances_[i];
  if (it.scheduler) follow(i);
  if (!knows(i)) return;
  it.scheduler->hold_back(it.is_leaving);
  if (const Status status = it.scheduler->advance(it.local(now_)); !status)
    fail(status.error().what);
  it.outbox = it.scheduler->take_binds();
  for (const ReadRequest& read : it.scheduler->take_reads()) {
    Answer answer{now_, it.life};
    answer.ticket = read.ticket;
    answer.is_reading = true;
    if (!chance(20)) answer.reading = server_.read(read.pod);
    it.answers.push_back(answer);
  }
  it.scheduler->take_unschedulable();
}

void Run::turn(std::size_t i) {
  Instance& it = instances_[i];
  if (now_ < it.frozen_until) return;
  // It wakes up where it froze: with binds that it was about to send.
  if (it.scheduler) send(i);
  hear(i);
  if (it.election->is_lost(it.local(now_)) || chance(1)) return start(i);
  ask_for_lease(i);
  if (!it.election->is_leading(it.local(now_))) {
    if (it.is_leaving && !it.election->is_releasing()) return start(i);
    if (!it.is_leaving && !it.election->holder().empty()) follow(i);
    return;
  }
  work(i);
  if (chance(3)) it.is_leaving = true;
  if (it.is_leaving && it.outbox.empty()) leave(i);
  if (chance(1)) it.frozen_until = now_ + up_to(40'000);
  if (chance(1)) it.cut_until = now_ + up_to(30'000);
  if (dice_.chance(70)) send(i);
}

// Once what was sent is settled.
void Run::leave(std::size_t i) {
  Instance& it = instances_[i];
  const bool is_idle = !it.scheduler || it.scheduler->in_flight() + it.scheduler->unclear() == 0;
  if (!is_idle) return;
  const bool is_told_back =
      it.known_from == it.election->alone_from() && it.scheduler->bound() == 0;
  if (!is_told_back && !dice_.chance(20)) return;
  it.has_left = true;
  it.renewed.reset();
  it.election->release(is_told_back ? HeardVersions{{kAll, std::to_string(it.seen)}}
                                    : HeardVersions());
}

void Run::run_binds() {
  for (const BindMessage& message : std::exchange(binds_under_way_, {})) {
    Instance& sender = instances_[message.who];
    Answer answer{message.expires, message.life};
    answer.ticket = message.bind.ticket;
    if (message.at > now_ && now_ <= message.expires) {
      binds_under_way_.push_back(message);
      continue;
    }
    if (!message.is_lost && now_ <= message.expires) {
      const auto before = server_.read(message.bind.pod);
      answer.answer = server_.bind(message.bind);
      if (answer.answer == BindAnswer::kBound) {
        std::set<std::string>& nodes = bound_[before.uid];
        nodes.insert(message.bind.node);
        if (nodes.size() > 1) fail("I-1: " + before.uid + " was bound to two nodes");
        if (const std::string much = test::too_much(server_, message.bind.node); !much.empty())
          fail("I-2: " + much);
      }
      answer.at = now_;
      if (message.is_mute) answer.answer = BindAnswer::kUnknown;
    }
    sender.answers.push_back(answer);
  }
}

void Run::run_leases() {
  for (const LeaseMessage& message : std::exchange(leases_under_way_, {})) {
    if (message.at > now_ && now_ <= message.expires) {
      leases_under_way_.push_back(message);
      continue;
    }
    Answer answer{std::max(now_, message.expires), message.life};
    answer.lease = message.call.kind;
    answer.begun = message.begun;
    if (!message.is_lost && now_ <= message.expires) {
      answer.is_taken = message.call.kind != LeaseCall::Kind::kRead && store_.write(message.call);
      answer.found = store_.lease;
      answer.is_known = !message.is_mute;
      if (answer.is_known) answer.at = now_;
    }
    instances_[message.who].answers.push_back(answer);
  }
}

void Run::check_leaders() {
  const auto leads = [&](const Instance& it) { return it.election->is_leading(it.local(now_)); };
  if (std::count_if(instances_.begin(), instances_.end(), leads) > 1) fail("I-3: two lead");
}

void Run::check_taken(const LeaderElection& election) {
  if (election.seizures() > 0) fail("one that waited is said to have taken the lease");
}

// As a scheduler that is ready for it would, but that it loses each race.
void Run::look_on() {
  const auto call = third_.advance(now_, 0);
  if (!call) return;
  if (call->kind != LeaseCall::Kind::kRead) return third_.take_conflict(now_);
  third_.take_read(store_.lease, now_);
  check_taken(third_);
}

void Run::step() {
  now_ += up_to(1'000);
  if (faulty_ && dice_.chance(40)) test::meddle(server_, dice_);
  run_leases();
  run_binds();
  check_leaders();
  for (std::size_t i = 0; i < instances_.size(); ++i) turn(i);
  check_leaders();
  look_on();
}

// No faults: one of them leads before long, whoever fits is bound, and nothing more is sent.
void Run::calm_down() {
  faulty_ = false;
  for (Instance& it : instances_) it.frozen_until = it.cut_until = it.deaf_until = now_;
  for (int i = 0; i < kCalmSteps; ++i) step();
  const auto plan = test::plan_of_rest(server_);
  if (!plan) return fail(plan.error().what);
  for (const Decision& decision : plan->decisions)
    if (decision.chosen) fail("I-5: " + decision.pod + " fits on " + decision.chosen->node);
  bool is_led = false;
  for (const Instance& it : instances_) {
    if (!it.scheduler || !it.election->is_leading(it.local(now_))) continue;
    is_led = true;
    if (const std::string wrong = difference(it.scheduler->cluster(), server_); !wrong.empty())
      fail("I-6: " + wrong);
  }
  if (!is_led) fail("I-5: nobody leads");
  const std::uint64_t before = binds;
  for (int i = 0; i < 40; ++i) step();
  if (binds != before) fail("I-5: something is bound after everything was");
}

}  // namespace

TEST_CASE("two schedulers: never do both lead, and no node gets more from both than it has") {
  std::uint64_t runs = 0, faults = 0, binds = 0, leaders = 0, late = 0, handed_over = 0;
  const bool is_whole = test::play_seeds<Run>(kFirstSeed, kRuns, kSteps, [&](const Run& run) {
    ++runs;
    faults += run.faults;
    binds += run.binds;
    leaders += run.leaders;
    late += run.late;
    handed_over += run.handed_over;
  });
  MESSAGE(faults << " faults, " << binds << " binds by " << leaders << " leaders, " << handed_over
                 << " of them by what the one before had heard; " << late << " held back in time");
  if (!is_whole) return;
  CHECK(faults > runs * 10);
  CHECK(binds > runs * 10);
  CHECK(leaders > runs * 2);
  CHECK(handed_over > runs / 3);
  CHECK(late > 0);
}
