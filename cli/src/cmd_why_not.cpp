// cmd_why_not.cpp - "gedge why-not POD NODE": the smallest change that would bring the pod there.
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/write.hpp"
#include "question.hpp"
#include "render/explain_view.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge why-not web-0 cloud-1 --cluster cluster.json -f app.yaml",
     "What would have to change for web-0 to go to cloud-1:"},
};
constexpr Page kPage{
    .name = "why-not",
    .summary = "Show the smallest change that would bring a pod to a node",
    .usage = "POD NODE [-f FILE]... [--cluster SOURCE]... [--rtt FILE]... [-o FORMAT] [FLAG]...",
    .description =
        "Asks of one node what `gedge explain` asks of all: which policies reject it or prefer "
        "another, and the smallest "
        "set of edits that was found with which the pod would go there. `gedge plan --what-if` "
        "takes "
        "its edits in the order in which they are printed, and needs `--replan` where that is "
        "said; without it pods stay where they can. What is called feasible at the pod's turn in "
        "the queue was judged when the pods before it had their places, and no plan that was tried "
        "brings the pod there. A change may cost other pods their place: the what-if shows which.",
    .output =
        "The verdict, the filters and scores of that node beside those of the winner, and the "
        "changes. `json` and `yaml` "
        "print one object of kind Explanation; `name` prints one edit a line, of the smallest set.",
    .examples = kExamples,
    .yes = "the pod goes there, or a change that brings it there was found",
    .no = "no change was found that does",
    .see_also = "gedge-explain(1) gedge-plan(1)",
};

constexpr std::string_view kNodePrefix = "node/";  // as kubectl's -o name prints it

struct WhyNotOptions : QuestionOptions {
  std::string pod, node;
};

void show_why_not(Io& io, const WhyNotOptions& options, const Question& question,
                  const Explanation& explanation) {
  switch (options.output.format) {
    case Format::kJson:
    case Format::kYaml:
      return io.out.write(
          write(explanation, options.rules.compat(), text_format(options.output.format)));
    case Format::kName:
      if (!explanation.changes.empty())
        for (const std::string& edit : explanation.changes.front().edits) io.out.line(edit);
      return;
    case Format::kTable:
    case Format::kWide:
      break;
  }
  print_why_not(io.out, explanation,
                question.profile_of(explanation.namespace_name, explanation.pod),
                question.bound_node(explanation.namespace_name, explanation.pod), options.node,
                !options.output.no_headers);
}

Exit run_why_not(WhyNotOptions& options, Io& io) {
  Question question(io, options);
  if (const auto stopped = question.prepare()) return *stopped;
  const PodName pod = parse_pod(options.pod, options.input);
  const auto explanation = why_not(question.request(), pod.namespace_name, pod.pod, options.node);
  question.progress().erase();
  if (!explanation) return fail(io, question.with_nearest_pod(explanation.error(), pod));
  show_why_not(io, options, question, *explanation);
  io.out.flush();
  report_input(io, question.input().facts.warnings, question.input().facts.skipped, options.output);
  const bool there = explanation->chosen && explanation->chosen->node == options.node;
  const bool brought = !explanation->changes.empty() && explanation->changes.front().wins;
  return there || brought ? Exit::kYes : Exit::kNo;
}

Run add_why_not(FlagSet& flags) {
  auto options = std::make_shared<WhyNotOptions>();
  flags.add({.name = "POD",
             .value = "POD",
             .help = "A pod: NAME or NAMESPACE/NAME",
             .live = Live::kPods,
             .operand = true,
             .required = true},
            options->pod);
  flags.add({.name = "NODE",
             .value = "NODE",
             .help = "A node",
             .live = Live::kNodes,
             .operand = true,
             .required = true},
            options->node);
  add_question_flags(flags, *options, {"table", "json", "yaml", "name"}, false);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) {
    if (options->node.starts_with(kNodePrefix)) options->node.erase(0, kNodePrefix.size());
    return run_why_not(*options, io);
  };
}

}  // namespace

Command why_not_command() { return {&kPage, Group::kLook, add_why_not}; }

}  // namespace gedge::cli
