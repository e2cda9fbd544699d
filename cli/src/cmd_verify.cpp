// cmd_verify.cpp - "gedge verify [PLAN]": does a placement keep every rule and budget? Shares no
// code with the planner.
#include <algorithm>
#include <memory>
#include <optional>

#include "cmd.hpp"
#include "gedge/codec/fingerprint.hpp"
#include "gedge/codec/write_verification.hpp"
#include "gedge/verify/verify.hpp"
#include "question.hpp"
#include "render/answer_views.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge verify plan.json --cluster cluster.json --rtt rtt.csv -f app.yaml",
     "Check a plan against the facts that it was made from:"},
    {"gedge verify --cluster cluster.json --rtt rtt.csv",
     "Check the pods of a dump where they are now:"},
};
constexpr Page kPage{
    .name = "verify",
    .summary = "Check a placement against every rule and delay budget",
    .usage = "[PLAN] [-f FILE]... [--cluster SOURCE]... [--rtt FILE]... [-o FORMAT] [FLAG]...",
    .description =
        "Checks the plan that `gedge plan --out PLAN` or `gedge plan -o json` wrote, given the "
        "same `-f`, `--cluster` and "
        "`--rtt`; without PLAN, the pods of the cluster where they are bound. Rules are those of "
        "the Kubernetes version "
        "that the plan names, or of `--compat`; profiles and modules do not matter.\n\n"
        "The check is a second, plainer implementation of the rules: it shares nothing with the "
        "planner but the facts. Pods to which the placement gives no node are not checked: they "
        "are counted and named "
        "in warnings, and change no exit status.",
    .output =
        "One line if everything holds, else a table with one line a broken rule. `json` and `yaml` "
        "print one object of "
        "kind Verification; `name` prints `pod/NAME` of the pods that break a rule.",
    .examples = kExamples,
    .yes = "every rule and budget holds",
    .no = "something is violated",
    .see_also = "gedge-apply(1) gedge-plan(1)",
};

struct VerifyOptions : QuestionOptions {
  std::string plan;
};

struct Checked {
  Compat compat = Compat::k1_36;
  std::vector<Placement> placements;
  std::string snapshot;
};

Checked checked_plan(const Plan& plan) {
  Checked checked{plan.compat, {}, plan.snapshot};
  for (const Decision& decision : plan.decisions)
    if (decision.chosen)
      checked.placements.push_back({decision.namespace_name, decision.pod, decision.chosen->node});
  return checked;
}

std::size_t bound_pods(const Facts& facts) {
  return static_cast<std::size_t>(
      std::count_if(facts.pods.begin(), facts.pods.end(),
                    [](const Pod& pod) { return !pod.bound_node.empty(); }));
}

Exit show_verification(Io& io, const VerifyOptions& options, const Verification& verification,
                       const std::vector<UnplacedPod>& unplaced) {
  switch (options.output.format) {
    case Format::kJson:
    case Format::kYaml:
      io.out.write(write(verification, unplaced, text_format(options.output.format)));
      break;
    case Format::kName: {
      const Violation* last = nullptr;
      for (const Violation& violation : verification.violations) {
        const bool is_new = last == nullptr || last->pod != violation.pod ||
                            last->namespace_name != violation.namespace_name;
        if (is_new) io.out.line("pod/" + violation.pod);
        last = &violation;
      }
      break;
    }
    case Format::kTable:
    case Format::kWide:
      if (verification.violations.empty()) {
        io.out.line("every rule and budget holds: " + counted(verification.placements, "pod") +
                    " checked" +
                    (unplaced.empty() ? "" : ", " + std::to_string(unplaced.size()) + " unplaced"));
        break;
      }
      const TableOptions table{false, !options.output.no_headers, options.output.sort_by, false};
      if (const Status printed = print_violations(io.out, verification.violations, table); !printed)
        return fail_usage(io, printed.error());
  }
  return verification.violations.empty() ? Exit::kYes : Exit::kNo;
}

// Fills in what PLAN says; nothing where none is named. Returns an exit code if that failed.
std::optional<Exit> read_checked(Io& io, const VerifyOptions& options, Checked& checked) {
  if (options.plan.empty()) return std::nullopt;
  const auto bytes = io.files.read(options.plan, options.input.max_input);
  if (!bytes) return fail(io, bytes.error());
  const PlanReading reading = read_plan({options.plan, *bytes});
  if (!reading.plan) return fail(io, reading.errors, options.output);
  checked = checked_plan(*reading.plan);
  return std::nullopt;
}

// Manifests are expanded as the version of the plan has it, so the facts are the plan's only if
// they are read under that version.
Result<bool> made_from_these(Question& question, const Checked& checked, Compat read_under) {
  if (checked.snapshot.empty()) return true;
  if (checked.compat == read_under) return checked.snapshot == question.snapshot().get();
  question.reader().use_compat(checked.compat);
  const auto input = question.reader().read();
  if (!input) return question.reader().take_errors().front();
  return checked.snapshot == fingerprint(input->facts, input->rtt);
}

Exit run_verify(VerifyOptions options, Io& io) {
  Checked checked{options.rules.compat(), {}, ""};
  if (const auto stopped = read_checked(io, options, checked)) return *stopped;
  const bool bound_too = options.plan.empty();
  if (!bound_too && !options.rules.asked_compat) options.rules.asked_compat = checked.compat;
  Question question(io, options, !bound_too && options.rules.compat() != checked.compat);
  if (const auto stopped = question.prepare()) return *stopped;
  const Compat compat = options.rules.compat();
  const Input& input = question.input();
  Verification verification{bound_too ? bound_pods(input.facts) : checked.placements.size(), {}};
  if (bound_too && verification.placements == 0)
    return fail_usage(io, invalid_input("no pod is bound and no PLAN is named: nothing to verify",
                                        {}, "name a plan: `gedge plan --out plan.json` writes it"));
  const VerifyInput subject{input.facts, input.rtt,          options.input.rtt_by,
                            compat,      checked.placements, bound_too};
  verification.violations = verify(subject);
  const std::vector<UnplacedPod> unplaced = unplaced_pods(subject);

  const Exit exit = show_verification(io, options, verification, unplaced);
  io.out.flush();
  std::vector<Warning> warnings = input.facts.warnings;
  for (const UnplacedPod& pod : unplaced)
    warnings.push_back({"Unplaced",
                        "pod " + pod.namespace_name + "/" + pod.pod +
                            " has no node in this placement and was not checked",
                        input.facts.span(pod.place)});
  const auto same = made_from_these(question, checked, compat);
  if (!same) return fail(io, same.error());
  if (!*same)
    warnings.push_back({"OtherFacts", "the plan was made from other facts than these", {}});
  report_input(io, warnings, input.facts.skipped, options.output);
  return exit;
}

Run add_verify(FlagSet& flags) {
  auto options = std::make_shared<VerifyOptions>();
  flags.add({.name = "PLAN",
             .value = "PLAN",
             .help = "A plan as JSON or YAML",
             .live = Live::kFiles,
             .operand = true},
            options->plan);
  add_file_flags(flags, options->input);
  add_namespace_flag(flags, options->input);
  add_cluster_flags(flags, options->input);
  add_rtt_flags(flags, options->input);
  flags.heading("How to judge");
  add_compat_flag(flags, options->rules);
  add_output_flags(flags, options->output, {"table", "json", "yaml", "name"});
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_verify(*options, io); };
}

}  // namespace

Command verify_command() { return {&kPage, Group::kLook, add_verify}; }

}  // namespace gedge::cli
