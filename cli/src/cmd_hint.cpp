// cmd_hint.cpp - "gedge hint": measured latency in words that any scheduler understands.
#include <memory>
#include <utility>

#include "cmd.hpp"
#include "daemon_library.hpp"
#include "gedge/codec/write_hints.hpp"
#include "hint_command.hpp"
#include "input.hpp"
#include "live_source.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge hint --cluster site.yaml -f app.yaml --rtt rtt.csv",
     "What would be written for the budgets of an application:"},
    {"gedge hint --cluster synthetic:nodes=6,tiers=2/2/2 --from edge-1",
     "Label every node with the round-trip time from one:"},
    {"kubectl get nodes,pods -A -o json | gedge hint --cluster - --rtt rtt.csv --write",
     "Write it, for all that runs:"},
};
constexpr Page kPage{
    .name = "hint",
    .summary = "Tell any scheduler of latency by labels and affinities",
    .usage = "[--cluster SOURCE] [-f FILE]... [--rtt FILE]... [--from NAME]... [--write]",
    .description =
        "For schedulers that know nothing of round-trip times. Nothing is written without "
        "`--write`; then labels come first, and workloads are left alone where a label was "
        "refused.\n\n"
        "A delay budget towards a node, a zone or an outside name becomes a label "
        "`rtt.gedge.io/NAME` on every node, the round-trip time in microseconds, and a node "
        "affinity that asks for less than one above the limit: exactly what the budget says. A "
        "node that is unmeasured gets no label, and no such pod. `--from` labels nodes with the "
        "times from further names.\n\n"
        "A budget towards pods becomes a label `within.gedge.io/LIMITus`, by which nodes are in "
        "groups of which any two are within the limit, and a pod affinity with that label for its "
        "topology; unless the budget says `any:`, the pods that are meant are kept in one group "
        "too. Two nodes may be near each other and in different groups: so every place that is "
        "allowed is within the budget, but not every place within it is allowed.\n\n"
        "Deployments, StatefulSets, DaemonSets and ReplicaSets are patched in their templates, so "
        "their controllers replace the pods. Terms of a node affinity stay, and each of them asks "
        "for the labels as well. What is of another kind, or has a pod affinity of its own, is "
        "left alone, and said; for its sake no others are kept in one group. Once written, hints "
        "are as old as the matrix: run it again when that has changed. Only what differs is "
        "written.",
    .output =
        "An object of kind Hints; see share/gedge/schemas/hints.schema.json. With `--write`, a "
        "line for each node and workload that was changed.",
    .examples = kExamples,
    .yes = "all was printed, or written",
    .see_also = "gedge-manifests(1) gedge-matrix-cluster(1) gedge-plan(1)",
};

// Where it is read, it is written.
Status settle(HintCommand& command) {
  for (const std::string& source : command.input.cluster)
    if (command.writes && is_live(source))
      GEDGE_TRY(choose_context(source, command.input.server.choice));
  return {};
}

Exit run_hint(const HintCommand& command, Io& io) {
  ProgressLine progress(io.err, command.output.quiet, io.clock);
  InputReader reader(io, command.input, command.rules.compat(), progress);
  auto input = reader.read();
  if (!input && reader.lacks_cluster())
    return fail_usage(io, invalid_input("no nodes", {}, "name some: `--cluster SOURCE`"));
  if (!input) return fail(io, reader.take_errors(), command.output);
  auto hints = make_hints({&input->facts, &input->rtt, command.input.rtt_by, command.from});
  if (!hints) return fail(io, hints.error());
  std::vector<Warning> warnings = input->facts.warnings;
  warnings.insert(warnings.end(), hints->warnings.begin(), hints->warnings.end());
  report_input(io, warnings, {}, command.output);
  if (input->rtt.empty() && !hints->workloads.empty() && !command.output.quiet)
    io.err.line(io.err.style().paint(Ink::kDim, "no round-trip times were given: see --rtt"));
  if (command.writes) return run_in_daemon_library<RunHint>(kRunHint, io, command, *hints);
  io.out.write(write(*hints, text_format(command.output.format)));
  io.out.flush();
  return Exit::kYes;
}

Run add_hint(FlagSet& flags) {
  auto command = std::make_shared<HintCommand>();
  flags.heading("What to do");
  flags.add({.name = "from",
             .value = "NAME",
             .help = "Label nodes with the times from it too",
             .live = Live::kNodes,
             .repeats = true},
            command->from);
  flags.add({.name = "write", .help = "Change nodes and workloads of the cluster"},
            command->writes);
  add_file_flags(flags, command->input);
  add_namespace_flag(flags, command->input);
  add_cluster_flags(flags, command->input);
  add_rtt_flags(flags, command->input);
  add_live_flags(flags, command->input);
  add_compat_flag(flags, command->rules);
  command->output.format = Format::kYaml;
  add_document_flag(flags, command->output);
  add_limit_flags(flags, command->input);
  add_talk_flags(flags, command->output);
  return [command](Io& io) {
    if (const Status settled = settle(*command); !settled) return fail_usage(io, settled.error());
    return run_hint(*command, io);
  };
}

}  // namespace

Command hint_command() { return {&kPage, Group::kWork, add_hint}; }

}  // namespace gedge::cli
