// The scheduler's state machine against a simulated API server that is late, that loses requests
// and answers, and whose objects others change. Invariants are checked at every bind and after
// every step; when the faults stop, whoever fits is bound, what is known is what is there, and
// nothing more is asked for.
//
//   GEDGE_SIM_RUNS=100000   more runs
//   GEDGE_SEED=4711         only this one
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

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
using test::kSecond;

constexpr std::uint64_t kFirstSeed = 5'000'000, kRuns = 400;
constexpr int kSteps = 120;
constexpr std::size_t kMostBinds = 4;

/// One run: a cluster, a scheduler beside it, and everything between them that may go wrong.
class Run {
 public:
  explicit Run(std::uint64_t seed) : dice_(seed), server_(Facts{}) {
    test::fill(server_);
    restart();
  }

  void step();
  void calm_down();
  std::vector<std::string> failures;
  std::uint64_t faults = 0, binds = 0;

 private:
  struct Message {
    Nanos at{0};
    BindRequest bind;
    bool is_lost = false;  // before it is done
    bool is_mute = false;  // done, but nobody is told
  };
  struct Answer {
    Nanos at{0};
    std::uint64_t ticket = 0;
    bool is_reading = false;
    BindAnswer answer = BindAnswer::kUnknown;
    PodReading reading;
    std::string pod;
  };

  void fail(const std::string& what) { failures.push_back(what); }
  void restart();
  void tell_all();
  void tell(const Pod& bound);
  void watch(std::size_t most);
  void advance();
  void run_server();
  void check_bind(const BindRequest& bind);
  void check_memory();
  bool chance(std::size_t percent) {
    const bool happens = faulty_ && dice_.chance(percent);
    faults += happens ? 1U : 0U;
    return happens;
  }

  Dice dice_;
  SimCluster server_;
  std::unique_ptr<Scheduler> scheduler_;
  Nanos now_{0};
  bool faulty_ = true;
  std::size_t seen_ = 0;  // version of the watch
  std::map<std::string, Node> known_nodes_;
  std::set<PodName> known_pods_;
  BindBudget budget_{kMostBinds, kMostBinds};
  std::deque<Message> to_server_;
  std::deque<Answer> to_scheduler_;
  std::map<std::string, std::set<std::string>> bound_;  // by UID: nodes acknowledged
  std::set<std::string> told_;                          // UIDs that were said to be bound
  std::set<std::string> open_;                          // pods of which a bind is not settled
};

// A new process knows only what the server says; what the old one sent may still be done.
void Run::restart() {
  SchedulerOptions options;
  options.max_binds = kMostBinds;
  options.preempts = false;  // gedge simulate has pods that go for others
  scheduler_ =
      std::make_unique<Scheduler>(test::make_live(), std::vector<std::string>{"gedge"}, options);
  while (!to_server_.empty()) run_server();
  to_scheduler_.clear();
  open_.clear();
  budget_ = {kMostBinds, kMostBinds};
  scheduler_->put(server_.list());
  tell_all();
}

void Run::tell_all() {
  seen_ = server_.version();
  known_nodes_ = server_.nodes();
  known_pods_.clear();
  for (const auto& [name, known] : server_.pods()) {
    known_pods_.insert(name);
    if (!known.pod.bound_node.empty()) tell(known.pod);
  }
}

void Run::tell(const Pod& bound) {
  told_.insert(bound.uid);
  open_.erase(bound.name);
  budget_.seen(fact_name(bound), bound.bound_node);
}

// What is late is told later, in order; what is told twice does no harm.
void Run::watch(std::size_t most) {
  if (chance(3)) {  // the watch broke, and everything is listed again
    Facts all = server_.list();
    std::vector<PodName> nodes, pods;
    for (const Node& node : all.nodes) nodes.push_back(fact_name(node));
    for (const Pod& pod : all.pods) pods.push_back(fact_name(pod));
    scheduler_->put(std::move(all));
    scheduler_->keep_only(FactKind::kNode, std::move(nodes));
    scheduler_->keep_only(FactKind::kPod, std::move(pods));
    return tell_all();
  }
  if (seen_ > 0 && chance(5)) seen_ -= 1;
  for (; most > 0 && seen_ < server_.version(); --most, ++seen_) {
    const ClusterEvent& event = server_.event(seen_);
    if (event.kind == FactKind::kNode) {
      known_nodes_.erase(event.name.name);
      if (!event.is_removed) known_nodes_.emplace(event.name.name, event.object.nodes.front());
    }
    if (event.kind == FactKind::kPod && event.is_removed) known_pods_.erase(event.name);
    for (const Pod& pod : event.object.pods) {
      known_pods_.insert(event.name);
      if (!pod.bound_node.empty()) tell(pod);
    }
    if (event.is_removed)
      scheduler_->remove(event.kind, event.name.namespace_name, event.name.name);
    else
      scheduler_->put(Facts(event.object));
  }
}

void Run::check_bind(const BindRequest& bind) {
  ++binds;
  const auto node = known_nodes_.find(bind.node);
  if (node == known_nodes_.end() || node->second.unschedulable)
    fail("I-4: " + bind.pod.name + " is sent to " + bind.node + ", which takes no pods");
  if (!open_.insert(bind.pod.name).second)
    fail("C-27: " + bind.uid + " is bound again before anybody knows what became of the first");
  if (!budget_.sent(bind)) fail("I-9: " + bind.pod.name + " is one bind too many at once");
  if (told_.contains(bind.uid)) fail("I-1: " + bind.uid + " is bound already, and that was told");
}

// Nothing is kept beyond what was told and is not answered.
void Run::check_memory() {
  const std::size_t binds_answered = static_cast<std::size_t>(
      std::count_if(to_scheduler_.begin(), to_scheduler_.end(),
                    [](const Answer& answer) { return !answer.is_reading; }));
  const std::string much = excess(
      *scheduler_, {known_pods_.size(), known_nodes_.size(), to_server_.size() + binds_answered,
                    to_server_.size() + to_scheduler_.size()});
  if (!much.empty()) fail("I-8: " + much);
}

void Run::advance() {
  const Status status = scheduler_->advance(now_);
  if (!status) fail(status.error().what);
  for (const BindRequest& bind : scheduler_->take_binds()) {
    check_bind(bind);
    Message message{now_ + Nanos(static_cast<std::int64_t>(dice_.below(2'000)) * 1'000'000), bind};
    message.is_lost = chance(8);
    message.is_mute = chance(8);
    to_server_.push_back(message);
  }
  for (const ReadRequest& read : scheduler_->take_reads()) {
    Answer answer{now_, read.ticket, true, {}, {}, read.pod.name};
    if (!chance(30)) answer.reading = server_.read(read.pod);
    to_scheduler_.push_back(answer);
  }
  scheduler_->take_unschedulable();
}

// The server does what has arrived, in any order.
void Run::run_server() {
  const std::size_t i = dice_.below(to_server_.size());
  const Message message = to_server_[i];
  to_server_.erase(to_server_.begin() + static_cast<std::ptrdiff_t>(i));
  Answer answer{now_, message.bind.ticket, false, BindAnswer::kUnknown, {}, message.bind.pod.name};
  if (!message.is_lost) {
    const auto before = server_.read(message.bind.pod);
    answer.answer = server_.bind(message.bind);
    if (answer.answer == BindAnswer::kBound) {
      std::set<std::string>& nodes = bound_[before.uid];
      nodes.insert(message.bind.node);
      if (nodes.size() > 1) fail("I-1: " + before.uid + " was bound to two nodes");
      if (const std::string much = test::too_much(server_, message.bind.node); !much.empty())
        fail("I-2: " + much);
    }
  }
  if (message.is_mute || message.is_lost) answer.answer = BindAnswer::kUnknown;
  to_scheduler_.push_back(answer);
}

void Run::step() {
  now_ += Nanos(static_cast<std::int64_t>(dice_.below(1'500)) * 1'000'000);
  if (faulty_ && dice_.chance(60)) test::meddle(server_, dice_);
  watch(faulty_ ? dice_.below(4) : 1'000);
  while (!to_server_.empty() && (!faulty_ || dice_.chance(50))) run_server();
  while (!to_scheduler_.empty() && (!faulty_ || dice_.chance(70))) {
    const Answer answer = to_scheduler_.front();
    to_scheduler_.pop_front();
    if (answer.is_reading) {
      scheduler_->answer(answer.ticket, answer.reading, now_);
      if (answer.reading.kind != PodReading::Kind::kUnreadable) open_.erase(answer.pod);
    } else {
      budget_.answered(answer.ticket, answer.answer);
      scheduler_->answer(answer.ticket, answer.answer, now_);
      if (answer.answer != BindAnswer::kUnknown && answer.answer != BindAnswer::kConflict)
        open_.erase(answer.pod);
    }
  }
  if (chance(2)) restart();
  advance();
  check_memory();
}

// No faults, no actors: whoever fits is bound within half a minute, and nothing more is sent.
void Run::calm_down() {
  faulty_ = false;
  for (int i = 0; i < 120; ++i) {
    now_ += kSecond / 2;
    step();
  }
  const auto plan = test::plan_of_rest(server_);
  if (!plan) return fail(plan.error().what);
  for (const Decision& decision : plan->decisions)
    if (decision.chosen) fail("I-5: " + decision.pod + " fits on " + decision.chosen->node);
  const std::size_t waiting = plan->decisions.size();
  if (scheduler_->parked() + scheduler_->backing_off() + scheduler_->active() != waiting)
    fail("I-11: " + std::to_string(waiting) + " pods wait, the queue has " +
         std::to_string(scheduler_->parked()) + " parked, " +
         std::to_string(scheduler_->backing_off()) + " backing off and " +
         std::to_string(scheduler_->active()) + " active");
  if (scheduler_->binding() + scheduler_->unclear() + scheduler_->bound() != 0)
    fail("I-11: a bind was never settled");
  if (const std::string wrong = difference(scheduler_->cluster(), server_); !wrong.empty())
    fail("I-6: " + wrong);
  const std::uint64_t before = binds;
  for (int i = 0; i < 20; ++i) step();
  if (binds != before) fail("I-5: something is bound after everything was");
}

}  // namespace

TEST_CASE("simulated faults: nothing is bound twice, no node has too much, nobody is forgotten") {
  std::uint64_t runs = 0, faults = 0, binds = 0;
  const bool is_whole = test::play_seeds<Run>(kFirstSeed, kRuns, kSteps, [&](const Run& run) {
    ++runs;
    faults += run.faults;
    binds += run.binds;
  });
  MESSAGE(faults << " faults, " << binds << " binds");
  if (!is_whole) return;
  CHECK(faults > runs * 10);
  CHECK(binds > 1'000);
}
