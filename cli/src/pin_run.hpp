// pin_run.hpp - the flags of `gedge pin run`, and what it says at the end: the part of it that the
// library for quick starts has too.
#pragma once

#include <string>
#include <vector>

#include "exit.hpp"
#include "flags.hpp"
#include "gedge/drive/apply_pin.hpp"
#include "gedge/drive/run_pinned.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

struct PinRunOptions {
  CpuAsk ask;
  MemoryMode memory = MemoryMode::kDefault;
  std::string state_dir;
  ForOthers others;
  bool dry_run = false, do_no_harm = false;
  OutputOptions output;
  std::vector<std::string> command;
};

/// The options outlive the flags.
void add_pin_run_flags(FlagSet& flags, PinRunOptions& options);

/// Do the flags contradict each other?
Status check_flags(const PinRunOptions& options);

/// A command that ran decides the exit code, whatever else went wrong.
Exit report_run(Io& io, const PinnedRun& run);

}  // namespace gedge::cli
