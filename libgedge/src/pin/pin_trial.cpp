// Medians and their bounds by order statistics: Hollander, Wolfe, Chicken, Nonparametric
// Statistical Methods, section 3.6.
#include "gedge/pin/pin_trial.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

constexpr double kTail = 0.025;  // on each side
constexpr std::size_t kMostVerdicts = 1'000;

// How many of `n` values may be left out on each side, so that those that stay hold the median: the
// chance that so few lie on one side of it, where each does with chance 1/2, is at most kTail.
std::size_t left_out(std::size_t n) {
  std::vector<double> chances(n + 1, 0.0);
  chances[0] = 1;
  for (std::size_t value = 1; value <= n; ++value)
    for (std::size_t below = value + 1; below-- > 0;)
      chances[below] = (chances[below] + (below >= 1 ? chances[below - 1] : 0.0)) / 2;
  double sum = 0;
  std::size_t count = 0;
  while (count < n && sum + chances[count] <= kTail) sum += chances[count++];
  return count == 0 ? 0 : count - 1;
}

MedianTime median_of(std::vector<Micros> times) {
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size(), out = left_out(n);
  return {(times[(n - 1) / 2] + times[n / 2]) / 2, times[out], times[n - 1 - out]};
}

double ratio_of(const TrialPair& pair) {
  const auto count = [](Micros time) {
    return static_cast<double>(std::max<std::int64_t>(time.count(), 1));
  };
  return count(pair.pinned) / count(pair.plain);
}

}  // namespace

std::string_view word_of(TrialVerdict verdict) {
  switch (verdict) {
    case TrialVerdict::kHelps:
      return "helps";
    case TrialVerdict::kHarms:
      return "harms";
    case TrialVerdict::kNoDifference:
      break;
  }
  return "no difference";
}

Result<TrialOutcome> judge_trial(std::span<const TrialPair> pairs) {
  const std::size_t n = pairs.size();
  if (n < kLeastPairs || n > kMostPairs)
    return invalid_input("between " + std::to_string(kLeastPairs) + " and " +
                         std::to_string(kMostPairs) + " pairs can be judged");
  std::vector<Micros> plain, pinned;
  std::vector<double> ratios;
  for (const TrialPair& pair : pairs) {
    plain.push_back(pair.plain);
    pinned.push_back(pair.pinned);
    ratios.push_back(ratio_of(pair));
  }
  std::sort(ratios.begin(), ratios.end());
  const std::size_t out = left_out(n);
  TrialOutcome outcome{median_of(std::move(plain)), median_of(std::move(pinned)), 1, 1, 1, {}};
  outcome.ratio = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2;
  outcome.ratio_low = ratios[out];
  outcome.ratio_high = ratios[n - 1 - out];
  outcome.verdict = outcome.ratio_high < 1  ? TrialVerdict::kHelps
                    : outcome.ratio_low > 1 ? TrialVerdict::kHarms
                                            : TrialVerdict::kNoDifference;
  return outcome;
}

void remember(std::vector<PinVerdict>& verdicts, PinVerdict verdict) {
  std::erase_if(verdicts, [&](const PinVerdict& known) {
    return known.command == verdict.command && known.cpus == verdict.cpus;
  });
  verdicts.push_back(std::move(verdict));
  if (verdicts.size() > kMostVerdicts) verdicts.erase(verdicts.begin());
}

const PinVerdict* recall(std::span<const PinVerdict> verdicts, std::span<const std::string> command,
                         int cpus) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const PinVerdict& known) {
    return known.cpus == cpus &&
           std::equal(known.command.begin(), known.command.end(), command.begin(), command.end());
  });
  return found != verdicts.end() ? &*found : nullptr;
}

}  // namespace gedge
