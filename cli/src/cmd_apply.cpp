// cmd_apply.cpp - "gedge apply PLAN": binds pods as a plan says, if it still holds.
#include <memory>
#include <string>

#include "apply_command.hpp"
#include "cmd.hpp"
#include "daemon_library.hpp"
#include "live_source.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge plan --cluster live --out plan.json && gedge apply plan.json",
     "Decide, look at the plan, and carry it out:"},
    {"gedge apply plan.json --dry-run", "See whether it still holds, and what would be bound:"},
};
constexpr Page kPage{
    .name = "apply",
    .summary = "Bind pods as a plan says, if it still holds",
    .usage = "PLAN [--dry-run] [--scheduler-name NAME]... [--rtt FILE]... [FLAG]...",
    .description =
        "Carries out what `gedge plan --cluster live --out PLAN` decided. The cluster is read "
        "anew, with the same `--rtt` as the plan: if anything that a plan depends on is not as it "
        "was, nothing is done and the exit status is 6. Whatever changed counts, for each pod of "
        "the plan has its place because of all the others; plan anew then.\n\n"
        "Only pods that are in the cluster can be bound, so a plan of manifests (`-f`) is carried "
        "out by creating them, and planning the pods that wait. Pods whose `schedulerName` is "
        "none of `--scheduler-name` belong to another scheduler and are left alone. So are pods "
        "with a claim that is not bound to its volume yet: only a scheduler asks for volumes that "
        "wait for their first pod, and `gedge schedule --watch` does. A group of which too few "
        "would be bound then is left alone as a whole. Every bind is followed to "
        "its end: where no answer says what became of one, the pod is read until one does. Where "
        "the server is so slow that `--within` has passed since the cluster was read, no more "
        "binds are sent: what was read may not be so any more.\n\n"
        "With `--server-dry-run` the API server judges every bind, by rights and by admission, "
        "and does none.",
    .output =
        "A table with one line a pod of the plan: its node, and `bound`, `would-bind`, "
        "`unschedulable`, `left-alone`, `elsewhere` (it has another node), `gone`, `refused`, "
        "`unclear` or `too-late` (it was not sent in time). Reasons are on standard error.",
    .examples = kExamples,
    .yes = "every pod of the plan is bound where it says",
    .no = "the others are, but some pod has no node in the plan, or was left alone",
    .see_also = "gedge-plan(1) gedge-schedule(1) gedge-verify(1)",
    .partly = "some pods were bound, and others that should have been were not",
    .stale = "the plan does not hold any more; nothing was bound",
};
constexpr std::uint64_t kMostBinds = 1'000;
constexpr Nanos kMostWithin{60'000'000'000};

Status settle(ApplyCommand& command) {
  std::vector<std::string>& cluster = command.input.cluster;
  if (cluster.empty()) cluster.emplace_back("live");
  if (cluster.size() > 1 || !is_live(cluster.front()))
    return invalid_input("pods are bound in one cluster that runs", {},
                         "write `--cluster live` or `--cluster live:CONTEXT`");
  GEDGE_TRY(choose_context(cluster.front(), command.input.server.choice));
  cluster.front() = "live";
  GEDGE_TRY(check_ages(command.input));
  if (command.within > kMostWithin)
    return invalid_input("what was read more than 60 s ago decides nothing", {},
                         "give `--within` 60s or less");
  command.is_dry_run = command.is_dry_run || command.asks_server;
  if (command.names.empty()) command.names.emplace_back("gedge");
  return {};
}

Exit run_apply(ApplyCommand& command, Io& io) {
  if (const Status settled = settle(command); !settled) return fail_usage(io, settled.error());
  return run_in_daemon_library<RunApply>(kRunApply, io, command);
}

Run add_apply(FlagSet& flags) {
  auto command = std::make_shared<ApplyCommand>();
  flags.add({.name = "PLAN",
             .value = "PLAN",
             .help = "A plan as JSON or YAML",
             .live = Live::kFiles,
             .operand = true,
             .required = true},
            command->plan);
  flags.heading("What to do");
  flags.add({.name = "dry-run", .help = "Say what would be bound, but write nothing"},
            command->is_dry_run);
  flags.add({.name = "server-dry-run", .help = "Let the API server say too whether it would bind"},
            command->asks_server);
  flags.add({.name = "scheduler-name",
             .value = "NAME",
             .help = "Bind pods of this schedulerName",
             .fallback = "gedge",
             .repeats = true},
            command->names);
  flags.add(
      {.name = "max-binds", .value = "N", .help = "Binds under way at once", .fallback = "100"},
      number_into(command->max_binds, kMostBinds, 1));
  flags.add({.name = "within",
             .value = "TIME",
             .help = "Send no bind later after the cluster was read",
             .fallback = "60s"},
            span_into(command->within, false));
  flags.heading("What the plan was made from");
  flags.add(
      {.name = "cluster", .value = "SOURCE", .help = "live or live:CONTEXT", .fallback = "live"},
      command->input.cluster);
  add_rtt_flags(flags, command->input);
  add_live_flags(flags, command->input);
  flags.heading("How to show it");
  flags.add({.name = "no-headers", .help = "Leave out the header line"},
            command->output.no_headers);
  add_limit_flags(flags, command->input);
  add_talk_flags(flags, command->output);
  return [command](Io& io) { return run_apply(*command, io); };
}

}  // namespace

Command apply_command() { return {&kPage, Group::kWork, add_apply}; }

}  // namespace gedge::cli
