#include "report.hpp"

#include <map>
#include <string>

#include "term/diagnostics.hpp"
#include "term/interrupt.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

void report_skipped(Io& io, const std::vector<SkippedObject>& skipped,
                    const OutputOptions& output) {
  if (skipped.empty()) return;
  if (output.verbosity > 0) {
    for (const SkippedObject& object : skipped)
      io.err.line("skipped " + escape_controls(object.kind + '/' + object.name));
    return;
  }
  if (output.quiet) return;
  std::map<std::string, std::size_t> count_of;
  for (const SkippedObject& object : skipped) ++count_of[object.kind];
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : count_of)
    kinds.push_back(std::to_string(count) + ' ' + escape_controls(kind));
  io.err.line(io.err.style().paint(Ink::kDim, "skipped: " + join_words(kinds)));
}

}  // namespace

Exit fail(Io& io, const Errors& errors, const OutputOptions& output) {
  print_errors(io.err, errors, output.verbosity == 0);
  return exit_for(errors);
}

Exit fail(Io& io, const Error& error) {
  print_error(io.err, error);
  return exit_for(error.code);
}

Exit fail_usage(Io& io, const Error& error) {
  print_error(io.err, error);
  return Exit::kUsage;
}

Exit fail_flag(Io& io, const Error& error) {
  const Exit exit = fail(io, error);
  return exit == Exit::kInput ? Exit::kUsage : exit;
}

void report_input(Io& io, const std::vector<Warning>& warnings,
                  const std::vector<SkippedObject>& skipped, const OutputOptions& output) {
  if (!output.quiet || output.verbosity > 0)
    print_warnings(io.err, warnings, output.verbosity == 0);
  report_skipped(io, skipped, output);
}

Exit write_file(Io& io, const std::string& path, std::string_view bytes) {
  const UninterruptedScope whole;
  const Status written = io.files.replace(path, bytes);
  if (written) return Exit::kYes;
  print_error(io.err, written.error());
  return Exit::kWorld;
}

}  // namespace gedge::cli
