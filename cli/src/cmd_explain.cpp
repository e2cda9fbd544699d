// cmd_explain.cpp - "gedge explain POD": every node, every policy, numbers against limits, and what
// would change it.
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/write.hpp"
#include "question.hpp"
#include "render/explain_view.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge explain web-0 --cluster synthetic:nodes=6,tiers=2/2/2 -f app.yaml",
     "Why a pod goes where it goes:"},
    {"gedge explain shop/cart-0 --cluster cluster.json --rtt rtt.csv -o json",
     "The same evidence for a program, about a pod of another namespace:"},
};
constexpr Page kPage{
    .name = "explain",
    .summary = "Show why a pod goes where it goes, node by node",
    .usage = "POD [-f FILE]... [--cluster SOURCE]... [--rtt FILE]... [-o FORMAT] [FLAG]...",
    .description =
        "Plans as `gedge plan` does with the same flags up to the pod's turn, and shows the "
        "evidence of that decision: "
        "for each node every filter with what it measured and the limit, for each feasible node "
        "every score. A pod that "
        "is bound already is judged as if it were placed anew with everything else as it is.\n\n"
        "It ends with the smallest set of edits that was found to make the pod schedulable or to "
        "let another node win. "
        "`gedge plan --what-if` takes its edits in the order in which they are printed, and needs "
        "`--replan` where that is "
        "said. A change may cost other pods their place: the what-if shows which. For a bound pod "
        "nothing but the policies is asked, as no plan moves it.\n\n"
        "POD is a name, or NAMESPACE/NAME.",
    .output =
        "A line with the verdict, a table of filters (policies that pass every node are listed "
        "below it), a table of "
        "normalised scores with their weights, and the changes. `json` and `yaml` print one object "
        "of kind Explanation; "
        "`name` prints `node/NAME` of the node that wins.",
    .examples = kExamples,
    .yes = "the pod has a node",
    .no = "the pod is unschedulable",
    .see_also = "gedge-plan(1) gedge-schedule(1) gedge-why-not(1) gedge-policies(7)",
};

struct ExplainOptions : QuestionOptions {
  std::string pod;
};

void show_explanation(Io& io, const ExplainOptions& options, const Question& question,
                      const Explanation& explanation) {
  switch (options.output.format) {
    case Format::kJson:
    case Format::kYaml:
      return io.out.write(
          write(explanation, options.rules.compat(), text_format(options.output.format)));
    case Format::kName:
      if (explanation.chosen) io.out.line("node/" + explanation.chosen->node);
      return;
    case Format::kTable:
    case Format::kWide:
      break;
  }
  print_explanation(
      io.out, explanation, question.profile_of(explanation.namespace_name, explanation.pod),
      question.bound_node(explanation.namespace_name, explanation.pod), !options.output.no_headers);
}

Exit run_explain(ExplainOptions& options, Io& io) {
  Question question(io, options);
  if (const auto stopped = question.prepare()) return *stopped;
  const PodName pod = parse_pod(options.pod, options.input);
  const auto explanation = explain(question.request(), pod.namespace_name, pod.pod, true);
  question.progress().erase();
  if (!explanation) return fail(io, question.with_nearest_pod(explanation.error(), pod));
  show_explanation(io, options, question, *explanation);
  io.out.flush();
  report_input(io, question.input().facts.warnings, question.input().facts.skipped, options.output);
  return explanation->chosen ? Exit::kYes : Exit::kNo;
}

Run add_explain(FlagSet& flags) {
  auto options = std::make_shared<ExplainOptions>();
  flags.add({.name = "POD",
             .value = "POD",
             .help = "A pod: NAME or NAMESPACE/NAME",
             .live = Live::kPods,
             .operand = true,
             .required = true},
            options->pod);
  add_question_flags(flags, *options, {"table", "json", "yaml", "name"}, false);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_explain(*options, io); };
}

}  // namespace

Command explain_command() { return {&kPage, Group::kLook, add_explain}; }

}  // namespace gedge::cli
