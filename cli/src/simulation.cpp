#include "simulation.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "gedge/base/split_mix.hpp"
#include "gedge/drive/schedule_loop.hpp"
#include "gedge/plan/edit.hpp"
#include "gedge/plan/planner.hpp"
#include "gedge/sim/checks.hpp"
#include "gedge/sim/cluster_link.hpp"
#include "gedge/sim/memory_checks.hpp"
#include "gedge/sim/virtual_pace.hpp"

namespace gedge::cli {
namespace {

// After the faults whoever fits is bound within half a minute (reliability, I-5): that is asked
// when nothing has happened for so long, which timers of nodes may put off for some time. These are
// minutes apart: who has had no such half minute in an hour will have none.
constexpr Nanos kCalm{120'000'000'000}, kQuiet{30'000'000'000}, kLongestCalm{3'600'000'000'000};
constexpr std::size_t kMostTurns = 100;  // at one moment, for each pod and node

// "[NAMESPACE/]REST" with that many parts in the rest.
std::vector<std::string> parts_of(const std::string& subject, std::size_t count) {
  std::vector<std::string> parts{""};
  for (const char c : subject) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() == count) parts.insert(parts.begin(), "default");
  return parts.size() == count + 1 ? parts : std::vector<std::string>{};
}

Status scale(SimWorld& world, const ScenarioEvent& event, std::int64_t replicas) {
  const auto parts = parts_of(event.subject, 2);
  if (parts.empty())
    return invalid_input("'" + event.subject + "' is no workload", {},
                         "write for example `deployment/web` or `shop/deployment/web`");
  return world.scale({parts[0], parts[1], parts[2]}, replicas);
}

Status finish(SimWorld& world, const std::string& subject) {
  const auto parts = parts_of(subject, 1);
  if (parts.empty())
    return invalid_input("'" + subject + "' is no pod", {}, "write for example `shop/web-0`");
  return world.finish_pod({parts[0], parts[1]});
}

Status edit(SimWorld& world, const std::string& text) {
  const auto parsed = parse_edit(text);
  if (!parsed) return parsed.error();
  const auto change = [&](Facts& facts, RttMatrix& rtt) {
    return apply_edits({*parsed}, "", facts, rtt);
  };
  return world.edit(change, text);
}

/// Of all that happened, in order. Never printed: it means something in one process only.
class Trace {
 public:
  Trace& add(std::string_view text) {
    return add(static_cast<std::uint64_t>(std::hash<std::string_view>{}(text)));
  }
  Trace& add(std::uint64_t number) {
    digest_ = split_mix(digest_ ^ number);
    return *this;
  }
  Trace& add(Nanos at) { return add(static_cast<std::uint64_t>(at.count())); }
  void add(const SimulationEvent& event) {
    add(event.at).add(static_cast<std::uint64_t>(event.what)).add(event.namespace_name.str());
    add(event.pod.str()).add(event.node.str()).add(event.replaces.str()).add(event.was_on.str());
    add(event.since_lost.value_or(Nanos{-1})).add(event.note);
  }
  void add(const BindRequest& bind, Nanos at) {
    add(at).add(bind.ticket).add(bind.pod.namespace_name.str()).add(bind.pod.name.str());
    add(bind.uid.str()).add(bind.node.str());
  }
  std::uint64_t digest() const { return digest_; }

 private:
  std::uint64_t digest_ = 0;
};

// Or may: of those that back off, members of groups do.
bool holds_places(const Scheduler& scheduler) {
  return scheduler.binding() + scheduler.unclear() + scheduler.awaiting() + scheduler.bound() +
             scheduler.backing_off() >
         0;
}

using PodNames = std::vector<std::string>;

// Every pod is this scheduler's: there is no other.
PodNames scheduler_names(const Stage& stage) {
  std::set<std::string> names;
  const auto learn = [&](const Facts& facts) {
    for (const PodSpec& spec : facts.specs) names.insert(spec.scheduler_name);
  };
  learn(stage.begin.facts);
  for (const Facts& facts : stage.added) learn(facts);
  return {names.begin(), names.end()};
}

class Play {
 public:
  Play(const Stage& stage, std::uint64_t seed, bool keeps_events)
      : stage_(stage),
        seed_(seed),
        keeps_events_(keeps_events),
        names_(scheduler_names(stage)),
        world_(
            stage.begin.facts, stage.begin.rtt,
            {stage.scenario.timing, seed, {}, stage.rules.profiles.front().compat, keeps_events}),
        checks_(world_, check_options(stage)) {
    write_script();
  }

  Result<Simulation> run();
  /// After run(): another one of that seed has the same.
  std::uint64_t digest() const { return trace_.digest(); }

 private:
  static SimCheckOptions check_options(const Stage& stage) {
    SimCheckOptions options;
    const Profile& profile = stage.rules.profiles.front();
    for (const ProfileEntry& filter : profile.filters) options.filters.insert(filter.policy);
    options.compat = profile.compat;
    options.first_binds = SchedulerOptions().first_binds;
    options.max_binds = SchedulerOptions().max_binds;
    return options;
  }
  void write_script();
  Status act(SimWorld& world, const ScenarioEvent& event, std::size_t number);
  Scheduler make_scheduler() const;
  Status run_once();
  void turn(ScheduleLoop& loop, std::uint64_t sent);
  void check_memory(const Scheduler& scheduler);
  bool goes_on();
  void compare_caches(const Scheduler& scheduler);
  bool is_over();
  void take_events();
  void take(const SimulationEvent& event);
  Status look_back(const Scheduler& scheduler);
  Status find_place_for_waiting();
  bool is_waiting(const Decision& decision) const;
  void count_pods();

  const Stage& stage_;
  std::uint64_t seed_;
  bool keeps_events_;
  PodNames names_;
  VirtualPace pace_;
  SimWorld world_;
  SimChecks checks_;
  std::unique_ptr<SimLink> link_;
  bool is_calm_ = false, is_stopping_ = false, restarts_ = false, is_quiet_ = false;
  bool is_stuck_ = false;
  std::size_t seen_ = 0;                 // version of the cluster
  Nanos changed_{0};                     // when it was another one, or something was asked or told
  std::optional<std::size_t> compared_;  // version with which what is known was compared
  Nanos moment_{0};                      // of the last turn
  std::size_t turns_ = 0;                // at that moment
  std::set<PodName> told_;               // why they wait
  Trace trace_;
  Simulation found_;
};

void Play::write_script() {
  std::size_t added = 0;
  for (const ScenarioEvent& event : stage_.scenario.events) {
    const std::size_t number = event.kind == ScenarioEvent::Kind::kAdd ? added++ : 0;
    world_.at(event.at, [this, &event, number](SimWorld& world) -> Status {
      Status done = act(world, event, number);
      if (done) return done;
      Error error = std::move(done).error();
      const bool is_taken = error.code == Errc::kNotFound || error.code == Errc::kConflict;
      if (is_taken && stage_.scenario.faults.churn > Nanos{0}) return {};  // churn came before it
      error.where = event.where;
      return error;
    });
  }
  const Nanos end = stage_.scenario.duration;
  if (stage_.scenario.faults.churn > Nanos{0}) world_.churn(stage_.scenario.faults.churn, end);
  world_.at(end, [this](SimWorld&) {
    pace_.wake();
    return Status{};
  });
}

Status Play::act(SimWorld& world, const ScenarioEvent& event, std::size_t number) {
  switch (event.kind) {
    case ScenarioEvent::Kind::kAdd:
      world.add(number == 0 ? stage_.begin.facts : stage_.added[number - 1], stage_.added[number]);
      return {};
    case ScenarioEvent::Kind::kRemove:
      return scale(world, event, 0);
    case ScenarioEvent::Kind::kScale:
      return scale(world, event, event.replicas);
    case ScenarioEvent::Kind::kEdit:
      return edit(world, event.subject);
    case ScenarioEvent::Kind::kFail:
      return world.fail_node(event.subject);
    case ScenarioEvent::Kind::kRecover:
      return world.recover_node(event.subject);
    case ScenarioEvent::Kind::kFinish:
      return finish(world, event.subject);
  }
  return {};
}

Scheduler Play::make_scheduler() const {
  LiveOptions options;
  options.profiles = stage_.rules.profiles;
  options.seed = seed_;
  options.modules = stage_.rules.modules.get();
  return {LiveCluster(std::move(options)), names_, {}};
}

void Play::take(const SimulationEvent& event) {
  SimulationSummary& summary = found_.summary;
  summary.created += event.what == Happening::kCreated ? 1U : 0U;
  if (event.what != Happening::kBound) return;
  ++summary.bound;
  if (event.replaces.empty()) return;
  ++summary.replaced;
  summary.moved += event.node != event.was_on ? 1U : 0U;
  summary.longest_rebind = std::max(summary.longest_rebind, event.since_lost.value_or(Nanos{0}));
}

void Play::take_events() {
  for (SimulationEvent& event : world_.take_events()) {
    take(event);
    trace_.add(event);
    const PodName pod{event.namespace_name, event.pod};
    if (event.what == Happening::kUnschedulable) {
      told_.insert(pod);
      changed_ = Nanos(pace_.now());
    } else {
      told_.erase(pod);
    }
    if (keeps_events_) found_.events.push_back(std::move(event));
  }
}

// True when there is nothing more to see. A bind, an eviction or a claim that comes to nothing
// changes no version, and is no rest.
bool Play::is_over() {
  const Nanos now(pace_.now()), end = stage_.scenario.duration;
  if (seen_ != world_.cluster().version() || link_->under_way() > 0) {
    seen_ = world_.cluster().version();
    changed_ = now;
  }
  is_quiet_ = now - changed_ >= kQuiet;
  if (now < end) return false;
  if (!stage_.scenario.faults.any()) return true;
  if (!std::exchange(is_calm_, true)) link_->calm_down();
  return now >= end + kCalm && (is_quiet_ || now >= end + kLongestCalm);
}

void Play::turn(ScheduleLoop& loop, std::uint64_t sent) {
  take_events();
  const SchedulerCounts& counts = loop.scheduler().counts();
  const std::uint64_t led_to_bind = sent - counts.provided - counts.retried;
  if (counts.attempts != led_to_bind + counts.awaited + counts.unschedulable)
    checks_.fail("I-11", "an attempt has neither led to a bind, nor to volumes, nor to a reason");
  check_memory(loop.scheduler());
  const bool is_over_now = is_over();
  if (is_quiet_ && !holds_places(loop.scheduler())) compare_caches(loop.scheduler());
  // To be asked again would wake it, and what it waits for would never come.
  if (is_stopping_) return;
  restarts_ = !is_over_now && link_->wants_restart();
  is_stopping_ = !goes_on() || is_over_now || restarts_;
  if (is_stopping_) loop.stop();
}

// Time stands still while there is something to do. False: there always is.
bool Play::goes_on() {
  const Nanos now(pace_.now());
  if (std::exchange(moment_, now) != now) turns_ = 0;
  const SimCluster& cluster = world_.cluster();
  if (++turns_ <= kMostTurns * (cluster.pods().size() + cluster.nodes().size() + 1)) return true;
  is_stuck_ = true;
  checks_.fail("I-11", std::to_string(turns_) + " turns at one moment: somebody is always tried");
  return false;
}

void Play::check_memory(const Scheduler& scheduler) {
  SchedulerInput input = checks_.input();
  input.requests = link_->under_way();
  if (std::string found = excess(scheduler, input); !found.empty())
    checks_.fail("I-8", std::move(found));
}

// Places that are held, as of volumes on their way, nobody else knows of.
void Play::compare_caches(const Scheduler& scheduler) {
  const std::size_t version = world_.cluster().version();
  if (compared_ == version || !link_->has_told_all() || scheduler.awaiting() > 0) return;
  compared_ = version;
  if (std::string found = difference(scheduler.cluster(), world_.cluster()); !found.empty())
    checks_.fail("I-6", std::move(found));
}

// Until the end, or until the process that schedules is to be another one.
Status Play::run_once() {
  restarts_ = is_stopping_ = false;
  compared_.reset();
  turns_ = 0;
  SimLinkOptions options{stage_.scenario.timing, stage_.scenario.faults,
                         seed_ + found_.summary.attempts, &checks_};
  if (is_calm_) options.faults = {};
  link_ = std::make_unique<SimLink>(world_, pace_, options);
  ScheduleLoop* running = nullptr;
  std::uint64_t sent = 0;
  ScheduleEvents events;
  events.placed = [&](const BindRequest& bind) {
    ++sent;
    trace_.add(bind, Nanos(pace_.now()));
  };
  events.turned = [&] { turn(*running, sent); };
  ScheduleLoopOptions loop_options;
  if (options.faults.restarts > 0) loop_options.settle_within = Nanos{0};
  ScheduleLoop loop(make_scheduler(), *link_, pace_, loop_options, std::move(events));
  running = &loop;
  GEDGE_TRY(loop.run());
  found_.summary.attempts += loop.scheduler().counts().attempts;
  found_.summary.faults += link_->faults();
  if (!restarts_ && !is_stuck_) GEDGE_TRY(look_back(loop.scheduler()));
  link_.reset();
  take_events();
  return {};
}

// Of those that wait, nobody fits anywhere, and all were told why.
Status Play::find_place_for_waiting() {
  const Facts facts = world_.cluster().list();
  PlanRequest request;
  request.facts = &facts;
  request.rtt = &world_.rtt();
  request.profiles = stage_.rules.profiles;
  request.seed = seed_;
  request.modules = stage_.rules.modules.get();
  const auto plan = make_plan(request);
  if (!plan) return plan.error();
  for (const Decision& decision : plan->decisions) {
    const std::string who = decision.namespace_name + "/" + decision.pod;
    if (decision.chosen)
      checks_.fail("I-5", who + " waits, and fits on " + decision.chosen->node);
    else if (!told_.contains({decision.namespace_name, decision.pod}) && is_waiting(decision))
      checks_.fail("I-5", who + " waits, and was not told why");
  }
  return {};
}

bool Play::is_waiting(const Decision& decision) const {
  const auto known = world_.cluster().pods().find({decision.namespace_name, decision.pod});
  return known != world_.cluster().pods().end() &&
         awaits_node(known->second.pod, known->second.spec);
}

Status Play::look_back(const Scheduler& scheduler) {
  if (!is_quiet_ && is_calm_)
    checks_.fail("I-5", "it never comes to rest: an hour after the faults something still happens");
  if (!is_quiet_) return {};
  std::size_t waiting = 0;
  for (const auto& [name, known] : world_.cluster().pods())
    waiting += known.pod.bound_node.empty() && !known.pod.terminating &&
                       known.pod.phase == PodPhase::kPending
                   ? 1U
                   : 0U;
  const std::size_t queued = scheduler.active() + scheduler.backing_off() + scheduler.parked();
  const std::size_t open = scheduler.binding() + scheduler.unclear() + scheduler.bound();
  if (queued != waiting)
    checks_.fail("I-11", std::to_string(waiting) + " pods wait, and " + std::to_string(queued) +
                             " are in the queue");
  if (open != 0) checks_.fail("I-11", std::to_string(open) + " binds were never settled");
  compare_caches(scheduler);
  return find_place_for_waiting();
}

void Play::count_pods() {
  SimulationSummary& summary = found_.summary;
  Facts facts = world_.cluster().list();
  std::erase_if(facts.pods, [](const Pod& pod) {
    return pod.terminating || pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
  });
  for (const Pod& pod : facts.pods) {
    ++summary.pods;
    summary.placed += pod.bound_node.empty() ? 0U : 1U;
  }
  const VerifyInput input{facts, world_.rtt(), {}, stage_.rules.profiles.front().compat, {}, true};
  std::set<PodName> over;
  for (const Violation& violation : verify(input))
    if (violation.rule == "DelayBudget") over.insert({violation.namespace_name, violation.pod});
  summary.over_budget = over.size();
}

Result<Simulation> Play::run() {
  const Profile& profile = stage_.rules.profiles.front();
  found_.profile = profile.name;
  found_.compat = profile.compat;
  found_.seed = seed_;
  found_.duration = stage_.scenario.duration;
  do {
    GEDGE_TRY(run_once());
    if (!restarts_) break;
    checks_.forget();
    SimulationEvent restart;
    restart.at = Nanos(pace_.now());
    restart.what = Happening::kRestarted;
    if (keeps_events_) found_.events.push_back(std::move(restart));
  } while (true);
  count_pods();
  found_.breaches = checks_.take_breaches();
  for (Breach& breach : found_.breaches) breach.seed = seed_;
  trace_.add(found_.summary.attempts).add(found_.summary.faults).add(found_.breaches.size());
  return std::move(found_);
}

}  // namespace

Result<Simulation> simulate(const Stage& stage, std::uint64_t seed, bool keeps_events) {
  return Play(stage, seed, keeps_events).run();
}

Result<Simulation> simulate_twice(const Stage& stage, std::uint64_t seed, bool keeps_events) {
  Play first(stage, seed, keeps_events), second(stage, seed, keeps_events);
  auto found = first.run();
  if (!found) return found;
  const auto again = second.run();
  if (again && first.digest() == second.digest()) return found;
  Breach breach;
  breach.seed = seed;
  breach.at = found->duration;
  breach.invariant = "I-10";
  breach.text = "played again, it went otherwise";
  found->breaches.push_back(std::move(breach));
  return found;
}

void add(Simulation& all, Simulation&& run) {
  SimulationSummary& sum = all.summary;
  const SimulationSummary& more = run.summary;
  sum.created += more.created;
  sum.bound += more.bound;
  sum.replaced += more.replaced;
  sum.moved += more.moved;
  sum.longest_rebind = std::max(sum.longest_rebind, more.longest_rebind);
  sum.attempts += more.attempts;
  sum.faults += more.faults;
  sum.pods += more.pods;
  sum.placed += more.placed;
  sum.over_budget += more.over_budget;
  for (Breach& breach : run.breaches) all.breaches.push_back(std::move(breach));
  ++all.runs;
}

}  // namespace gedge::cli
