// app.cpp - finds the command, parses its flags, runs it, and turns whatever goes wrong into words
// and an exit code.
#include "app.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "command.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/io/clock.hpp"
#include "gedge/io/files.hpp"
#include "gedge/io/system_http.hpp"
#include "gedge/io/system_network.hpp"
#include "gedge/version.hpp"
#include "help.hpp"
#include "report.hpp"
#include "term/diagnostics.hpp"
#include "term/interrupt.hpp"

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
  for (const Command& command : commands()) {
    if (!command.name().starts_with(args[0] + ' ')) continue;
    const std::string typed = args.size() > 1 ? args[0] + ' ' + args[1] : args[0];
    return invalid_input("unknown command '" + typed + "'", {},
                         "did you mean `" + program + ' ' + std::string(command.name()) + "`?");
  }
  return unknown_command(args[0], program);
}

// kubectl takes flags before the command too: they move behind it.
void move_leading_flags(Words& args) {
  FlagSet flags;
  static_cast<void>(find_command("plan")->add(flags));
  const std::size_t count = flags.leading_flags(args);
  if (count < args.size())
    std::rotate(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(count), args.end());
}

// Colour is settled before anything can go wrong; a bad value is reported by whoever parses.
void settle_color(const Words& args, Io& io) {
  std::string value;
  for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    if (args[i].starts_with("--color=")) value = args[i].substr(8);
    if (args[i] == "--color" && i + 1 < args.size()) value = args[i + 1];
  }
  const ColorChoice choice = value == "always"  ? ColorChoice::kAlways
                             : value == "never" ? ColorChoice::kNever
                                                : ColorChoice::kAuto;
  io.out.set_color(choice, io.environment);
  io.err.set_color(choice, io.environment);
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

Exit report_bug(Io& io, const char* what) {
  print_error(io.err, {Errc::kInternal,
                       std::string("internal error: ") + what,
                       {},
                       "this is a bug in gedge " + std::string(version()) +
                           "; please report it with the input that shows it"});
  return Exit::kBug;
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
  try {
    return run_command(args, io);
  } catch (const std::bad_alloc&) {
    print_error(io.err, {Errc::kDenied, "out of memory", {}, {}});
    return Exit::kWorld;
  } catch (const std::exception& exception) {
    return report_bug(io, exception.what());
  }
}

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A closed descriptor 1 would be given to the next file that is opened, and receive the answer.
void open_missing_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor) return;
  }
}

std::string reason_of(int error_number) {
  std::string text = std::generic_category().message(error_number);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// The words behind the program's name. kubectl asks for completions by another name.
Words words_of(int argc, char** argv, std::string_view name) {
  Words words;
  if (name == "kubectl_complete-gedge") words = {"__complete", "line"};
  words.insert(words.end(), argv + std::min(argc, 1), argv + argc);
  return words;
}

}  // namespace

Exit run_process(int argc, char** argv) {
  open_missing_descriptors();
  handle_signals();
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
  const ColorEnvironment environment{variable("NO_COLOR"), variable("CLICOLOR_FORCE"),
                                     variable("TERM")};
  Stream out(STDOUT_FILENO, ColorChoice::kAuto, environment);
  Stream err(STDERR_FILENO, ColorChoice::kAuto, environment);
  DiskFiles files;
  const SteadyClock clock;
  SystemNetwork network;
  SystemHttp http;
  // Never destroyed: the process ends.
  static Io& io = *new Io{out,         err,   files,
                          environment, clock, name == "kubectl-gedge" ? "kubectl gedge" : "gedge"};
  io.network = &network;
  io.http = &http;
  io.kube = {variable("KUBECONFIG"), variable("HOME"), variable("KUBERNETES_SERVICE_HOST"),
             variable("KUBERNETES_SERVICE_PORT")};
  io.runtime_directory = variable("XDG_RUNTIME_DIR");

  const Exit exit = run(words_of(argc, argv, name), io);
  out.flush();
  if (out.closed()) return Exit::kYes;
  if (out.error() == 0) return exit;
  print_error(err,
              {Errc::kDenied, "cannot write standard output: " + reason_of(out.error()), {}, {}});
  return Exit::kWorld;
}

}  // namespace gedge::cli
