// schedule_entry.cpp - the running scheduler, in the library of daemons.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon_input.hpp"
#include "event_log.hpp"
#include "gedge/io/wall_clock.hpp"
#include "report.hpp"
#include "schedule_command.hpp"
#include "schedule_run.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

constexpr int kLast120 = 22;  // newer servers have formulas of 1.36

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
  return Scheduler(std::move(cluster), command.names, queue);
}

ApiClusterOptions cluster_options(const ScheduleCommand& command, const Io& io, int minor) {
  ApiClusterOptions options;
  options.minor = minor;
  options.load.compat = command.rules.compat();
  options.controller = command.names.front();
  options.instance = command.names.front() + "-" + io.network->host_name();
  options.events = command.events;
  options.tells_conditions = command.events != EventsTold::kNone;
  options.seed = io.network->random_key();
  if (command.elects) {
    const std::size_t slash = command.lease.find('/');
    LeaseOptions lease;
    lease.namespace_name = command.lease.substr(0, slash);
    lease.name = command.lease.substr(slash + 1);
    lease.identity = io.network->host_name() + "_" + std::to_string(options.seed);
    options.lease = std::move(lease);
  }
  return options;
}

Exit run(ScheduleCommand& command, const IpAddress& listen, Io& io) {
  Server server;
  if (const auto failed = open_server(io, command.server, command.output, "schedule", server))
    return *failed;
  if (!command.rules.asked_compat)
    command.rules.asked_compat = server.minor <= kLast120 ? Compat::k1_20 : Compat::k1_36;
  DaemonInput given;
  if (const auto failed =
          read_daemon_input(io, command.input, command.rules, command.output, false, given))
    return *failed;

  const SystemWallClock wall_clock;
  EventLog log(io.err, wall_clock, command.output.quiet);
  ApiCluster cluster(*server.transport, io.clock, wall_clock,
                     cluster_options(command, io, server.minor));
  ScheduleLoopOptions options;
  options.is_dry_run = command.is_dry_run;
  options.is_one_pass = !command.watches;
  const auto facts_of = [&cluster](SchedulerFacts& facts) {
    const ApiClusterCounts counts = cluster.counts();
    facts.unsynced = cluster.unsynced();
    facts.is_leading = cluster.is_leading();
    facts.leader = cluster.leader();
    facts.lists = counts.lists;
    facts.watches = counts.watches;
    facts.objects = counts.objects;
    facts.unreadable = counts.unreadable;
    facts.events_dropped = counts.events_dropped;
  };
  ScheduleRun run(make_scheduler(command, given), cluster, facts_of, options, io, log);
  if (command.watches)
    if (const Status opened = run.listen(listen, command.guard); !opened)
      return fail(io, opened.error());
  return run.run();
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_schedule(
    gedge::cli::ScheduleCommand& command, const gedge::IpAddress& listen, gedge::cli::Io& io) {
  return static_cast<int>(gedge::cli::run(command, listen, io));
}
