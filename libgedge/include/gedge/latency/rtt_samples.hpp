// gedge/latency/rtt_samples.hpp - the round-trip times of one pair, condensed into what a matrix
// keeps of them.
#pragma once

#include <cstdint>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// What is known about one ordered pair. Times are whole microseconds, rounded up, and kUnmeasured
/// where no probe was answered: never 0, for no answer takes no time.
struct RttSummary {
  Rtt min = kUnmeasured, p50 = kUnmeasured, p95 = kUnmeasured, p99 = kUnmeasured;
  Rtt max = kUnmeasured, mean = kUnmeasured;
  Rtt mdev = kUnmeasured;      ///< standard deviation as ping prints it; 0 where all are equal
  Rtt jitter = kUnmeasured;    ///< rttvar; 0 for a single answer
  std::uint32_t probes = 0;    ///< settled: answered or lost
  std::uint32_t samples = 0;   ///< answered in time
  std::uint32_t loss_ppm = 0;  ///< of `probes`, rounded up; 0 where none was sent

  bool measured() const { return samples > 0; }
};

/// Collects the outcomes of probes between one pair, in the order in which they are settled.
///
/// Up to kExactSamples answers every percentile is that of plain sorting: the least answer that at
/// least so many percent do not exceed. Beyond, answers are counted in classes of at most 0.2 % of
/// their value; percentiles are then the upper end of their class, so never below the truth and
/// less than 0.2 % above it. Minimum, maximum, mean, mdev and jitter stay exact.
///
/// Memory: 4 bytes an answer up to kExactSamples, 48 KiB beyond, however many they are.
class RttSamples {
 public:
  static constexpr std::size_t kExactSamples = 8192;

  /// An answer after `rtt`; less than a nanosecond counts as one, more than kMaxRtt as kMaxRtt.
  void add(Nanos rtt);
  /// No answer within the timeout.
  void add_lost() { ++lost_; }

  std::uint32_t answered() const { return answered_; }
  std::uint32_t lost() const { return lost_; }
  /// The answers in whole microseconds, rounded up, in the order of arrival; empty beyond
  /// kExactSamples.
  const std::vector<Rtt>& answers() const { return exact_; }

  /// Jitter is rttvar of RFC 6298, section 2 (gains 1/8 and 1/4), but begun with the first
  /// difference between two answers: half of the first answer would say something about none.
  /// Cost: O(answers), O(1) beyond kExactSamples.
  RttSummary summary() const;

 private:
  void count(Rtt rtt);
  Rtt percentile(std::uint32_t percent, std::vector<Rtt>& exact) const;

  std::vector<Rtt> exact_;              // in order of arrival, until there are too many
  std::vector<std::uint32_t> classes_;  // empty while `exact_` is used
  std::uint32_t answered_ = 0, lost_ = 0;
  Rtt min_ = kUnmeasured, max_{0};
  std::int64_t sum_ns_ = 0;
  double mean_ns_ = 0, squares_ = 0;  // Welford: sum of squared distances from the mean
  std::int64_t srtt_ns_ = 0, rttvar_ns_ = 0;
};

}  // namespace gedge
