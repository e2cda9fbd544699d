// quick_entry.cpp - the one symbol of the library that main.cpp opens for `pin run`: it starts a
// command on CPUs of its own where nothing is out of the ordinary. It holds no parser of files and
// loads no library but that of C, so it takes a fraction of the time that all of gedge takes to
// load.
//
// Whatever else is asked or goes wrong before the command begins is declined, and nothing has
// happened then: all of gedge does it, and says what there is to say. Only who has waited in vain
// for the ledger is not to do so twice.
#include <optional>
#include <string>
#include <vector>

#include "gedge/io/system_pins.hpp"
#include "pin_ask.hpp"
#include "pin_run.hpp"
#include "process.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr int kDeclined = -1;

std::optional<PinRunOptions> options_of(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[0] != "pin" || words[1] != "run") return std::nullopt;
  PinRunOptions options;
  FlagSet flags;
  add_pin_run_flags(flags, options);
  bool help = false;
  if (!flags.parse({words.begin() + 2, words.end()}, help) || help) return std::nullopt;
  const bool plain = !options.dry_run && !options.do_no_harm && !options.others.anything() &&
                     options.ask.near.empty() && options.ask.mode == PinMode::kExclusive;
  return plain && !options.command.empty() ? std::optional(std::move(options)) : std::nullopt;
}

std::optional<Exit> run_quickly(const PinRunOptions& options, Io& io) {
  const auto ground = read_ground_for(options.ask);
  if (!ground) return std::nullopt;
  DiskPinStore store = open_store(options.state_dir, io, options.output.quiet);
  const auto aside = is_anybody_set_back(store);
  if (!aside || *aside) return std::nullopt;
  const SystemProcesses processes;
  SystemLaunch launch(options.command);
  const auto run =
      run_pinned(launch, keep_ledger(store, processes, *ground, options.ask, recognise_ledger),
                 options.memory);
  if (!run && run.error().code == Errc::kTimeout) return fail(io, run.error());
  if (!run || run->not_begun) return std::nullopt;
  return report_run(io, *run);
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_pin_run(int argc, char** argv) {
  using namespace gedge::cli;
  bool declined = false;
  const Exit exit = in_process(argc, argv, [&](const std::vector<std::string>& words, Io& io) {
    settle_color(words, io);
    return guarded(io, [&] {
      const auto options = options_of(words);
      const auto done = options ? run_quickly(*options, io) : std::nullopt;
      declined = !done;
      return done.value_or(Exit::kYes);
    });
  });
  return declined ? kDeclined : static_cast<int>(exit);
}
