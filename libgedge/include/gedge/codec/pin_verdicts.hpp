// gedge/codec/pin_verdicts.hpp - the file that remembers which commands pinning helps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/pin/cpu_set.hpp"
#include "gedge/pin/pin_trial.hpp"

namespace gedge {

struct PinVerdictsReading {
  std::optional<std::vector<PinVerdict>> verdicts;  ///< empty if there are errors
  Errors errors;                                    ///< with line and column
};

/// Errors: syntax; words that are no verdict; CPUs that are no number.
PinVerdictsReading read_pin_verdicts(const InputFile& file);

std::string write_pin_verdicts(std::span<const PinVerdict> verdicts);

/// kind PinComparison.
std::string write(const TrialOutcome& outcome, std::span<const TrialPair> pairs, const CpuSet& cpus,
                  TextFormat format);

}  // namespace gedge
