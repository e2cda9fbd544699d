// cmd_plan.cpp - "gedge plan": decide where pods go. Changes nothing.
#include <algorithm>
#include <memory>
#include <optional>

#include "cmd.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/plan/what_if_session.hpp"
#include "question.hpp"
#include "render/answer_views.hpp"
#include "render/numbers.hpp"
#include "render/plan_view.hpp"
#include "report.hpp"
#include "show.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge plan --cluster synthetic:nodes=6,tiers=2/2/2 -f app.yaml",
     "Plan onto a made-up site of three tiers:"},
    {"gedge plan --cluster cluster.json --rtt rtt.csv -f app/ -R -o wide",
     "Plan a folder of manifests onto a dump of a cluster, and show the use of its nodes:"},
    {"gedge plan --cluster live -f app.yaml", "Plan onto the cluster that kubectl talks to:"},
    {"gedge plan --cluster cluster.json -f app.yaml --what-if node/edge-1:drain",
     "See what would move if a node were drained:"},
};
constexpr Page kPage{
    .name = "plan",
    .summary = "Decide where pods go; changes nothing",
    .usage =
        "[-f FILE]... [--cluster SOURCE]... [--rtt FILE]... [--what-if EDIT]... [-o FORMAT] "
        "[FLAG]...",
    .description =
        "Places every pod of the manifests that `-f` names, or without `-f` every pending pod of "
        "the cluster, one after "
        "the other in the order of kube-scheduler's queue, on the node that passes every filter "
        "and has the highest "
        "score. Workloads are expanded to their pods as their controllers and admission would.\n\n"
        "The cluster is `live` or `live:CONTEXT`, what `kubectl get nodes,pods -A -o json` prints "
        "(more kinds are welcome: PersistentVolumes, Services, PriorityClasses), a directory of "
        "such files, the `nodes.json` of kubernetes-edge-scheduler, or a made-up site: "
        "`synthetic:` and any of `nodes=6`, `tiers=2/2/2` (edge, near-edge, cloud), "
        "`zones=2`, `cpu=4`, "
        "`memory=8Gi`, `pods=110`, `rtt=0.2ms/2ms/10ms/40ms` (same zone, same tier, to near-edge, "
        "to the cloud), "
        "`seed=0`, separated by commas.\n\n"
        "A live cluster is listed once, through the API server that kubectl would ask; nothing is "
        "written. It is also what is meant where there is neither `--cluster` nor a node in `-f`. "
        "Manifests without a namespace are of that of the context, and without `--compat` the "
        "formulas are those of 1.20 for servers up to 1.22, else of 1.36. What we have no right to "
        "read is warned about, and read as if there were none; without nodes or pods the exit "
        "status is 4.\n\n"
        "Round-trip times are a square CSV with header, an edge list `from,to,rtt_ms`, a plain "
        "matrix of numbers, "
        "the JSON of Goldpinger or of gedge, `min/avg/max/mdev` files, the CSV of WonderNetwork or "
        "logs of ping. "
        "Without `--rtt` they are taken from NodeLatency objects or the ConfigMap gedge-latency of "
        "the cluster.\n\n"
        "`--machines DIR` asks the kubelet of each node too, before a pod is placed there: a pod "
        "that it would refuse (TopologyAffinityError, SMTAlignmentError, too few exclusive CPUs) "
        "goes elsewhere, and nodes where its CPUs lie on fewer NUMA nodes score higher, as policy "
        "MachineFit. DIR holds for each node NODE.xml (hwloc's XML), NODE.synthetic (hwloc's "
        "one-line description) or a directory NODE with a recorded tree; beside it "
        "NODE.kubelet.yaml, its KubeletConfiguration, else kubelet.yaml for all, else what `gedge "
        "pin plan` takes; NODE.state, its cpu_manager_state; and NODE.memory-state, its "
        "memory_manager_state. Nodes without a machine are placed on as ever.\n\n"
        "An EDIT is one of `node/N:cpu=+200m`, `node/N:memory=16Gi`, `node/N:label.K=V`, "
        "`node/N:label.K-`, "
        "`node/N:taint-=K[:EFFECT]`, `node/N:drain`, `node/N:delete`, `pod/NS/P:node=N`, "
        "`pod/NS/P:delete`, "
        "`rtt/A,B=3ms` and `add=FILE`. With `--what-if` the edited facts are planned too, and the "
        "difference is the "
        "answer: `+` placed, `~` moved, `-` lost, `!` unschedulable. What stays valid stays where "
        "it is, unless "
        "`--replan` plans everything anew.\n\n"
        "With `-n` or `-l` everything is planned, and only those pods are shown; summaries, the "
        "use of "
        "nodes and the exit status speak of all.",
    .output =
        "A table with one line a pod: its node, the total score, and of its delay budgets the one "
        "with the least slack. "
        "`wide` adds who the budget is measured from, the runner-up, and the use of every node. "
        "`json` and `yaml` print "
        "one object of kind Plan, or WhatIf with `--what-if`; `name` prints `pod/NAME` for every "
        "pod placed.",
    .examples = kExamples,
    .yes = "all pods are placed",
    .no = "some pod is unschedulable",
    .see_also =
        "gedge-apply(1) gedge-explain(1) gedge-hint(1) gedge-matrix-complete(1) "
        "gedge-measure(1) gedge-pin-plan(1) gedge-scale-simulate(1) gedge-schedule(1) "
        "gedge-simulate(1) gedge-validate(1) gedge-verify(1) gedge-why-not(1) gedge-policies(7)",
};

struct PlanOptions : QuestionOptions {
  ShowOptions show;
  std::string out;
  std::vector<Edit> edits;
  std::vector<std::string> edit_texts;
  std::vector<std::string> added;  // files of --what-if add=FILE
  bool replan = false;
};

TableOptions table_options(const PlanOptions& options) {
  return {options.output.format == Format::kWide, !options.output.no_headers,
          options.output.sort_by, options.show.all_namespaces,
          options.output.format == Format::kName};
}

bool is_document(const OutputOptions& output) {
  return output.format == Format::kJson || output.format == Format::kYaml;
}

Exit show_plan(Io& io, const PlanOptions& options, const Facts& facts, const Plan& plan) {
  ShownPods pods(options.show, options.input);
  pods.learn(facts);
  std::optional<Plan> some;
  if (!pods.shows_all()) some = only_shown(plan, pods);
  const Plan& shown = some ? *some : plan;
  if (is_document(options.output)) {
    io.out.write(write(shown, text_format(options.output.format), &plan));
    return Exit::kYes;
  }
  if (const Status printed = print_plan(io.out, shown, table_options(options)); !printed)
    return fail_usage(io, printed.error());
  if (options.output.format == Format::kWide) {
    io.out.line("");
    print_node_use(io.out, facts, plan, !options.output.no_headers);
  }
  return Exit::kYes;
}

// What to type for more about POD; nothing where an input is gone once it was read.
ExplainHint explain_hint(const Io& io, const PlanOptions& options) {
  const InputOptions& input = options.input;
  std::vector<std::string> paths = input.files;
  paths.insert(paths.end(), input.cluster.begin(), input.cluster.end());
  paths.insert(paths.end(), input.rtt.begin(), input.rtt.end());
  paths.insert(paths.end(), {input.rtt_names, options.rules.profile});
  if (std::find(paths.begin(), paths.end(), "-") != paths.end()) return {};
  return {io.program + " explain POD" + options.retyped, home_namespace(input)};
}

// Budgets that nothing was measured for are no fault of the nodes.
void hint_at_rtt(Io& io, const PlanOptions& options, const RttMatrix& rtt, const Plan& plan) {
  const auto is_over = [](const Decision& decision) {
    return std::any_of(decision.rejected_by.begin(), decision.rejected_by.end(),
                       [](const auto& by) { return by.first == "DelayBudget"; });
  };
  const bool is_any = std::any_of(plan.decisions.begin(), plan.decisions.end(),
                                  [&](const Decision& d) { return !d.chosen && is_over(d); });
  if (rtt.empty() && is_any && !options.output.quiet)
    io.err.line(io.err.style().paint(Ink::kDim, "no round-trip times were given: see --rtt"));
}

// Also where budgets are broken, by a profile that does not check them, the answer is no.
Exit all_is_well(Io& io, const PlanOptions& options, const Plan& plan) {
  const std::size_t over = plan.over_budget();
  if (over > 0 && !options.output.quiet)
    io.err.line(counted(over, "pod") + " over a delay budget, which this profile does not check");
  return plan.placed() == plan.decisions.size() && over == 0 ? Exit::kYes : Exit::kNo;
}

Exit finish_plan(Io& io, const PlanOptions& options, const Input& input, const Plan& plan) {
  if (!options.out.empty())
    if (const Exit written = write_file(io, options.out, write(plan, TextFormat::kJson));
        written != Exit::kYes)
      return written;
  if (const Exit shown = show_plan(io, options, input.facts, plan); shown != Exit::kYes)
    return shown;
  io.out.flush();
  report_input(io, plan.warnings, plan.skipped, options.output);
  if (!options.output.quiet)
    print_plan_summary(io.err, plan, explain_hint(io, options), options.output.verbosity > 0);
  hint_at_rtt(io, options, input.rtt, plan);
  return all_is_well(io, options, plan);
}

// The use of nodes once the edits are made.
Status show_edited_use(Io& io, const PlanOptions& options, const Input& input, const Plan& after) {
  Facts facts = input.facts;
  RttMatrix rtt = input.rtt;
  GEDGE_TRY(apply_edits(options.edits, options.input.rtt_by, facts, rtt));
  io.out.line("");
  print_node_use(io.out, facts, after, !options.output.no_headers);
  return {};
}

// `before` and `joined` are the facts without and with the files of --what-if add=FILE.
Exit finish_what_if(Io& io, const PlanOptions& options, const WhatIf& what_if, const Input& before,
                    const Input& joined) {
  ShownPods pods(options.show, options.input);
  pods.learn(before.facts);
  pods.learn(joined.facts);
  const WhatIf shown = only_shown(what_if, pods);
  if (is_document(options.output)) {
    io.out.write(write(shown, options.edit_texts, text_format(options.output.format), &what_if));
  } else {
    Status printed = print_what_if(io.out, shown, pods.shows_all(), table_options(options));
    if (printed && options.output.format == Format::kWide)
      printed = show_edited_use(io, options, joined, what_if.after);
    if (!printed) return fail_usage(io, printed.error());
  }
  io.out.flush();
  report_input(io, what_if.after.warnings, what_if.after.skipped, options.output);
  if (!options.output.quiet)
    print_plan_summary(io.err, what_if.after, {}, options.output.verbosity > 0);
  return all_is_well(io, options, what_if.after);
}

Result<WhatIf> ask_what_if(const PlanRequest& request, const PlanOptions& options,
                           const Facts* joined) {
  const auto session = WhatIfSession::start(request);
  if (!session) return session.error();
  return (*session)->whole(options.edits, options.replan, joined);
}

Exit run_what_if(Io& io, const PlanOptions& options, Question& question) {
  std::optional<Input> joined;
  if (!options.added.empty()) {
    joined = question.reader().read(options.added);
    if (!joined) return fail(io, question.reader().take_errors(), options.output);
  }
  std::future<std::string> snapshot = question.snapshot();
  auto result = ask_what_if(question.request(), options, joined ? &joined->facts : nullptr);
  question.progress().erase();
  if (!result) return fail(io, result.error());
  result->before.snapshot = result->after.snapshot = snapshot.get();
  const Input& before = question.input();
  return finish_what_if(io, options, *result, before, joined ? *joined : before);
}

Status check_flags(const PlanOptions& options) {
  if (!options.edits.empty() && !options.out.empty())
    return invalid_input("flag '--out' does not go with '--what-if'", {},
                         "a plan file is for facts as they are");
  if (options.out == "-")
    return invalid_input("flag '--out' writes a file, not standard output", {},
                         "`-o json` prints the same plan there");
  if (options.edits.empty() && options.replan)
    return invalid_input("flag '--replan' needs '--what-if'", {},
                         "without edits every pod is planned anew already");
  return check_show(options.show);
}

Exit run_plan(PlanOptions& options, Io& io) {
  if (const Status valid = check_flags(options); !valid) return fail_usage(io, valid.error());
  Question question(io, options, !options.added.empty());
  if (const auto stopped = question.prepare()) return *stopped;
  if (!options.edits.empty()) return run_what_if(io, options, question);

  std::future<std::string> snapshot = question.snapshot();
  auto plan = make_plan(question.request());
  question.progress().erase();
  if (!plan) return fail(io, plan.error());
  plan->snapshot = snapshot.get();
  const Exit exit = finish_plan(io, options, question.input(), *plan);
  io.kept.add(*std::move(plan));
  return exit;
}

void add_edit(PlanOptions& options, Edit edit) {
  if (edit.kind == Edit::Kind::kAddFile) options.added.push_back(edit.value);
  options.edits.push_back(std::move(edit));
}

Run add_plan(FlagSet& flags) {
  auto options = std::make_shared<PlanOptions>();
  add_question_flags(flags, *options, {"table", "wide", "json", "yaml", "name"});
  add_show_flags(flags, options->show);
  flags.add({.name = "out",
             .value = "FILE",
             .help = "Write the plan as JSON, whole or not at all",
             .live = Live::kFiles},
            options->out);
  flags.heading("What if");
  flags.add({.name = "what-if",
             .value = "EDIT",
             .help = "Plan edited facts, show the difference",
             .repeats = true},
            [options = options.get()](const std::string& text) -> Status {
              auto edit = parse_edit(text);
              if (!edit) return std::move(edit).error();
              options->edit_texts.push_back(text);
              add_edit(*options, *std::move(edit));
              return {};
            });
  flags.add({.name = "replan", .help = "With --what-if: move pods that could stay"},
            options->replan);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options, &flags](Io& io) {
    options->retyped = flags.retyped();
    return run_plan(*options, io);
  };
}

}  // namespace

Command plan_command() { return {&kPage, Group::kLook, add_plan}; }

}  // namespace gedge::cli
