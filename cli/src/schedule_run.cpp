#include "schedule_run.hpp"

#include <csignal>
#include <utility>

#include "freed_memory.hpp"
#include "gedge/codec/fingerprint.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

// The loop turns at least once a minute.
constexpr Micros kStill{150'000'000};
constexpr Nanos kManagerTold{10'000'000'000};  // again and again: so it watches over the loop
// Others wait for 5 s longer than the lease may be used. A loop that turns ends in the first of
// them.
constexpr Nanos kLoopMayEnd{2'000'000'000}, kEndMayTake{5'000'000'000};

std::string text_of(const PodName& pod) { return pod.namespace_name + "/" + pod.name; }

const char* word_of(BindAnswer answer) {
  switch (answer) {
    case BindAnswer::kBound:
      return "bound";
    case BindAnswer::kGone:
      return "gone";
    case BindAnswer::kConflict:
      return "conflict";
    case BindAnswer::kRefused:
      return "refused";
    case BindAnswer::kNotSent:
      return "not-sent";
    case BindAnswer::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

ScheduleRun::ScheduleRun(Scheduler scheduler, ClusterLink& link, LinkFacts link_facts,
                         const ScheduleLoopOptions& options, Io& io, EventLog& log)
    : io_(io),
      log_(log),
      server_(log),
      link_(link),
      link_facts_(std::move(link_facts)),
      options_(options),
      loop_(std::move(scheduler), link, io.clock, options, events()),
      profile_(fingerprint(loop_.scheduler().cluster().profiles())),
      turned_(io.clock.now()) {}

ScheduleEvents ScheduleRun::events() {
  ScheduleEvents events;
  events.synced = [this] {
    const LiveCluster& cluster = loop_.scheduler().cluster();
    log_.event("synced", {{"nodes", std::to_string(cluster.node_count())},
                          {"pods", std::to_string(cluster.pod_count())}});
    if (!options_.is_one_pass) let_go_of_code();
  };
  events.placed = [this](const BindRequest& bind) {
    if (options_.is_dry_run)
      log_.event("would-bind", {{"pod", text_of(bind.pod)}, {"node", bind.node}});
  };
  events.bound = [this](const BindRequest& bind, Nanos took) {
    bind_times_.add(took);
    log_.event("bound", {{"pod", text_of(bind.pod)}, {"node", bind.node}});
  };
  events.not_bound = [this](const BindRequest& bind, Nanos took, BindAnswer answer) {
    bind_times_.add(took);
    tell(bind, answer);
  };
  events.evicted = [this](const EvictRequest& victim) {
    if (victim.is_repair())
      return log_.event(
          options_.is_dry_run ? "would-repair" : "repairing",
          {{"node", victim.node}, {"what", victim.too_much}, {"pod", text_of(victim.pod)}});
    log_.event(options_.is_dry_run ? "would-evict" : "evicting",
               {{"pod", text_of(victim.pod)}, {"for", text_of(victim.by)}, {"node", victim.node}});
  };
  events.unschedulable = [this](const Unschedulable& pod) {
    log_.event("unschedulable", {{"pod", text_of(pod.pod)}, {"why", pod.message}});
  };
  events.overcommitted = [this](const Overcommit& node) {
    log_.event("overcommitted", {{"node", node.node}, {"what", to_string(node.amounts)}});
  };
  events.misplaced = [this](const Misplaced& pod) {
    log_.event("misplaced", {{"pod", text_of(pod.pod)}, {"node", pod.node}});
  };
  events.measured = [this](const RttMatrix& rtt) {
    log_.event("measured", {{"names", std::to_string(rtt.size())}});
  };
  events.failed = [this](const Error& error) { log_.failed(error); };
  events.recovered = [this] { log_.recovered(); };
  events.turned = [this] { turned(); };
  return events;
}

void ScheduleRun::tell(const BindRequest& bind, BindAnswer answer) {
  log_.event("not-bound",
             {{"pod", text_of(bind.pod)}, {"node", bind.node}, {"answer", word_of(answer)}});
}

void ScheduleRun::refuse_profiles(const Errors& errors) {
  ++profiles_refused_;
  for (const Error& error : errors) {
    std::string at = error.where.origin;
    if (error.where.line > 0)
      at += ':' + std::to_string(error.where.line) + ':' + std::to_string(error.where.column);
    log_.event("profile-refused", {{"what", error.what}, {"at", at}, {"fix", error.hint}});
  }
}

// What is wrong changes nothing: those that decided before still do.
void ScheduleRun::read_profiles() {
  const Nanos now = Nanos(io_.clock.now());
  const bool asked = is_asked_for_profiles_.exchange(false);
  if (profiles_ == nullptr || (!asked && now < profiles_at_)) return;
  profiles_at_ = now + kProfilesLookedAt;
  auto reading = profiles_->read(asked);
  if (!reading) return;
  if (!reading->errors.empty()) return refuse_profiles(reading->errors);
  std::string fingerprint = gedge::fingerprint(reading->profiles);
  const bool is_same = fingerprint == profile_;
  if (is_same && !asked) return;
  if (!is_same)
    if (const Status used = loop_.use(std::move(reading->profiles)); !used)
      return refuse_profiles({used.error()});
  for (const Warning& warning : reading->warnings)
    log_.event("warning", {{"what", warning.message}});
  ++profiles_used_;
  profile_ = std::move(fingerprint);
  log_.event("profile", {{"from", profiles_->name()}, {"fingerprint", profile_}});
}

void ScheduleRun::turned() {
  read_profiles();
  const Scheduler& scheduler = loop_.scheduler();
  SchedulerFacts facts;
  link_facts_(facts);
  facts.is_synced = link_.is_synced();
  facts.profile = profile_;
  facts.profiles_used = profiles_used_;
  facts.profiles_refused = profiles_refused_;
  facts.is_paused = scheduler.is_paused();
  facts.counts = scheduler.counts();
  facts.bind_times = bind_times_;
  facts.active = scheduler.active();
  facts.backing_off = scheduler.backing_off();
  facts.parked = scheduler.parked();
  facts.binding = scheduler.binding();
  facts.unclear = scheduler.unclear();
  facts.awaiting = scheduler.awaiting();
  facts.overcommitted = scheduler.overcommitted();
  facts.nodes = scheduler.cluster().node_count();
  facts.pods = scheduler.cluster().pod_count();
  facts.rebuilds = scheduler.cluster().rebuilds();
  if (watchdog_ != nullptr) {
    const auto deadline = lease_deadline_();
    watchdog_->set(deadline ? std::optional(*deadline + kLoopMayEnd) : std::nullopt);
  }
  if (std::exchange(lease_seizures_, facts.lease_seizures) != facts.lease_seizures)
    log_.event("lease-taken", {{"by", facts.leader}});
  if (std::exchange(was_leading_, facts.is_leading) != facts.is_leading)
    log_.event(facts.is_leading ? "leading" : "standby", {{"leader", facts.leader}});
  tell_manager(facts);
  const std::lock_guard lock(mutex_);
  facts_ = std::move(facts);
  turned_ = io_.clock.now();
}

// It is ready as soon as it runs: whether the API server is there is not its doing.
void ScheduleRun::tell_manager(const SchedulerFacts& facts) {
  const Nanos now = Nanos(io_.clock.now());
  const std::string how = !facts.is_leading ? "waits for the lease"
                          : facts.is_synced ? "schedules"
                                            : "waits for the cluster to be known";
  if (how == told_manager_ && now < told_manager_at_ + kManagerTold) return;
  manager_.tell((told_manager_.empty() ? "READY=1\n" : "") + std::string("WATCHDOG=1\nSTATUS=") +
                how);
  told_manager_ = how;
  told_manager_at_ = now;
}

SchedulerFacts ScheduleRun::facts() const {
  const std::lock_guard lock(mutex_);
  SchedulerFacts facts = facts_;
  facts.is_alive = io_.clock.now() - turned_ < kStill;
  facts.any_host = server_.any_host();
  return facts;
}

Status ScheduleRun::listen(const IpAddress& address, const AgentGuard& guard) {
  const auto answer = [this](const HttpRequest& request) {
    return scheduler_reply(request, facts());
  };
  return server_.listen(address, guard, answer, [this] {
    is_asked_for_profiles_ = true;
    loop_.wake();
  });
}

void ScheduleRun::watch_lease(Watchdog& watchdog, LeaseDeadline deadline) {
  watchdog_ = &watchdog;
  lease_deadline_ = std::move(deadline);
}

Exit ScheduleRun::exit_of(const Status& ended, int signal) const {
  if (!ended) return fail(io_, ended.error());
  if (options_.is_one_pass) return loop_.scheduler().unplaced() > 0 ? Exit::kNo : Exit::kYes;
  return signal == SIGINT ? Exit::kInterrupted : Exit::kYes;
}

Exit ScheduleRun::run() {
  Status ended;
  if (profiles_ != nullptr)
    log_.event("profile", {{"from", profiles_->name()}, {"fingerprint", profile_}});
  const int signal = server_.run_beside([&] { ended = loop_.run(); }, [this] { loop_.stop(); });
  manager_.tell("STOPPING=1");
  if (watchdog_ != nullptr) watchdog_->set(Nanos(io_.clock.now()) + kEndMayTake);
  const SchedulerCounts& counts = loop_.scheduler().counts();
  log_.event("stopped",
             {{options_.is_dry_run ? "would-bind" : "bound", std::to_string(counts.bound)},
              {"unclear", std::to_string(loop_.scheduler().unclear())}});
  return exit_of(ended, signal);
}

}  // namespace gedge::cli
