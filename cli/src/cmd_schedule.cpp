// cmd_schedule.cpp - "gedge schedule": takes pods that wait for it, and binds them.
#include <memory>
#include <string>
#include <utility>

#include "agent_guard.hpp"
#include "choices.hpp"
#include "cmd.hpp"
#include "daemon_library.hpp"
#include "listen_address.hpp"
#include "live_source.hpp"
#include "report.hpp"
#include "schedule_command.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge schedule --watch --profile edge --rtt rtt.csv",
     "Bind pods whose schedulerName is gedge, within their delay budgets:"},
    {"gedge schedule --dry-run", "Say where the pods that wait now would go, and write nothing:"},
    {"gedge schedule --watch --scheduler-name default-scheduler --profile kube",
     "Take the place of kube-scheduler, after it was stopped:"},
    {"gedge schedule --watch --cluster synthetic:nodes=6,tiers=2/2/2 -f app.yaml --churn 2s",
     "See it work without Kubernetes, in a cluster where much happens:"},
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
        "without, every pod that waits is tried once, and a server that cannot be read for 10 s "
        "ends it.\n\n"
        "A place that was decided is held until the API server says that the pod does not have "
        "it: where a bind was sent and no answer came, the pod is read until one is known, and is "
        "not bound a second time before. A pod without a place gets the condition PodScheduled "
        "False with kube-scheduler's message, of newer ones without its part about preemption, and "
        "an event FailedScheduling; it is tried again when something happens that may help it, or "
        "after five minutes. The same event again is "
        "counted "
        "in the first one (`series`); more than ten that are similar become one, and about one "
        "object there are 25 at once, then one in five minutes. Where nobody answers binds, one is "
        "sent every few seconds, and no more before that is over.\n\n"
        "Where a pod fits nowhere, less important ones are deleted for it, as kube-scheduler does: "
        "on the node where the fewest disruption budgets are violated, and unless its "
        "PriorityClass says Never. Until they have gone, the node is promised to it "
        "(`status.nominatedNodeName`); where one of them cannot be deleted, the promise is taken "
        "back, and where the server does not allow it nobody is asked again for a minute. A "
        "profile that says `disruptionBudgets: keep` beside its schedulerName takes no node where "
        "a budget would be violated, and asks the server to evict instead of deleting, so that the "
        "server refuses what a budget does not allow by then; one without the plugin "
        "DefaultPreemption (`disabled` at postFilter or multiPoint) has nobody go.\n\n"
        "Another scheduler may work beside it. Neither sees what the other is about to bind: to "
        "keep them apart, give each nodes of its own, in the profile by the argument addedAffinity "
        "of NodeAffinity, and gedge-explain(1) says so of nodes that are not its own. Where both "
        "use a node, and a bind of the other one gives it more than it has, that is told as soon "
        "as it is seen: by the event `overcommitted`, in /metrics, and by an Event of the node. "
        "A profile that says `overcommit: evict` beside its schedulerName repairs it, too: of its "
        "own pods there that take of what is too much, the least important is evicted, of these "
        "the one that started last. It is asked for through its disruption budgets; one that they "
        "keep is passed over, and the next is asked after 5 s, 10 s, up to five minutes. On one "
        "node one pod goes at a time, and 60 an hour in all; pods of DaemonSets, static pods and "
        "system-critical ones stay.\n\n"
        "A pod that is deleted and made anew under its name while it is being bound may get the "
        "place of the one before: servers take a bind for whoever has the name, and to a node that "
        "has been cordoned, tainted or deleted meanwhile. Where a pod does not fit there, that is "
        "told as soon as it is seen, by the event `misplaced`, in /metrics, and by an Event of the "
        "pod.\n\n"
        "Pods of a PodGroup (scheduling.x-k8s.io, label scheduling.x-k8s.io/pod-group) are placed "
        "when as many of them as `minMember` says fit together, those that have a node included; "
        "until then nothing is held for them, so that two groups never wait for each other, and "
        "no pod goes for them. A member that is decided on keeps its place while its volumes are "
        "bound and refused binds are tried again, as long as the group's `scheduleTimeoutSeconds` "
        "says. A pod with scheduling gates waits until they are gone. For claims "
        "that wait for their first pod, the volume is reserved, or the node is written to the "
        "claim; the pod is bound when its claims are, unless ten minutes have passed, a "
        "provisioner has taken the node from the claim, or its place is none any more.\n\n"
        "With `--cluster` and anything but `live`, the cluster is in memory, as in "
        "gedge-simulate(1) but on the clock of this machine: its nodes and pods are those of the "
        "file, workloads of `-f` are created in it, controllers make pods anew and kubelets start "
        "and stop them. With `--churn` somebody deletes, replaces and finishes pods, and cordons, "
        "fails and removes nodes. Every pod is this scheduler's unless `--scheduler-name` says "
        "otherwise.\n\n"
        "The API server is found as kubectl finds it. Round-trip times come from `--rtt`; without, "
        "from NodeLatency objects of group gedge.io and the ConfigMap gedge-latency of namespace "
        "gedge-system (key `matrix.json`), whose changes are followed, at most once a second. "
        "Without `--compat`, the formulas are those of 1.20 for servers up to 1.22, else of "
        "1.36.\n\n"
        "A pod of which not all can be read is bound nowhere, and told so; where it has a node, it "
        "takes there what could be read, and what it was known to ask for before. A node that "
        "cannot be read any more stays as it was. Of a kind that the server lacks or refuses (404, "
        "403) there is none; what was listed before is kept until a list is refused again a minute "
        "later, and in the moment before, when it is too old to decide by, nothing is bound. Where "
        "a watch ends, what was listed an hour ago is listed anew.\n\n"
        "With `--leader-elect`, several may run: the one that holds the Lease works, the others "
        "follow the cluster and wait. Before one of them decides, it knows all that the one before "
        "has done: after a SIGTERM by having heard as much as the Lease says (annotation "
        "`gedge.io/heard`), else by a list. No bind and no eviction is sent that could be done "
        "after the lease has run out, and a process that lost it ends with status 4, in less than "
        "5 s also where it hangs. SIGTERM gives the lease away when everything that was sent is "
        "settled, and told back or a second over; annotation `gedge.io/given-away` says so then. "
        "Where somebody takes the Lease from a holder whose time is not over, those who see it say "
        "`lease-taken`, count it (`gedge_lease_seizures_total`), and report an Event of the Lease "
        "(`LeaseTaken`); who held it ends.\n\n"
        "Where `--profile` names a file, it is read again when it has changed, and on SIGHUP: what "
        "can be used decides from then on, and pods that wait are tried again; what is wrong is "
        "told (`profile-refused`) and changes nothing. Its profiles serve the schedulerNames that "
        "those before did.\n\n"
        "With `--watch`, `/livez`, `/readyz` and `/metrics` (Prometheus) are answered at "
        "`--listen`. On an address other than loopback that needs TLS and a token: `--tls-cert`, "
        "`--tls-key` and `--token-file`, which are read again when they change; instead of a "
        "token, a certificate will do that one of `--client-ca` has signed, with `--client-name` "
        "one for that DNS name or common name; `--insecure` does "
        "without what is missing, and says so once a minute while somebody asks, and in `/readyz`. "
        "`/livez` and `/readyz` need no token. Who waits for the lease is ready when it knows the "
        "cluster as who leads does. What a web page asks, with "
        "an Origin, is refused; so is a Host that is neither an address nor localhost, but where "
        "there are tokens, `--client-ca` or `--insecure`.",
    .output =
        "Nothing. Standard error has one line an event: at=TIME level=LEVEL event=NAME "
        "KEY=VALUE..., among "
        "them `synced`, `measured`, `bound`, `not-bound`, `unschedulable`, `evicting`, `leading`, "
        "`standby`, `lease-taken`, `profile`, `profile-refused`, `overcommitted`, `misplaced`, "
        "`repairing` and "
        "`failed`; "
        "`would-bind`, `would-evict` and `would-repair` in a dry run; of a cluster in memory what "
        "happens in it too. With `--watch`, a line that nobody takes within 0.1 s is lost, and "
        "`lost` says how many were.",
    .examples = kExamples,
    .yes = "stopped by SIGTERM; or every pod that waited has a place",
    .no = "without `--watch`: some pod has none",
    .see_also =
        "gedge-agent(1) gedge-apply(1) gedge-explain(1) gedge-extender(1) "
        "gedge-manifests(1) gedge-plan(1) gedge-simulate(1)",
};

constexpr Words<EventsTold, 3> kEvents{
    {{"all", EventsTold::kAll}, {"failures", EventsTold::kFailures}, {"none", EventsTold::kNone}}};
constexpr std::uint64_t kMostBinds = 1'000;

// A live cluster is what is meant without --cluster.
Status settle_cluster(ScheduleCommand& command) {
  std::vector<std::string>& cluster = command.input.cluster;
  GEDGE_TRY(take_live(cluster, command.server.choice));
  if (cluster.empty() && !command.input.files.empty())
    return invalid_input("flag '-f' needs '--cluster FILE'", {},
                         "create the objects in the cluster that runs: `kubectl apply -f FILE`");
  if (cluster.empty() && command.churn > Nanos{0})
    return invalid_input("flag '--churn' needs '--cluster FILE'");
  if (!command.watches && command.churn > Nanos{0})
    return invalid_input("flag '--churn' needs '--watch'", {},
                         "without it, the pods that wait are placed once");
  if (!cluster.empty() && command.lease.elects)
    return invalid_input("flag '--leader-elect' does not go with '--cluster FILE'", {},
                         "a cluster in memory has one scheduler");
  return {};
}

Exit run_schedule(ScheduleCommand& command, Io& io) {
  if (const Status right = command.lease.check(command.is_dry_run); !right)
    return fail_usage(io, right.error());
  if (const Status right = check_guard(command.guard); !right) return fail_usage(io, right.error());
  if (const Status settled = settle_cluster(command); !settled)
    return fail_usage(io, settled.error());
  if (command.names.empty() && command.input.cluster.empty()) command.names.emplace_back("gedge");
  const auto listen = listen_address(command.listen, *io.network);
  if (!listen) return fail_flag(io, listen.error());
  if (const Status guarded = check_reach(command.guard, *listen, command.listen); !guarded)
    return fail_usage(io, guarded.error());
  return run_in_daemon_library<RunSchedule>(kRunSchedule, io, command, *listen);
}

void add_memory_flags(FlagSet& flags, ScheduleCommand& command) {
  flags.heading("In memory, without Kubernetes");
  flags.add({.name = "cluster",
             .value = "SOURCE",
             .help = "Instead, in memory: a file or synthetic:...",
             .live = Live::kFiles},
            command.input.cluster);
  flags.add({.name = "filename",
             .letter = 'f',
             .value = "FILE|DIR|-",
             .help = "In memory: create these objects",
             .live = Live::kFiles},
            command.input.files);
  flags.add({.name = "recursive", .letter = 'R', .help = "Read the directories below too"},
            command.input.recursive);
  flags.add({.name = "churn",
             .value = "DURATION",
             .help = "In memory: somebody meddles about that often"},
            span_into(command.churn, false));
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
             .fallback = "gedge; in memory: any",
             .repeats = true},
            command->names);
  flags.add({.name = "events",
             .value = "WHICH",
             .help = "Events to write; none: no conditions either",
             .fallback = "all",
             .words = list_of(kEvents)},
            word_into(kEvents, command->events));
  flags.add({.name = "max-binds",
             .value = "N",
             .help = "Most binds under way at once",
             .fallback = "100"},
            number_into(command->max_binds, kMostBinds, 1));
  flags.add({.name = "listen",
             .value = "ADDRESS:PORT",
             .help = "Where to answer probes and Prometheus",
             .fallback = "127.0.0.1:8788"},
            command->listen);
  add_memory_flags(flags, *command);
  add_lease_flags(flags, command->lease);
  add_guard_flags(flags, command->guard);
  add_server_flags(flags, command->server);
  add_rtt_flags(flags, command->input);
  add_rule_flags(flags, command->rules);
  add_limit_flags(flags, command->input);
  add_daemon_talk_flags(flags, command->output);
  return [command](Io& io) { return run_schedule(*command, io); };
}

}  // namespace

Command schedule_command() { return {&kPage, Group::kWork, add_schedule}; }

}  // namespace gedge::cli
