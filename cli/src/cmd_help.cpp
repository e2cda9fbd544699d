// cmd_help.cpp - "gedge help [COMMAND]": the same pages as --help.
#include <memory>

#include "cmd.hpp"
#include "gedge/base/nearest.hpp"
#include "help.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {{"gedge help plan", "The flags of `gedge plan`"}};
constexpr Page kPage{
    .name = "help",
    .summary = "Explain gedge or one of its commands",
    .usage = "[COMMAND [SUBCOMMAND]]",
    .description =
        "Without an operand, lists the commands; with one, prints what `gedge COMMAND --help` "
        "prints.",
    .output = "One page of text.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

struct HelpOptions {
  std::string command, subcommand;
};

Exit run_help(const HelpOptions& options, Io& io) {
  if (options.command.empty()) {
    io.out.write(help_overview(io.program));
    return Exit::kYes;
  }
  std::string name = options.command;
  if (!options.subcommand.empty()) name += ' ' + options.subcommand;
  if (const std::string family = help_family(name, io.program); !family.empty()) {
    io.out.write(family);
    return Exit::kYes;
  }
  const Command* command = find_command(name);
  if (command == nullptr || command->group == Group::kHidden) {
    print_error(io.err, invalid_input("unknown command '" + name + "'", {},
                                      '`' + io.program + " help` lists all commands"));
    return Exit::kUsage;
  }
  FlagSet flags;
  static_cast<void>(command->add(flags));
  io.out.write(help_page(*command, flags, io.program));
  return Exit::kYes;
}

Run add_help(FlagSet& flags) {
  auto options = std::make_shared<HelpOptions>();
  flags.add({.name = "COMMAND",
             .value = "COMMAND",
             .help = "The command to explain",
             .live = Live::kCommands,
             .operand = true},
            options->command);
  flags.add({.name = "SUBCOMMAND",
             .value = "SUBCOMMAND",
             .help = "Its second word",
             .live = Live::kSubcommands,
             .operand = true},
            options->subcommand);
  return [options](Io& io) { return run_help(*options, io); };
}

}  // namespace

Command help_command() { return {&kPage, Group::kAbout, add_help}; }

}  // namespace gedge::cli
