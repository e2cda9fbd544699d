// gedge/pin/pin_trial.hpp - does pinning help a command? Decided from how long it took with and
// without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// Two runs of the same command, one after the other.
struct TrialPair {
  Micros plain{0}, pinned{0};
  friend bool operator==(const TrialPair&, const TrialPair&) = default;
};

/// A median, and bounds that hold it with 95 % confidence.
struct MedianTime {
  Micros median{0}, low{0}, high{0};
};

enum class TrialVerdict : std::uint8_t { kHelps, kHarms, kNoDifference };
/// "helps", "harms", "no difference".
std::string_view word_of(TrialVerdict verdict);

struct TrialOutcome {
  MedianTime plain, pinned;
  /// The median of pinned to plain time within a pair, and bounds with 95 % confidence.
  double ratio = 1, ratio_low = 1, ratio_high = 1;
  TrialVerdict verdict = TrialVerdict::kNoDifference;
};

/// Fewer pairs cannot show anything with 95 % confidence.
inline constexpr std::size_t kLeastPairs = 6;
inline constexpr std::size_t kMostPairs = 1'000;

/// Medians and bounds by order statistics: no assumption about how times are distributed, a few
/// runs that went astray change little, and what drifts while the pairs are run cancels out within
/// each. A verdict needs both bounds of the ratio on one side of 1. Errors: kInvalidInput for fewer
/// than kLeastPairs or more than kMostPairs. Cost: O(pairs^2).
Result<TrialOutcome> judge_trial(std::span<const TrialPair> pairs);

/// What was found out about a command, to be remembered.
struct PinVerdict {
  std::vector<std::string> command;
  int cpus = 1;
  TrialVerdict verdict = TrialVerdict::kNoDifference;
  friend bool operator==(const PinVerdict&, const PinVerdict&) = default;
};

/// Puts `verdict` in the place of an earlier one about the same command and number of CPUs; the
/// newest come last, and the oldest go where there are too many.
void remember(std::vector<PinVerdict>& verdicts, PinVerdict verdict);
/// Null where nothing is known.
const PinVerdict* recall(std::span<const PinVerdict> verdicts, std::span<const std::string> command,
                         int cpus);

}  // namespace gedge
