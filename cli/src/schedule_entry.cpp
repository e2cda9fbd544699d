// schedule_entry.cpp - the running scheduler, in the library of daemons.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "begin_daemon.hpp"
#include "daemon_input.hpp"
#include "event_log.hpp"
#include "gedge/io/wall_clock.hpp"
#include "report.hpp"
#include "schedule_command.hpp"
#include "schedule_memory.hpp"
#include "schedule_run.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

constexpr Nanos kToldBackWithin{1'000'000'000};

Scheduler make_scheduler(const ScheduleCommand& command, DaemonInput& given) {
  LiveOptions options;
  options.profiles = given.rules.profiles;
  options.rtt_by = command.input.rtt_by;
  options.seed = command.rules.seed;
  options.modules = given.rules.modules.get();
  LiveCluster cluster(std::move(options));
  cluster.put(std::move(given.rtt));
  SchedulerOptions queue;
  queue.max_binds = command.max_binds;
  queue.is_dry_run = command.is_dry_run;
  return Scheduler(std::move(cluster), command.names, queue);
}

struct LeaseWatch {
  Watchdog* watchdog = nullptr;  // null: there is no lease
  LeaseDeadline deadline;
};

Exit run_loop(const ScheduleCommand& command, const IpAddress& listen, DaemonInput& given,
              ClusterLink& link, LinkFacts link_facts, const LeaseWatch& lease, Io& io,
              EventLog& log) {
  ScheduleLoopOptions options;
  options.is_dry_run = command.is_dry_run;
  options.is_one_pass = !command.watches;
  if (command.lease.elects) options.told_back_within = kToldBackWithin;
  ProfileSource profiles(io, command.input, command.rules, given.rules);
  if (profiles.may_change()) options.turns_within = kProfilesLookedAt;
  ScheduleRun run(make_scheduler(command, given), link, std::move(link_facts), options, io, log);
  if (command.watches) run.follow(profiles);
  if (lease.watchdog != nullptr) run.watch_lease(*lease.watchdog, lease.deadline);
  if (command.watches)
    if (const Status opened = run.listen(listen, command.guard); !opened)
      return fail(io, opened.error());
  return run.run();
}

Exit run_in_memory(ScheduleCommand& command, const IpAddress& listen, Io& io) {
  DaemonInput given;
  if (const auto failed =
          read_daemon_input(io, command.input, command.rules, command.output, true, given))
    return *failed;
  if (command.names.empty()) command.names = scheduler_names(given.facts);
  const SystemWallClock wall_clock;
  EventLog log(io.err, wall_clock, command.output);
  MemoryCluster cluster(std::exchange(given.facts, {}), std::exchange(given.rtt, {}),
                        given.rules.profiles.front().compat, command);
  const auto facts_of = [&](SchedulerFacts&) { cluster.tell_events(log); };
  return run_loop(command, listen, given, cluster.link(), facts_of, {}, io, log);
}

ApiClusterOptions cluster_options(const ScheduleCommand& command, const DaemonInput& given,
                                  const Io& io, int minor) {
  ApiClusterOptions options;
  options.minor = minor;
  options.load.compat = command.rules.compat();
  options.load.keeps_annotations = given.rules.modules != nullptr;  // they may read any
  options.controller = command.names.front();
  options.instance = command.names.front() + "-" + io.network->host_name();
  options.events = command.events;
  options.tells_conditions = command.events != EventsTold::kNone;
  options.seed = io.network->random_key();
  if (command.input.rtt.empty()) options.latency = rtt_options(command.input);
  options.lease = command.lease.options(io.network->host_name(), options.seed);
  return options;
}

Exit run_live(ScheduleCommand& command, const IpAddress& listen, Io& io) {
  std::optional<Watchdog> watchdog;  // until all of the below is gone
  if (command.lease.elects)
    watchdog.emplace(io.clock, [] {
      end_at_once("gedge: error: the lease was lost, and the scheduler hangs\n");
    });
  const SystemWallClock wall_clock;
  EventLog log(io.err, wall_clock, command.output);
  Server server;
  if (const auto failed = open_server(io, command.server, command.output, "schedule", server, &log))
    return *failed;
  if (!command.rules.asked_compat) command.rules.asked_compat = compat_of_server(server.minor);
  DaemonInput given;
  if (const auto failed =
          read_daemon_input(io, command.input, command.rules, command.output, false, given))
    return *failed;

  ApiCluster cluster(*server.transport, io.clock, wall_clock,
                     cluster_options(command, given, io, server.minor));
  const auto facts_of = [&cluster](SchedulerFacts& facts) {
    const ApiClusterCounts counts = cluster.counts();
    facts.unsynced = cluster.unsynced();
    facts.is_leading = cluster.is_leading();
    facts.leader = cluster.leader();
    facts.lease_seizures = counts.lease_seizures;
    facts.lists = counts.lists;
    facts.watches = counts.watches;
    facts.objects = counts.objects;
    facts.unreadable = counts.unreadable;
    facts.unknown_changes = counts.unknown_changes;
    facts.events_dropped = counts.events_dropped;
  };
  LeaseWatch lease;
  if (watchdog) lease = {&*watchdog, [&cluster] { return cluster.lease_deadline(); }};
  return run_loop(command, listen, given, cluster, facts_of, lease, io, log);
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_schedule(
    gedge::cli::ScheduleCommand& command, const gedge::IpAddress& listen, gedge::cli::Io& io) {
  if (command.watches) gedge::cli::begin_daemon(io);
  return static_cast<int>(command.input.cluster.empty()
                              ? gedge::cli::run_live(command, listen, io)
                              : gedge::cli::run_in_memory(command, listen, io));
}
