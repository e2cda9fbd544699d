// gedge/latency/pair_stats.hpp - what is known of a pair beyond the one number that budgets are
// compared with.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/rtt_samples.hpp"

namespace gedge {

/// A count or a share that nobody said.
inline constexpr std::uint32_t kNotKnown = std::numeric_limits<std::uint32_t>::max();

/// Clocks of two machines differ by less where anything sets them: a date that is further ahead of
/// now says nothing about an age.
inline constexpr std::chrono::seconds kMostAhead{60};

/// One ordered pair. Times are round trips; kUnmeasured where nobody measured or said them.
struct PairStats {
  NameIndex from{}, to{};
  Rtt only = kUnmeasured;  ///< a number of which nobody said what statistic it is
  Rtt min = kUnmeasured, p50 = kUnmeasured, p95 = kUnmeasured, p99 = kUnmeasured;
  Rtt max = kUnmeasured, mean = kUnmeasured;
  Rtt mdev = kUnmeasured;              ///< standard deviation, as `ping` prints it
  Rtt jitter = kUnmeasured;            ///< rttvar, as RttSamples has it
  Rtt upper = kUnmeasured;             ///< bound of an estimate
  std::uint32_t loss_ppm = kNotKnown;  ///< probes without an answer, in millionths
  std::uint32_t samples = kNotKnown;   ///< answers
  std::uint32_t method = 0;            ///< row of PairDetails::methods; 0: nobody said
  UnixSeconds measured_at = kNever;
  bool estimated = false;   ///< derived, not measured
  bool suspicious = false;  ///< other measurements contradict it

  /// Any of only, min, p50, p95, p99, max and mean.
  bool has_times() const { return only != kUnmeasured || is_summarised(); }
  /// Any time that is known for what it is.
  bool is_summarised() const {
    return min != kUnmeasured || p50 != kUnmeasured || p95 != kUnmeasured || p99 != kUnmeasured ||
           max != kUnmeasured || mean != kUnmeasured;
  }
  /// Anything beyond one number.
  bool says_more() const {
    return is_summarised() || mdev != kUnmeasured || jitter != kUnmeasured ||
           upper != kUnmeasured || loss_ppm != kNotKnown || samples != kNotKnown || method != 0 ||
           measured_at != kNever || estimated || suspicious;
  }
  friend bool operator==(const PairStats&, const PairStats&) = default;
};

/// What was measured between two names; method and date are not known of it.
PairStats stats_of(NameIndex from, NameIndex to, const RttSummary& rtt);

/// The pairs of one RttMatrix of which more than a number is known; the others have none.
struct PairDetails {
  std::vector<std::string> methods{""};  ///< "icmp", "tcp", ...; row 0 is "nobody said"
  std::vector<PairStats> pairs;          ///< by (from, to), each pair once

  bool empty() const { return pairs.empty(); }
  /// Null where no more than the number is known. Cost: O(log pairs).
  const PairStats* find(NameIndex from, NameIndex to) const;
  /// The row of a method; new ones are added.
  std::uint32_t method(std::string_view name);
};

}  // namespace gedge
