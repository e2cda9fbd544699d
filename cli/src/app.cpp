// app.cpp - finds the command, parses its flags, runs it, and turns whatever goes wrong into words
// and an exit code.
#include "app.hpp"

#include <algorithm>

#include "command.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/io/system_http.hpp"
#include "gedge/io/system_network.hpp"
#include "gedge/version.hpp"
#include "help.hpp"
#include "process.hpp"
#include "report.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

using Words = std::vector<std::string>;

Error unknown_command(const std::string& text, const std::string& program) {
  Words known;
  for (const Command& command : commands())
    if (command.group != Group::kHidden) known.emplace_back(command.name());
  const auto close = nearest(text, known);
  const std::string all = '`' + program + " help` lists all commands";
  return invalid_input("unknown command '" + text + "'", {},
                       close ? "did you mean `" + program + ' ' + *close + "`? " + all : all);
}

// Takes the command's name off the front of `args`: "config view" is two words.
Result<const Command*> take_command(Words& args, const std::string& program) {
  for (const std::size_t count : {std::size_t{2}, std::size_t{1}}) {
    if (args.size() < count) continue;
    const Command* command = find_command(count == 2 ? args[0] + ' ' + args[1] : args[0]);
    if (command == nullptr) continue;
    args.erase(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(count));
    return command;
  }
  Words verbs;
  for (const Command& command : commands())
    if (command.name().starts_with(args[0] + ' '))
      verbs.emplace_back(command.name().substr(args[0].size() + 1));
  if (verbs.empty()) return unknown_command(args[0], program);
  const std::string family = program + ' ' + args[0], all = join_words(verbs, ", ", " or ");
  if (args.size() == 1)
    return invalid_input("'" + args[0] + "' needs one more word: " + all, {},
                         '`' + family + " --help` explains them");
  const auto close = verbs.size() == 1 ? verbs.front() : nearest(args[1], verbs);
  return invalid_input(
      "unknown command '" + args[0] + ' ' + args[1] + "'", {},
      close ? "did you mean `" + family + ' ' + *close + "`?" : "write one more word: " + all);
}

// kubectl takes flags before the command too: they move behind it.
void move_leading_flags(Words& args) {
  FlagSet flags;
  static_cast<void>(find_command("plan")->add(flags));
  const std::size_t count = flags.leading_flags(args);
  if (count < args.size())
    std::rotate(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(count), args.end());
}

Exit run_command(Words args, Io& io) {
  if (args[0].starts_with("-")) move_leading_flags(args);
  if (args[0].starts_with("-"))
    return fail_usage(io, invalid_input("no command among the flags", {},
                                        '`' + io.program + " help` lists all commands"));
  if (args.size() == 2 && (args[1] == "-h" || args[1] == "--help"))
    if (const std::string family = help_family(args[0], io.program); !family.empty()) {
      io.out.write(family);
      return Exit::kYes;
    }
  const auto command = take_command(args, io.program);
  if (!command) return fail_usage(io, command.error());

  FlagSet flags;
  const Run run = (*command)->add(flags);
  bool help = false;
  if (const Status parsed = flags.parse(args, help); !parsed) {
    Error error = parsed.error();
    if (error.hint.empty())
      error.hint =
          '`' + io.program + ' ' + std::string((*command)->name()) + " --help` lists the flags";
    return fail_usage(io, error);
  }
  if (help) {
    io.out.write(help_page(**command, flags, io.program));
    return Exit::kYes;
  }
  return run(io);
}

}  // namespace

Exit run(const Words& args, Io& io) {
  settle_color(args, io);
  if (args.empty() || args[0] == "-h" || args[0] == "--help") {
    io.out.write(help_overview(io.program));
    return Exit::kYes;
  }
  if (args[0] == "--version") {
    io.out.line("gedge " + std::string(version()));
    return Exit::kYes;
  }
  return guarded(io, [&] { return run_command(args, io); });
}

Exit run_process(int argc, char** argv) {
  SystemNetwork network;
  SystemHttp http;
  return in_process(argc, argv, [&](const Words& words, Io& io) {
    io.network = &network;
    io.http = &http;
    return run(words, io);
  });
}

}  // namespace gedge::cli
