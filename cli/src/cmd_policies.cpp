// cmd_policies.cpp - "gedge policies": every rule, with its formula, range and source.
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/write.hpp"
#include "input.hpp"
#include "render/answer_views.hpp"
#include "report.hpp"
#include "rules.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge policies", "Every policy, and its weight in the default profile:"},
    {"gedge policies --profile kube --compat 1.20 -o json",
     "With the weights of kube-scheduler 1.20, for a program:"},
};
constexpr Page kPage{
    .name = "policies",
    .summary = "List every policy with formula, range and source",
    .usage = "[--profile NAME|FILE] [--compat VERSION] [-o FORMAT] [FLAG]...",
    .description =
        "Lists the filters and scores that this gedge has under the version of `--compat`, and "
        "which of them "
        "a profile uses, with which weight. Modules of `--plugin` are listed too.",
    .output =
        "A table: name, kind, whether the profile filters with it, its weight in the profile, "
        "range, formula and "
        "source. `json` and `yaml` print one object of kind PolicyList; `name` prints "
        "`policy/NAME`.",
    .examples = kExamples,
    .yes = "always",
    .see_also = "gedge-policies(7) gedge-config-view(1) gedge-extender(1)",
};

struct PoliciesOptions {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
};

Exit run_policies(const PoliciesOptions& options, Io& io) {
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  InputReader reader(io, options.input, options.rules.compat(), progress);
  Rules rules;
  const Errors errors = load_rules(options.rules, reader, rules);
  if (!errors.empty()) return fail(io, errors, options.output);
  report_input(io, rules.warnings, {}, options.output);

  const PolicyList list = list_policies(rules, options.rules.compat());
  const Format format = options.output.format;
  if (format == Format::kJson || format == Format::kYaml) {
    io.out.write(write(list, text_format(format)));
    return Exit::kYes;
  }
  const TableOptions table{format == Format::kWide, !options.output.no_headers,
                           options.output.sort_by, false, format == Format::kName};
  const Status printed = print_policies(io.out, list, table);
  return printed ? Exit::kYes : fail_usage(io, printed.error());
}

Run add_policies(FlagSet& flags) {
  auto options = std::make_shared<PoliciesOptions>();
  add_rule_flags(flags, options->rules);
  add_output_flags(flags, options->output, {"table", "wide", "json", "yaml", "name"});
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_policies(*options, io); };
}

}  // namespace

Command policies_command() { return {&kPage, Group::kInspect, add_policies}; }

}  // namespace gedge::cli
