// cmd_validate.cpp - "gedge validate": are the inputs readable, and do they contradict each other?
// Decides nothing.
#include <memory>

#include "cmd.hpp"
#include "question.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge validate -f app/ -R --rtt rtt.csv", "Check a folder of manifests and a matrix:"},
    {"kubectl get nodes,pods -A -o json | gedge validate --cluster -",
     "Check a dump of a cluster:"},
};
constexpr Page kPage{
    .name = "validate",
    .summary = "Check manifests, cluster, matrix and profile; decides nothing",
    .usage = "[-f FILE]... [--cluster SOURCE]... [--rtt FILE]... [--profile FILE] [FLAG]...",
    .description =
        "Reads everything that the flags name as `gedge plan` would, and reports every error with "
        "its place and a fix. "
        "What contradicts itself but can be planned (a pod on a node that does not exist, a name "
        "in the matrix that is no "
        "node) is a warning. No nodes are needed.",
    .output = "One line that says what was read.",
    .examples = kExamples,
    .yes = "everything can be read",
    .see_also = "gedge-plan(1)",
};

Exit run_validate(const QuestionOptions& options, Io& io) {
  Question question(io, options);
  question.needs_no_nodes();
  if (const auto stopped = question.prepare()) return *stopped;
  const Input& input = question.input();
  const std::size_t files = input.facts.files.empty() ? 0 : input.facts.files.size() - 1;
  std::string line = "valid: " + counted(files + options.input.rtt.size(), "source") + ", " +
                     counted(input.facts.nodes.size(), "node") + ", " +
                     counted(input.facts.pods.size(), "pod");
  if (!input.rtt.empty()) line += ", round-trip times of " + counted(input.rtt.size(), "name");
  if (!input.facts.warnings.empty()) line += "; " + counted(input.facts.warnings.size(), "warning");
  io.out.line(line);
  io.out.flush();
  report_input(io, input.facts.warnings, input.facts.skipped, options.output);
  return Exit::kYes;
}

Run add_validate(FlagSet& flags) {
  auto options = std::make_shared<QuestionOptions>();
  add_file_flags(flags, options->input);
  add_namespace_flag(flags, options->input);
  add_cluster_flags(flags, options->input);
  add_rtt_flags(flags, options->input);
  add_rule_flags(flags, options->rules);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_validate(*options, io); };
}

}  // namespace

Command validate_command() { return {&kPage, Group::kInspect, add_validate}; }

}  // namespace gedge::cli
