#include "process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "gedge/io/clock.hpp"
#include "gedge/io/files.hpp"
#include "gedge/version.hpp"
#include "term/diagnostics.hpp"
#include "term/interrupt.hpp"

namespace gedge::cli {
namespace {

using Words = std::vector<std::string>;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A closed descriptor 1 would be given to the next file that is opened, and receive the answer.
// What takes its place cannot be written to: an answer that is lost is told.
void open_missing_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    if (::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY) != descriptor)
      return;
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

Exit report_bug(Io& io, const char* what) {
  print_error(io.err, {Errc::kInternal,
                       std::string("internal error: ") + what,
                       {},
                       "this is a bug in gedge " + std::string(version()) +
                           "; please report it with the input that shows it"});
  return Exit::kBug;
}

}  // namespace

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

Exit guarded(Io& io, const std::function<Exit()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    print_error(io.err, {Errc::kDenied, "out of memory", {}, {}});
    return Exit::kWorld;
  } catch (const std::exception& exception) {
    return report_bug(io, exception.what());
  }
}

Exit in_process(int argc, char** argv, const Body& body) {
  open_missing_descriptors();
  handle_signals();
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
  const ColorEnvironment environment{variable("NO_COLOR"), variable("CLICOLOR_FORCE"),
                                     variable("TERM")};
  Stream out(STDOUT_FILENO, ColorChoice::kAuto, environment);
  Stream err(STDERR_FILENO, ColorChoice::kAuto, environment);
  DiskFiles files;
  const SteadyClock clock;
  // Never destroyed: the process ends.
  static Io& io = *new Io{out,         err,   files,
                          environment, clock, name == "kubectl-gedge" ? "kubectl gedge" : "gedge"};
  io.kube = {variable("KUBECONFIG"), variable("HOME"), variable("KUBERNETES_SERVICE_HOST"),
             variable("KUBERNETES_SERVICE_PORT")};
  io.runtime_directory = variable("XDG_RUNTIME_DIR");
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) io.executable = self.string();

  const Exit exit = body(words_of(argc, argv, name), io);
  out.flush();
  if (out.closed()) return Exit::kYes;
  if (out.error() == 0) return exit;
  print_error(err,
              {Errc::kDenied, "cannot write standard output: " + reason_of(out.error()), {}, {}});
  return Exit::kWorld;
}

}  // namespace gedge::cli
