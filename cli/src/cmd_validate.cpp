// cmd_validate.cpp - "gedge validate": are the inputs readable, and do they contradict each other?
// Decides nothing.
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "cmd.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/policy/delay.hpp"
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
        "in the matrix that is no node and, where there are nodes, a delay budget towards nobody) "
        "is a warning. No nodes are needed.",
    .output =
        "One line that says what was read. `json` and `yaml` print one object of kind "
        "Validation.",
    .examples = kExamples,
    .yes = "everything can be read",
    .see_also = "gedge-matrix-convert(1) gedge-plan(1)",
};

bool names_any_input(const QuestionOptions& options) {
  const InputOptions& input = options.input;
  return !input.files.empty() || !input.cluster.empty() || !input.rtt.empty() ||
         !input.rtt_names.empty() || names_file(options.rules.profile) ||
         !options.rules.plugins.empty();
}

std::string line_of(const Validation& validation) {
  std::string line = "valid: " + counted(validation.sources, "source") + ", " +
                     counted(validation.nodes, "node") + ", " + counted(validation.pods, "pod");
  if (validation.rtt_names > 0)
    line += ", round-trip times of " + counted(validation.rtt_names, "name");
  if (!validation.warnings.empty()) line += "; " + counted(validation.warnings.size(), "warning");
  return line;
}

// Each once in a namespace: replicas say the same.
std::vector<Warning> unknown_peers(const Input& input, Compat compat, const std::string& rtt_by) {
  const ClusterState cluster(input.facts, input.rtt, {compat, rtt_by});
  std::set<std::pair<SharedText, std::string>> told;
  std::vector<Warning> warnings;
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i) {
    const Pod& pod = cluster.pod(PodIndex{i});
    const PodSpec& spec = input.facts.spec_of(pod);
    for (const DelayBudget& budget : spec.budgets) {
      const bool is_known = find_target(cluster, budget, cluster.pod_facts(PodIndex{i})).kind !=
                            DelayTarget::Kind::kUnknown;
      if (is_known || !told.emplace(pod.namespace_name, budget.from).second) continue;
      warnings.push_back({"UnknownPeer",
                          "pod " + pod.namespace_name + "/" + pod.name +
                              " has a delay budget towards '" + budget.from +
                              "', and nothing is called so: it fits nowhere",
                          input.facts.span(budget.place)});
    }
  }
  return warnings;
}

Exit run_validate(QuestionOptions& options, Io& io) {
  if (!names_any_input(options))
    return fail_usage(
        io, invalid_input("nothing to validate", {},
                          "name manifests with `-f`, a cluster with `--cluster`, round-trip times "
                          "with `--rtt` or a file of profiles with `--profile`"));
  Question question(io, options);
  question.needs_no_nodes();
  if (const auto stopped = question.prepare()) return *stopped;
  const Input& input = question.input();
  std::vector<Warning> warnings = input.facts.warnings;
  if (!input.facts.nodes.empty())
    for (Warning& unknown : unknown_peers(input, options.rules.compat(), options.input.rtt_by))
      warnings.push_back(std::move(unknown));
  const std::size_t files = input.facts.files.empty() ? 0 : input.facts.files.size() - 1;
  const Validation validation{files + options.input.rtt.size(),
                              input.facts.nodes.size(),
                              input.facts.pods.size(),
                              input.rtt.size(),
                              std::move(warnings),
                              input.facts.skipped};
  if (options.output.format == Format::kTable)
    io.out.line(line_of(validation));
  else
    io.out.write(write(validation, text_format(options.output.format)));
  io.out.flush();
  report_input(io, validation.warnings, validation.skipped, options.output);
  return Exit::kYes;
}

Run add_validate(FlagSet& flags) {
  auto options = std::make_shared<QuestionOptions>();
  add_file_flags(flags, options->input);
  add_namespace_flag(flags, options->input);
  add_cluster_flags(flags, options->input);
  add_rtt_flags(flags, options->input);
  add_rule_flags(flags, options->rules);
  add_document_flag(flags, options->output, "text");
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_validate(*options, io); };
}

}  // namespace

Command validate_command() { return {&kPage, Group::kInspect, add_validate}; }

}  // namespace gedge::cli
