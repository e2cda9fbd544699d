#include "pin_run.hpp"

#include "pin_ask.hpp"
#include "report.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
void add_pin_run_flags(FlagSet& flags, PinRunOptions& options) {
  add_ask_flags(flags, options.ask);
  add_mode_flag(flags, options.ask);
  add_memory_flag(flags, options.memory);
  add_others_flags(flags, options.others);
  flags.heading("How");
  add_state_flag(flags, options.state_dir);
  flags.add({.name = "dry-run", .help = "Print the CPUs and run nothing"}, options.dry_run);
  flags.add({.name = "do-no-harm", .help = "Pin only what a comparison did not speak against"},
            options.do_no_harm);
  add_talk_flags(flags, options.output);
  flags.add_behind_dashes(options.command);
}

Status check_flags(const PinRunOptions& options) {
  GEDGE_TRY(check_mode(options.ask, options.others));
  if (options.ask.mode != PinMode::kShared || !options.do_no_harm) return {};
  return invalid_input("`--do-no-harm` is for a number of CPUs", {},
                       "leave it out, or `--mode shared`");
}

Exit report_run(Io& io, const PinnedRun& run) {
  if (!run.released) {
    Error error = run.released.error();
    error.hint = "the next `gedge pin run` takes out what dead processes held";
    print_error(io.err, error);
  }
  if (run.not_begun) {
    const Exit refused = fail(io, run.not_begun->error);
    return run.not_begun->status == 0 ? refused : static_cast<Exit>(run.not_begun->status);
  }
  return static_cast<Exit>(run.status);
}

}  // namespace gedge::cli
