#include "scale_run.hpp"

#include <array>
#include <csignal>
#include <string>
#include <utility>

#include "gedge/scale/status_text.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

// The loop turns at least once a minute.
constexpr Micros kStill{150'000'000};
// Others wait for 5 s longer than the lease may be used. A loop that turns ends in the first of
// them.
constexpr Nanos kLoopMayEnd{2'000'000'000}, kEndMayTake{5'000'000'000};

std::string name_of(const Autoscaler& autoscaler) {
  return autoscaler.namespace_name.str() + "/" + autoscaler.name.str();
}

std::string workload_of(const Autoscaler& autoscaler) {
  return autoscaler.target.kind + "/" + autoscaler.target.name;
}

}  // namespace

ScaleRun::ScaleRun(Scaler scaler, ApiTransport& transport, ApiTransport* prometheus,
                   const WallClock& wall_clock, const ScaleLoopOptions& options, Io& io,
                   EventLog& log)
    : io_(io),
      log_(log),
      server_(log),
      is_once_(options.is_one_pass),
      loop_(std::move(scaler), transport, prometheus, io.clock, wall_clock, options, events()),
      turned_(io.clock.now()) {}

ScaleEvents ScaleRun::events() {
  ScaleEvents events;
  events.synced = [this] {
    log_.event("synced", {{"autoscalers", std::to_string(loop_.scaler().autoscalers())}});
  };
  events.reported = [this](const ScaleReport& report) { tell(report); };
  events.failed = [this](const Error& error) { log_.failed(error); };
  events.recovered = [this] { log_.recovered(); };
  events.turned = [this] { turned(); };
  return events;
}

void ScaleRun::tell(const ScaleReport& report) {
  using Outcome = ScaleReport::Outcome;
  const Autoscaler& autoscaler = report.autoscaler;
  const ScaleDecision& decision = report.decision;
  const bool is_kept = report.outcome == Outcome::kKept;
  const bool has_target = decision.step != ScaleStep::kNoTarget;
  lacks_an_answer_ = lacks_an_answer_ || report.outcome == Outcome::kNotRescaled ||
                     report.outcome == Outcome::kTaken ||
                     (is_kept && decision.step != ScaleStep::kComputed);
  const std::string name = name_of(autoscaler), from = std::to_string(decision.current),
                    to = std::to_string(decision.replicas);
  if (report.is_frozen && (!report.was_frozen || report.is_news))
    log_.event("frozen", {{"autoscaler", name}, {"replicas", from}, {"why", report.why}});
  if (report.was_frozen && !report.is_frozen) log_.event("thawed", {{"autoscaler", name}});
  if (report.is_news && report.without_place > 0)
    log_.event("no-place",
               {{"autoscaler", name}, {"replicas", std::to_string(report.without_place)}});
  if (!report.keeps_size.empty())
    log_.event("keeps-size", {{"autoscaler", name}, {"why", report.keeps_size}});
  if (report.size) return tell_size(report);
  if (report.outcome == Outcome::kRescaled || report.outcome == Outcome::kWouldRescale)
    return log_.event(report.outcome == Outcome::kRescaled ? "rescaled" : "would-rescale",
                      {{"autoscaler", name},
                       {"workload", workload_of(autoscaler)},
                       {"from", from},
                       {"to", to},
                       {"why", change_reason(report)}});
  if (report.outcome == Outcome::kNotRescaled)
    return log_.event("not-rescaled",
                      {{"autoscaler", name}, {"from", from}, {"to", to}, {"why", report.why}});
  if (!report.is_news) return;
  if (report.outcome == Outcome::kYields)
    log_.event("yields", {{"autoscaler", name}, {"replicas", from}, {"wanted", to}});
  if (report.outcome == Outcome::kTaken)
    log_.event("taken", {{"autoscaler", name},
                         {"workload", workload_of(autoscaler)},
                         {"why", "a HorizontalPodAutoscaler scales it"}});
  if (is_kept && !has_target) log_.event("no-target", {{"autoscaler", name}, {"why", report.why}});
}

// Of the replicas at home.
void ScaleRun::tell_size(const ScaleReport& report) {
  using Outcome = ScaleReport::Outcome;
  constexpr std::array<std::pair<Outcome, const char*>, 4> kEvents{
      {{Outcome::kRescaled, "resized"},
       {Outcome::kWouldRescale, "would-resize"},
       {Outcome::kNotRescaled, "not-resized"},
       {Outcome::kYields, "yields"}}};
  if (report.outcome == Outcome::kYields && !report.is_news) return;
  const bool is_done = report.outcome != Outcome::kNotRescaled;
  const bool is_pod = !report.size->pod.empty();
  for (const auto& [outcome, event] : kEvents)
    if (outcome == report.outcome)
      log_.event(event, {{"autoscaler", name_of(report.autoscaler)},
                         {is_pod ? "pod" : "workload",
                          is_pod ? report.size->pod : workload_of(report.autoscaler)},
                         {"resource", report.size->resource},
                         {"from", resource_text(report.size->resource, report.size->from)},
                         {"to", resource_text(report.size->resource, report.size->to)},
                         {"why", is_done ? change_reason(report) : report.why}});
}

void ScaleRun::turned() {
  ScalerFacts facts;
  const ScaleLoopCounts counts = loop_.counts();
  facts.unsynced = loop_.unsynced();
  facts.is_synced = loop_.is_synced();
  facts.is_leading = loop_.is_leading();
  facts.leader = loop_.leader();
  facts.lease_seizures = counts.lease_seizures;
  facts.counts = loop_.scaler().counts();
  facts.autoscalers = loop_.scaler().autoscalers();
  facts.frozen = loop_.scaler().frozen();
  facts.lists = counts.lists;
  facts.watches = counts.watches;
  facts.objects = counts.objects;
  facts.unreadable = counts.unreadable;
  facts.events_dropped = counts.events_dropped;
  if (watchdog_ != nullptr) {
    const auto deadline = loop_.lease_deadline();
    watchdog_->set(deadline ? std::optional(*deadline + kLoopMayEnd) : std::nullopt);
  }
  if (std::exchange(lease_seizures_, facts.lease_seizures) != facts.lease_seizures)
    log_.event("lease-taken", {{"by", facts.leader}});
  if (std::exchange(was_leading_, facts.is_leading) != facts.is_leading)
    log_.event(facts.is_leading ? "leading" : "standby", {{"leader", facts.leader}});
  const std::lock_guard lock(mutex_);
  facts_ = std::move(facts);
  turned_ = io_.clock.now();
}

ScalerFacts ScaleRun::facts() const {
  const std::lock_guard lock(mutex_);
  ScalerFacts facts = facts_;
  facts.is_alive = io_.clock.now() - turned_ < kStill;
  facts.any_host = server_.any_host();
  return facts;
}

Status ScaleRun::listen(const IpAddress& address, const AgentGuard& guard) {
  return server_.listen(address, guard, [this](const HttpRequest& request) {
    return scaler_reply(request, facts());
  });
}

Exit ScaleRun::exit_of(const Status& ended, int signal) const {
  if (!ended) return fail(io_, ended.error());
  if (is_once_) return lacks_an_answer_ ? Exit::kNo : Exit::kYes;
  return signal == SIGINT ? Exit::kInterrupted : Exit::kYes;
}

Exit ScaleRun::run() {
  Status ended;
  const int signal = server_.run_beside([&] { ended = loop_.run(); }, [this] { loop_.stop(); });
  if (watchdog_ != nullptr) watchdog_->set(Nanos(io_.clock.now()) + kEndMayTake);
  const ScalerCounts& counts = loop_.scaler().counts();
  log_.event("stopped", {{"looks", std::to_string(counts.looks)},
                         {"rescaled", std::to_string(counts.ups + counts.downs)}});
  return exit_of(ended, signal);
}

}  // namespace gedge::cli
