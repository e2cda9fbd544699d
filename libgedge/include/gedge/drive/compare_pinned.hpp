// gedge/drive/compare_pinned.hpp - runs a command with and without CPUs of its own, in turn, and
// remembers what came of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/drive/run_pinned.hpp"
#include "gedge/pin/pin_trial.hpp"
#include "gedge/port/clock.hpp"

namespace gedge {

/// Each run of the command is a launch of its own.
using MakeLaunch = std::function<std::unique_ptr<PinnedLaunch>()>;

struct TrialAsk {
  CpuAsk cpu;
  MemoryMode memory = MemoryMode::kDefault;
  std::size_t pairs = 15;
};

struct PinTrial {
  CpuSet cpus;  ///< of the last pinned run
  std::vector<TrialPair> pairs;
  TrialOutcome outcome;
};

/// One plain run that does not count, then pairs: plain and pinned, in the next pair pinned and
/// plain, so that neither is always the first. `done` is told how many runs have ended. The CPUs
/// are held while a pinned run lasts. Errors: those of run_pinned; kInvalidInput for a number of
/// pairs that cannot be judged; kDenied where a run did not end with 0.
Result<PinTrial> compare_pinned(PinStore& store, const Processes& processes, const MakeLaunch& make,
                                const Clock& clock, const PinGround& ground, const TrialAsk& ask,
                                const std::function<void(std::size_t)>& done);

/// The command on all CPUs that this process may use; nothing is held.
Result<PinnedRun> run_plain(PinnedLaunch& launch, const PinGround& ground);

/// Errors: kDenied; kInvalidInput where what was remembered cannot be read.
Status remember_verdict(PinStore& store, PinVerdict verdict);
/// Nothing where nothing is known. Errors: the same.
Result<std::optional<PinVerdict>> recall_verdict(PinStore& store,
                                                 std::span<const std::string> command, int cpus);

}  // namespace gedge
