// cmd_pin_compare.cpp - "gedge pin compare": does pinning make a command faster?
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cmd.hpp"
#include "gedge/codec/pin_verdicts.hpp"
#include "gedge/drive/compare_pinned.hpp"
#include "gedge/io/clock.hpp"
#include "gedge/io/system_pins.hpp"
#include "options.hpp"
#include "pin_ask.hpp"
#include "pin_near.hpp"
#include "render/machine_view.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin compare --cpus 4 -- ./encode short.mkv", "Is it faster with four CPUs of its own?"},
    {"gedge pin compare --do-no-harm -- ./job; gedge pin run --do-no-harm -- ./job",
     "Run it, pinned only if it is:"},
};
constexpr Page kPage{
    .name = "pin compare",
    .summary = "Measure whether pinning makes a command faster",
    .usage =
        "[--cpus N] [--policy POLICY]... [--near DEVICE]... [--memory MODE] [--pairs N] [-o "
        "FORMAT] "
        "[FLAG]... -- COMMAND [ARG]...",
    .description =
        "Runs COMMAND again and again, in pairs: once as it is and once with CPUs of its own, as "
        "`gedge pin run` would; in the next pair the other way round. One run before that does "
        "not count. What else the machine does meets both alike, so compare beside the load that "
        "COMMAND will meet. COMMAND reads nothing, its output is thrown away, and it is to end "
        "with 0.\n\n"
        "The verdict comes from the ratios of pinned to plain time within the pairs: their median, "
        "and bounds that hold it with 95 % confidence, by order statistics. Pinning helps or harms "
        "where both bounds lie on one side of 1; else no difference is seen, and more `--pairs` "
        "may show one.\n\n"
        "`--do-no-harm` remembers the verdict in `pin_verdicts` of the state directory: `gedge "
        "pin run --do-no-harm` leaves COMMAND, with the same arguments and number of CPUs, "
        "unpinned unless it helped.",
    .output =
        "A table: the times of each pair, then medians and their bounds. The last line of "
        "standard error is the verdict. `json` and `yaml` print one object of kind PinComparison.",
    .examples = kExamples,
    .yes = "pinning helps",
    .no = "pinning harms, or no difference is seen",
    .see_also = "gedge-pin-run(1)",
};

struct PinCompareOptions {
  TrialAsk ask;
  std::string state_dir;
  bool do_no_harm = false;
  OutputOptions output;
  std::vector<std::string> command;
};

std::string sentence(const PinTrial& trial) {
  const TrialOutcome& outcome = trial.outcome;
  std::string text = outcome.verdict == TrialVerdict::kHelps   ? "pinning helps"
                     : outcome.verdict == TrialVerdict::kHarms ? "pinning harms"
                                                               : "no difference seen";
  return text + ": on CPUs " + to_string(trial.cpus) + " it takes " + ratio_text(outcome.ratio) +
         " of the time (" + ratio_text(outcome.ratio_low) + " to " +
         ratio_text(outcome.ratio_high) + ')';
}

Exit show(const PinCompareOptions& options, Io& io, const PinTrial& trial) {
  const OutputOptions& output = options.output;
  if (output.format == Format::kTable)
    print_pin_trial(io.out, trial.outcome, trial.pairs, !output.no_headers);
  else
    io.out.write(write(trial.outcome, trial.pairs, trial.cpus, text_format(output.format)));
  io.out.flush();
  if (!output.quiet) io.err.line(sentence(trial));
  return trial.outcome.verdict == TrialVerdict::kHelps ? Exit::kYes : Exit::kNo;
}

Exit run_pin_compare(const PinCompareOptions& options, Io& io) {
  if (options.command.empty())
    return fail_usage(
        io, invalid_input("no command is given", {},
                          '`' + io.program + " pin compare [FLAG]... -- COMMAND [ARG]...`"));
  auto ground = read_ground();
  if (!ground) return fail(io, ground.error());
  if (const Status added = add_devices(*ground, options.ask.cpu, io.files); !added)
    return fail(io, added.error());
  DiskPinStore store = open_store(options.state_dir, io, options.output.quiet);
  const MakeLaunch make = [&]() -> std::unique_ptr<PinnedLaunch> {
    return std::make_unique<SystemLaunch>(options.command, true);
  };
  const auto trial = compare_pinned(store, SystemProcesses(), make, SteadyClock(), *ground,
                                    options.ask, [](std::size_t) {});
  if (!trial) return fail(io, trial.error());
  if (options.do_no_harm) {
    const Status kept =
        remember_verdict(store, {options.command, options.ask.cpu.cpus, trial->outcome.verdict});
    if (!kept) return fail(io, kept.error());
  }
  return show(options, io, *trial);
}

Run add_pin_compare(FlagSet& flags) {
  auto options = std::make_shared<PinCompareOptions>();
  add_ask_flags(flags, options->ask.cpu);
  add_memory_flag(flags, options->ask.memory);
  flags.heading("How");
  flags.add({.name = "pairs",
             .value = "N",
             .help = "How often to run it each way",
             .fallback = std::to_string(options->ask.pairs)},
            [options](const std::string& text) -> Status {
              std::uint64_t pairs = 0;
              GEDGE_TRY(number_into(pairs, kMostPairs)(text));
              if (pairs < kLeastPairs)
                return invalid_input(
                    "fewer than " + std::to_string(kLeastPairs) + " pairs show nothing", {},
                    "give " + std::to_string(kLeastPairs) + " to " + std::to_string(kMostPairs));
              options->ask.pairs = static_cast<std::size_t>(pairs);
              return {};
            });
  flags.add({.name = "do-no-harm", .help = "Remember whether it helps, for pin run"},
            options->do_no_harm);
  add_state_flag(flags, options->state_dir);
  add_output_flags(flags, options->output, {"table", "json", "yaml"}, false);
  add_talk_flags(flags, options->output);
  flags.add_behind_dashes(options->command);
  return [options](Io& io) { return run_pin_compare(*options, io); };
}

}  // namespace

Command pin_compare_command() { return {&kPage, Group::kPin, add_pin_compare}; }

}  // namespace gedge::cli
