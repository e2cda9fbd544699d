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
    .usage = "[COMMAND]",
    .description =
        "Without an operand, lists the commands; with one, prints what `gedge COMMAND --help` "
        "prints.",
    .output = "One page of text.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

Exit run_help(const std::vector<std::string>& words, Io& io) {
  if (words.empty()) {
    io.out.write(help_overview(io.program));
    return Exit::kYes;
  }
  std::string name = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) name += ' ' + words[i];
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
  auto words = std::make_shared<std::vector<std::string>>();
  flags.add({.name = "COMMAND",
             .value = "COMMAND",
             .help = "The command to explain",
             .live = Live::kCommands,
             .operand = true},
            *words);
  return [words](Io& io) { return run_help(*words, io); };
}

}  // namespace

Command help_command() { return {&kPage, Group::kAbout, add_help}; }

}  // namespace gedge::cli
