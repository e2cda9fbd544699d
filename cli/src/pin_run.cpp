#include "pin_run.hpp"

#include <string_view>
#include <utility>

#include "pin_ask.hpp"
#include "report.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

Status take_mode(CpuAsk& ask, const std::string& text) {
  constexpr std::string_view kShared = "shared:";
  if (text == "exclusive" || text == "preferred") {
    ask.mode = text == "exclusive" ? PinMode::kExclusive : PinMode::kPreferred;
    return {};
  }
  if (!text.starts_with(kShared))
    return invalid_input("unknown mode '" + text + '\'', {},
                         "give exclusive, preferred, or CPUs to share: `shared:0-3,8`");
  auto cpus = parse_cpu_set(std::string_view(text).substr(kShared.size()));
  if (!cpus) return std::move(cpus).error();
  if (cpus->empty())
    return invalid_input("no CPU is named", {}, "write CPUs as the kernel does: `shared:0-3,8`");
  ask.mode = PinMode::kShared;
  ask.shared = *std::move(cpus);
  return {};
}

}  // namespace

void add_pin_run_flags(FlagSet& flags, PinRunOptions& options) {
  add_ask_flags(flags, options.ask);
  flags.add({.name = "mode",
             .value = "MODE",
             .help = "exclusive, preferred or shared:CPUS",
             .fallback = "exclusive"},
            [&ask = options.ask](const std::string& text) { return take_mode(ask, text); });
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

Status check_mode(const PinRunOptions& options) {
  const CpuAsk& ask = options.ask;
  if (ask.mode != PinMode::kExclusive && options.others.anything())
    return invalid_input("`--isolate` and `--nice-others` are for CPUs that nobody shares", {},
                         "leave out `--mode`");
  if (ask.mode != PinMode::kShared) return {};
  if (ask.cpus == 1 && ask.options == StaticOptions{} && ask.topology == TopologyPolicy::kNone &&
      ask.near.empty() && !options.do_no_harm)
    return {};
  return invalid_input("`--mode shared` says itself which CPUs", {},
                       "leave out `--cpus`, `--policy`, `--near` and `--do-no-harm`");
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
