// cmd_config_view.cpp - "gedge config view": the profile that decides, with nothing left to
// defaults.
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/profile.hpp"
#include "input.hpp"
#include "report.hpp"
#include "rules.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge config view", "The default profile:"},
    {"gedge config view --profile scheduler-config.yaml --compat 1.20",
     "What a configuration of kube-scheduler amounts to:"},
};
constexpr Page kPage{
    .name = "config view",
    .summary = "Print the effective profile",
    .usage = "[--profile NAME|FILE] [--compat VERSION] [-o FORMAT] [FLAG]...",
    .description =
        "Prints the profile that `--profile` and `--compat` amount to, with every plugin, weight "
        "and argument "
        "named. The output can be edited and given to `--profile`.",
    .output = "A KubeSchedulerConfiguration, in YAML unless `-o json` is given.",
    .examples = kExamples,
    .yes = "the profile can be read",
    .see_also = "gedge-policies(1) gedge-policies(7)",
};

struct ConfigOptions {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
};

Exit run_config_view(const ConfigOptions& options, Io& io) {
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  InputReader reader(io, options.input, options.rules.compat(), progress);
  Rules rules;
  const Errors errors = load_rules(options.rules, reader, rules);
  if (!errors.empty()) return fail(io, errors, options.output);
  io.out.write(write_profiles(rules.profiles, text_format(options.output.format)));
  io.out.flush();
  report_input(io, rules.warnings, {}, options.output);
  return Exit::kYes;
}

Run add_config_view(FlagSet& flags) {
  auto options = std::make_shared<ConfigOptions>();
  add_rule_flags(flags, options->rules);
  options->output.format = Format::kYaml;
  add_document_flag(flags, options->output);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_config_view(*options, io); };
}

}  // namespace

Command config_view_command() { return {&kPage, Group::kInspect, add_config_view}; }

}  // namespace gedge::cli
