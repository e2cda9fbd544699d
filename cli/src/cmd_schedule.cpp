// cmd_schedule.cpp - "gedge schedule": takes pods that wait for it, and binds them.
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "agent_guard.hpp"
#include "choices.hpp"
#include "cmd.hpp"
#include "event_log.hpp"
#include "gedge/drive/api_cluster.hpp"
#include "gedge/io/wall_clock.hpp"
#include "input.hpp"
#include "listen_address.hpp"
#include "options.hpp"
#include "report.hpp"
#include "rules.hpp"
#include "schedule_run.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge schedule --watch --profile edge --rtt rtt.csv",
     "Bind pods whose schedulerName is gedge, within their delay budgets:"},
    {"gedge schedule --dry-run", "Say where the pods that wait now would go, and write nothing:"},
    {"gedge schedule --watch --scheduler-name default-scheduler --profile kube",
     "Take the place of kube-scheduler, after it was stopped:"},
};
constexpr Page kPage{
    .name = "schedule",
    .summary = "Bind pods, as a scheduler of the cluster",
    .usage = "[--watch] [--dry-run] [--scheduler-name NAME]... [--rtt FILE]... [FLAG]...",
    .description =
        "Takes the pods whose `schedulerName` is one of `--scheduler-name`, decides about them as "
        "`gedge plan` "
        "does, and binds them. Nothing is decided before the whole cluster is known, and every "
        "node is looked at for every pod. With `--watch` it goes on until SIGTERM or SIGINT; "
        "without, every pod that waits is tried once.\n\n"
        "A place that was decided is held until the API server says that the pod does not have "
        "it: where a bind was sent and no answer came, the pod is read until one is known, and is "
        "not bound a second time before. A pod without a place gets the condition PodScheduled "
        "False with kube-scheduler's message and an event FailedScheduling; it is tried again when "
        "something happens that may help it, or after five minutes.\n\n"
        "The API server is found as kubectl finds it. Round-trip times come from `--rtt`.\n\n"
        "With `--leader-elect`, several may run: the one that holds the Lease works, from a list "
        "of "
        "the cluster that it takes then; the others wait. Nothing is sent that could be done after "
        "the lease has run out, and a process that lost it ends with status 4. SIGTERM gives the "
        "lease away when everything that was sent is settled.\n\n"
        "With `--watch`, `/livez`, `/readyz` and `/metrics` (Prometheus) are answered at "
        "`--listen`, over plain HTTP and only to this machine.",
    .output =
        "Nothing. Standard error has one line an event: at=TIME event=NAME KEY=VALUE..., among "
        "them `bound`, `would-bind`, `unschedulable`, `not-bound` and `failed`.",
    .examples = kExamples,
    .yes = "stopped by SIGTERM; or every pod that waited has a place",
    .no = "without `--watch`: some pod has none",
    .see_also = "gedge-agent(1) gedge-explain(1) gedge-plan(1)",
};

constexpr Words<EventsTold, 3> kEvents{
    {{"all", EventsTold::kAll}, {"failures", EventsTold::kFailures}, {"none", EventsTold::kNone}}};
constexpr std::uint64_t kMostBinds = 1'000;
constexpr int kLast120 = 22;  // newer servers have formulas of 1.36

struct ScheduleCommand {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
  ServerOptions server;
  std::vector<std::string> names;
  EventsTold events = EventsTold::kAll;
  bool watches = false, is_dry_run = false, elects = false;
  std::string lease = "gedge-system/gedge-scheduler";
  std::string listen = "127.0.0.1:8788";
  std::uint64_t max_binds = 100;
};

/// Rules and round-trip times: what does not come from the cluster.
struct Given {
  Rules rules;
  RttMatrix rtt;
};

std::optional<Exit> read_given(const ScheduleCommand& command, Io& io, Given& given) {
  ProgressLine progress(io.err, true, io.clock);
  InputReader reader(io, command.input, command.rules.compat(), progress);
  reader.needs_no_nodes();
  auto input = reader.read();
  Errors errors = reader.take_errors();
  const Errors wrong_rules = load_rules(command.rules, reader, given.rules);
  errors.insert(errors.end(), wrong_rules.begin(), wrong_rules.end());
  if (!input || !errors.empty()) return fail(io, errors, command.output);
  report_input(io, given.rules.warnings, {}, command.output);
  given.rtt = std::move(input->rtt);
  return std::nullopt;
}

Scheduler make_scheduler(const ScheduleCommand& command, Given& given) {
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
  std::random_device random;
  options.seed = (std::uint64_t{random()} << 32U) | random();
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

Status check(const ScheduleCommand& command) {
  const std::size_t slash = command.lease.find('/');
  const bool is_name = slash != std::string::npos && slash > 0 &&
                       slash + 1 < command.lease.size() &&
                       command.lease.find('/', slash + 1) == std::string::npos;
  if (!is_name)
    return invalid_input("'" + command.lease + "' names no lease", {},
                         "write for example `gedge-system/gedge-scheduler`");
  return {};
}

Exit run_schedule(ScheduleCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  if (command.names.empty()) command.names.emplace_back("gedge");
  const auto listen = listen_address(command.listen, *io.network);
  if (!listen) return fail(io, listen.error());
  if (const Status near = check_reach({}, *listen, command.listen); !near)
    return fail(io, invalid_input("others could reach '" + command.listen + "'", {},
                                  "listen on 127.0.0.1"));
  Server server;
  if (const auto failed = open_server(io, command.server, command.output, "schedule", server))
    return *failed;
  if (!command.rules.asked_compat)
    command.rules.asked_compat = server.minor <= kLast120 ? Compat::k1_20 : Compat::k1_36;
  Given given;
  if (const auto failed = read_given(command, io, given)) return *failed;

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
    if (const Status opened = run.listen(*listen); !opened) return fail(io, opened.error());
  return run.run();
}

Run add_schedule(FlagSet& flags) {
  auto command = std::make_shared<ScheduleCommand>();
  flags.heading("What to do");
  flags.add({.name = "watch", .letter = 'w', .help = "Go on until stopped"}, command->watches);
  flags.add({.name = "dry-run", .help = "Decide and say so, but write nothing"},
            command->is_dry_run);
  flags.add({.name = "scheduler-name",
             .value = "NAME",
             .help = "Take pods of this schedulerName",
             .fallback = "gedge",
             .repeats = true},
            command->names);
  flags.add({.name = "events",
             .value = "WHICH",
             .help = "Events to write; none: no conditions either",
             .fallback = "all",
             .words = list_of(kEvents)},
            word_into(kEvents, command->events));
  flags.add(
      {.name = "max-binds", .value = "N", .help = "Binds under way at once", .fallback = "100"},
      number_into(command->max_binds, kMostBinds));
  flags.add({.name = "listen",
             .value = "ADDRESS:PORT",
             .help = "Where to answer probes and Prometheus",
             .fallback = "127.0.0.1:8788"},
            command->listen);
  flags.heading("Several of them");
  flags.add({.name = "leader-elect", .help = "Work only while holding a Lease"}, command->elects);
  flags.add({.name = "lease",
             .value = "NAMESPACE/NAME",
             .help = "The Lease to hold",
             .fallback = "gedge-system/gedge-scheduler"},
            command->lease);
  add_server_flags(flags, command->server);
  add_rtt_flags(flags, command->input);
  add_rule_flags(flags, command->rules);
  add_limit_flags(flags, command->input);
  add_talk_flags(flags, command->output);
  return [command](Io& io) { return run_schedule(*command, io); };
}

}  // namespace

Command schedule_command() { return {&kPage, Group::kWork, add_schedule}; }

}  // namespace gedge::cli
