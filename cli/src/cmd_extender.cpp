// cmd_extender.cpp - "gedge extender": delay budgets for a stock kube-scheduler.
#include <memory>
#include <string>

#include "agent_guard.hpp"
#include "cmd.hpp"
#include "daemon_library.hpp"
#include "extender_command.hpp"
#include "gedge/base/quantity.hpp"
#include "listen_address.hpp"
#include "live_source.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge extender --rtt rtt.csv", "Follow the cluster, beside kube-scheduler on one machine:"},
    {"gedge extender --cluster site.yaml --rtt rtt.csv --listen 127.0.0.1:9000",
     "Without an API server: what a file says, and what kube-scheduler sends:"},
    {"gedge manifests --mode extender", "What to install, and the part of kube-scheduler's file:"},
};
constexpr Page kPage{
    .name = "extender",
    .summary = "Let kube-scheduler keep delay budgets",
    .usage = "[--cluster FILE] [--rtt FILE]... [--bind] [FLAG]...",
    .description =
        "Speaks kube-scheduler's extender protocol, version 1: POST `/filter`, `/prioritize`, "
        "`/preempt` and `/bind`, in both modes of nodeCacheCapable. kube-scheduler finds the nodes "
        "that a pod fits on, and asks; what it is told is a part of what it sent.\n\n"
        "Only what kube-scheduler lacks is decided here: of the profile, the filters DelayBudget, "
        "GpuShare and CloudForUnconstrained and those of policy modules. Resources, ports, taints, "
        "affinity, spread and volumes stay with kube-scheduler: it counts pods that it decided "
        "about a moment ago and that no one else has seen, so a second opinion would be an older "
        "one. `/prioritize` gives what LatencySlack and other scores of gedge's own say, from 0 "
        "to 10.\n\n"
        "Where a pod's budgets are towards nodes, zones and outside names, every node within them "
        "is named. Where they are towards pods or workloads, or others' are towards this pod, one "
        "node is named, the best by the whole profile, and held until the pod is seen there, is "
        "asked about again, or has gone: so budgets hold for pods that are asked about one after "
        "the other before any is bound. A pod whose peers have no place yet is refused until they "
        "have one; pods whose budgets wait for each other in a circle are only placed by "
        "gedge-schedule(1).\n\n"
        "kube-scheduler asks about the pods of all its profiles. One profile here serves all of "
        "them; several serve those of their schedulerNames. For other pods every node passes and "
        "scores 0, and preemption and binds go as kube-scheduler asks.\n\n"
        "In kube-scheduler's configuration, leave `ignorable` out: where gedge does not answer, "
        "pods wait, and no budget breaks. Set `percentageOfNodesToScore: 100`, or kube-scheduler "
        "asks about some of the nodes only, and `preemptVerb`, or it evicts pods on nodes that are "
        "too far (releases of 1.20 and 1.21 before August 2021 ask nobody all the same). With "
        "`bindVerb`, which needs `--bind`, a pod is judged once more before it is "
        "bound. Where no answer says what became of a bind, the pod is read until one does; after "
        "4 s kube-scheduler is told that nobody knows, and asks about that pod in vain till "
        "then.\n\n"
        "The API server is found as kubectl finds it, and followed; so are the round-trip times "
        "that it carries, where there is no `--rtt`. With `--cluster FILE`, facts come "
        "from files; nodes that kube-scheduler sends and that are not among them are added, and "
        "nothing can be bound. Nothing is decided by what is more than a minute old: where the API "
        "server has been silent for longer, it is asked, and a question fails when that says "
        "nothing within two seconds; `/readyz` says 503 then. Everything is answered over plain "
        "HTTP and only to this machine, "
        "since kube-scheduler can send no token; `/livez`, `/readyz` and `/metrics` as well. What "
        "a web page asks, with an Origin, is refused; so is a Host that is neither an address nor "
        "localhost. "
        "Requests that are malformed, too large or of another type than application/json get a "
        "status from 400 and `{\"Error\": \"why\"}`.",
    .output =
        "Nothing. Standard error has one line an event: at=TIME level=LEVEL event=NAME "
        "KEY=VALUE..., among "
        "them `listening`, `synced`, `bound`, `not-bound` and `failed`. A line that nobody takes "
        "within 0.1 s is lost, and `lost` says how many were.",
    .examples = kExamples,
    .yes = "stopped by SIGTERM",
    .see_also = "gedge-manifests(1) gedge-policies(1) gedge-schedule(1)",
};

constexpr std::int64_t kMostBody = std::int64_t{1} << 30;

Exit run_extender(ExtenderCommand& command, Io& io) {
  if (const Status taken = take_live(command.input.cluster, command.server.choice); !taken)
    return fail_usage(io, taken.error());
  if (command.binds && !command.input.cluster.empty())
    return fail_usage(io, invalid_input("'--bind' needs an API server", {},
                                        "leave out `--cluster`, or `--bind`"));
  const auto listen = listen_address(command.listen, *io.network);
  if (!listen) return fail_flag(io, listen.error());
  if (const Status near = check_reach({}, *listen, command.listen); !near)
    return fail_usage(io, invalid_input("others could reach '" + command.listen + "'", {},
                                        "listen on 127.0.0.1, and let kube-scheduler run beside"));
  return run_in_daemon_library<RunExtender>(kRunExtender, io, command, *listen);
}

FlagSet::Take body_into(std::uint64_t& target) {
  return [&target](const std::string& text) -> Status {
    const auto bytes = parse_units(text);
    if (!bytes || *bytes <= 0 || *bytes > kMostBody)
      return invalid_input("'" + text + "' is no size from 1 to 1Gi", {},
                           "write for example `64Mi`");
    target = static_cast<std::uint64_t>(*bytes);
    return {};
  };
}

Run add_extender(FlagSet& flags) {
  auto command = std::make_shared<ExtenderCommand>();
  flags.heading("What to answer");
  flags.add({.name = "listen",
             .value = "ADDRESS:PORT",
             .help = "Where to answer",
             .fallback = "127.0.0.1:8789"},
            command->listen);
  flags.add({.name = "bind", .help = "Bind pods too, where kube-scheduler asks for it"},
            command->binds);
  flags.add({.name = "max-body",
             .value = "SIZE",
             .help = "Largest request that is read",
             .fallback = "64Mi"},
            body_into(command->max_body));
  flags.heading("What is known");
  flags.add({.name = "cluster",
             .value = "FILE|DIR",
             .help = "Read the cluster from files; follow no server",
             .live = Live::kFiles},
            command->input.cluster);
  add_rtt_flags(flags, command->input);
  add_server_flags(flags, command->server);
  add_rule_flags(flags, command->rules);
  add_limit_flags(flags, command->input);
  add_daemon_talk_flags(flags, command->output);
  return [command](Io& io) { return run_extender(*command, io); };
}

}  // namespace

Command extender_command() { return {&kPage, Group::kWork, add_extender}; }

}  // namespace gedge::cli
