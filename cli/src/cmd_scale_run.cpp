// cmd_scale_run.cpp - "gedge scale run": autoscalers of a cluster that runs.
#include <memory>
#include <string>

#include "agent_guard.hpp"
#include "cmd.hpp"
#include "daemon_library.hpp"
#include "listen_address.hpp"
#include "report.hpp"
#include "scale_command.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge scale run -f examples/scale/short.yaml --prometheus http://prometheus:9090",
     "Scale by what Prometheus says, within a second or so:"},
    {"gedge scale run -f examples/scale/live-sites.yaml --rtt rtt.csv",
     "At home while there is room, then in the cloud:"},
    {"gedge scale run -f examples/scale/live-growth.yaml --prometheus http://prometheus:9090",
     "At home while there is room for larger ones, too:"},
    {"gedge scale run -f examples/scale/live-demand.yaml --rtt rtt.csv --prometheus URL",
     "On those sites from where most requests come:"},
    {"gedge scale run --own-hpa --leader-elect",
     "Take the place of the controller, which runs no more:"},
    {"gedge scale run --own-hpa --dry-run --once", "Say what it would do now, and write nothing:"},
};
constexpr Page kPage{
    .name = "scale run",
    .summary = "Scale workloads with their load",
    .usage = "[-f FILE]... [--own-hpa] [--prometheus URL] [--once] [--dry-run] [FLAG]...",
    .description =
        "Looks at every autoscaler each `--sync-period`, decides as `gedge scale explain` does, "
        "and writes replicas through the subresource scale, with the version that was read: where "
        "somebody else was faster, it looks again. Where eight or more workloads of a kind in a "
        "namespace are looked at, they are listed, if that is allowed and the list has at least "
        "half of them beside as many others, and 16 KiB for each at most. If not, and where there "
        "are fewer, each is read alone. It goes on until SIGTERM or SIGINT.\n\n"
        "Autoscalers of `-f` have kind Autoscaler of gedge.io/v1alpha1, which is short: `target` "
        "(kind, name), `min`, `max`, `metrics` and, if wanted, `behavior` as in autoscaling/v2. A "
        "metric is one of `resource` (with `utilization` in percent, or `average`; `container` "
        "for one of them), `pods` (`average`), `object` and `metric`, `external` (`selector`), "
        "and `query` of Prometheus, these with `average` per replica or `value`. "
        "share/gedge/schemas/autoscaler.schema.json says it exactly. A workload that a "
        "HorizontalPodAutoscaler scales is left alone, and one that somebody else changes is left "
        "alone for a minute.\n\n"
        "With `sites`, replicas are on several sites, each of which has a workload of its own: "
        "that of the first one, home, is the target, and `workloads` names the others, which take "
        "care by themselves that their pods run there. The formula sees the replicas of all of "
        "them as one. More come out at home while the planner, asked about the cluster as it is, "
        "finds a node for one; then over to the other sites, in their order and within the "
        "`budget` from home (`--rtt`, or what the cluster's own objects say). They are back from "
        "the farthest first, and as soon as there is room nearer; whoever waits without a place "
        "at home is stood in for elsewhere. `overAfterSeconds` and `returnAfterSeconds` bound how "
        "often that happens; after a start with some far away, none goes over or comes back for "
        "as long, so a pass of `--once` moves none then. Before replicas "
        "leave a site, its pods are annotated with controller.kubernetes.io/pod-deletion-cost, so "
        "that those leave that are farthest from home. Where a metric, a workload or the cluster "
        "cannot be read, nothing moves. With `choose: demand`, replicas come where they remove "
        "most latency, and move as the demand does; who moves is there and answers before it "
        "leaves elsewhere. From where demand comes is said by `demandLabel`, a label of the values "
        "of the metric, which is the only one: a query or an external metric with an `average`. "
        "Values from elsewhere count as if they came from home.\n\n"
        "With `up`, those at home are larger before any is elsewhere, and smaller again before any "
        "of them leaves, unless nobody can make them smaller: all of them alike, by steps of "
        "`step` of a `resource`, cpu or memory, up to `most`, in the container that requests most "
        "of it. A server of 1.33 or later resizes the pods where they run; those that come later "
        "are resized then, and those that the workload did not make are left alone. With `through: "
        "template`, the template of the workload, a Deployment or a StatefulSet, is changed "
        "instead: its controller replaces the pods, one after the other. What was declared is in "
        "the annotation gedge.io/grown of the workload then, beside what it has grown to: a "
        "template that somebody else writes is the base from then on. A template or a pod that "
        "somebody puts back is left alone for a minute, then each time for twice as long, up to "
        "an hour, until it has stayed larger for as long as that. If the annotation stays and "
        "somebody declares just the size that was put back, a process that has started since "
        "takes it for grown: a template does not say who wrote it. While "
        "the controller replaces pods, none of them changes its size, and none leaves or comes "
        "home, unless it has not got on for ten minutes. Where it is paused or replaces only some, "
        "each pod counts by its own size.\n\n"
        "Limits keep their ratio. A larger replica counts for as many as were declared, of `max`, "
        "too, but of `min` each is one: while there are fewer, none grows in the stead of another "
        "one; where nobody has a place for these, the others grow for what is wanted beyond them. "
        "Those elsewhere in whose stead they grow leave in the look after, once the pods are "
        "as large: until then there may be more than `max` by size, never by number. As they "
        "count by size, metrics are to be those of all together: a query, an external metric or "
        "that of an object, with an `average`. None is made larger or smaller than LimitRanges "
        "allow, "
        "or larger than the planner finds room for: on its node, or through the template where a "
        "pod leaves before another one comes only as far as `maxUnavailable` lets it. Where they "
        "cannot grow, event `keeps-size` says why, once, and others come elsewhere; after a change "
        "that failed, for a minute. Larger ones that a kubelet puts off are as they were declared "
        "again, without the others; where those of a new template get no node, or any of it no "
        "quota, in ten minutes, so is the template. What did not last is tried each time later. "
        "Quotas are not asked beforehand: a pod of home that one refuses counts as one that comes "
        "yet, so nobody stands in for it elsewhere, and pods that were resized where they run do "
        "not shrink for it. A StatefulSet, "
        "unless its `podManagementPolicy` is Parallel, waits even then for a pod without a node, "
        "until somebody deletes that. What has grown stays so where `up` is taken out of the "
        "autoscaler.\n\n"
        "kube-controller-manager looks at every HorizontalPodAutoscaler, so gedge does not, unless "
        "`--own-hpa` says that it runs with `--controllers=*,-horizontalpodautoscaling`. Then "
        "gedge takes all of them, or with `-n` those of a namespace, and writes their status. It "
        "stops with status 4 where one was rescaled by somebody else.\n\n"
        "Metrics come from metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io "
        "through the API server; queries go to `--prometheus`, every `--react`: when one says "
        "something else, its namespace is looked at now. A metric that nobody gives, that is no "
        "amount, or older than `--max-age` is not known. Then nothing is scaled down (with "
        "`--compat 1.20`, the other metrics decide), and that is told: event `frozen`, an Event, "
        "the status, /metrics. While a watch of the API server has been broken for longer than a "
        "second, nothing is decided, as pods of before are not those that are measured now. After "
        "a start nothing is scaled down for the length of the window. Windows do not depend on "
        "the date of the machine.\n\n"
        "Over https, `--prometheus-token` names a file with a bearer token, and `--prometheus-ca` "
        "one with the certificates that are trusted; both are read again as they change.\n\n"
        "Objects are read as autoscaling/v2, else v2beta2, else v1 with its annotations: whatever "
        "the server has.\n\n"
        "With `--leader-elect`, several may run: the one that holds the Lease works, and ends with "
        "status 4 when it is lost. Where somebody takes the Lease from a holder whose time is not "
        "over, those who see it say `lease-taken`, count it (`gedge_lease_seizures_total`), and "
        "report an Event of the Lease (`LeaseTaken`). `/livez`, `/readyz` and `/metrics` are "
        "answered at "
        "`--listen`; on an address other than loopback that needs TLS and a token, or a "
        "certificate by `--client-ca`. What a web page "
        "asks, with an Origin, is refused; so is a Host that is neither an address nor localhost, "
        "but where there are tokens, `--client-ca` or `--insecure`.",
    .output =
        "Nothing. Standard error has one line an event: at=TIME level=LEVEL event=NAME "
        "KEY=VALUE..., among "
        "them `synced`, `rescaled`, `would-rescale`, `not-rescaled`, `frozen`, `thawed`, "
        "`no-place`, `resized`, `would-resize`, `not-resized`, `keeps-size`, `yields`, `taken`, "
        "`no-target`, `leading`, `standby`, `lease-taken` and `failed`. A line that nobody takes "
        "within 0.1 s is lost, and `lost` says how many were.",
    .examples = kExamples,
    .yes = "stopped by SIGTERM; with `--once`: every autoscaler has its answer",
    .no = "with `--once`: a workload, a metric or a write is missing",
    .see_also = "gedge-manifests(1) gedge-scale-explain(1) gedge-scale-simulate(1)",
};

Status check(const ScaleCommand& command) {
  if (command.input.files.empty() && !command.owns_objects)
    return invalid_input("no autoscalers", {},
                         "name a file with `-f`, or take those of the cluster: `--own-hpa`");
  return command.lease.check(command.is_dry_run);
}

Exit run_scale(ScaleCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  if (const Status right = check_prometheus(command.prometheus); !right)
    return fail_usage(io, right.error());
  if (const Status right = check_guard(command.guard); !right) return fail_usage(io, right.error());
  const auto listen = listen_address(command.listen, *io.network);
  if (!listen) return fail_flag(io, listen.error());
  if (const Status guarded = check_reach(command.guard, *listen, command.listen); !guarded)
    return fail_usage(io, guarded.error());
  return run_in_daemon_library<RunScale>(kRunScale, io, command, *listen);
}

void add_work_flags(FlagSet& flags, ScaleCommand& command) {
  flags.heading("What to do");
  flags.add({.name = "filename",
             .letter = 'f',
             .value = "FILE|DIR|-",
             .help = "Read autoscalers of kind Autoscaler",
             .live = Live::kFiles,
             .repeats = true},
            command.input.files);
  flags.add({.name = "recursive", .letter = 'R', .help = "Read the directories below too"},
            command.input.recursive);
  flags.add({.name = "own-hpa", .help = "Scale by HorizontalPodAutoscalers, alone"},
            command.owns_objects);
  add_namespace_flag(flags, command.input);
  flags.add({.name = "dry-run", .help = "Decide and say so, but write nothing"},
            command.is_dry_run);
  flags.add({.name = "once", .help = "Look once, and end"}, command.is_once);
  flags.add({.name = "sync-period",
             .value = "DURATION",
             .help = "From one look to the next",
             .fallback = "15s"},
            span_into(command.period, false));
  flags.add({.name = "react",
             .value = "DURATION",
             .help = "Ask queries so often in between; 0: never",
             .fallback = "1s"},
            span_into(command.react, true));
  flags.add({.name = "max-age",
             .value = "DURATION",
             .help = "Take older samples for missing",
             .fallback = "120s"},
            span_into(command.max_age, false));
  add_prometheus_flags(flags, command.prometheus);
  flags.add({.name = "listen",
             .value = "ADDRESS:PORT",
             .help = "Where to answer probes and Prometheus",
             .fallback = command.listen},
            command.listen);
}

// As of planning; samples of metrics have a --max-age of their own.
void add_site_flags(FlagSet& flags, InputOptions& input) {
  flags.heading("How far sites are from each other");
  flags.add({.name = "rtt",
             .value = "FILE|DIR",
             .help = "Read round-trip times; a later one wins",
             .live = Live::kFiles},
            input.rtt);
  flags.add({.name = "rtt-by", .value = "LABEL", .help = "Node label that names nodes there"},
            input.rtt_by);
}

Run add_scale_run(FlagSet& flags) {
  auto command = std::make_shared<ScaleCommand>();
  add_work_flags(flags, *command);
  add_lease_flags(flags, command->lease);
  add_site_flags(flags, command->input);
  add_controller_flags(flags, *command);
  add_guard_flags(flags, command->guard);
  add_server_flags(flags, command->server);
  add_limit_flags(flags, command->input);
  add_daemon_talk_flags(flags, command->output);
  return [command](Io& io) { return run_scale(*command, io); };
}

}  // namespace

Command scale_run_command() { return {&kPage, Group::kWork, add_scale_run}; }

}  // namespace gedge::cli
