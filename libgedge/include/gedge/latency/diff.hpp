// gedge/latency/diff.hpp - what moved between two matrices, and whether that is more than noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge {

/// A matrix and what else is known of its pairs. Both outlive whoever looks at them.
struct KnownMatrix {
  const RttMatrix& matrix;
  const PairDetails& details;
};

enum class PairChange : std::uint8_t {
  kAppeared,  ///< was not measured before
  kVanished,  ///< is not measured any more
  kMoved,
};
/// "appeared", "vanished", "moved".
std::string_view to_string(PairChange change);

enum class Significance : std::uint8_t {
  kNoise,    ///< the samples' own spread explains it
  kUnknown,  ///< nobody said how much the samples spread
  kReal,
};
/// "noise", "unknown", "real".
std::string_view to_string(Significance significance);

struct PairDifference {
  std::string from, to;
  PairChange change{};
  Rtt before = kUnmeasured, after = kUnmeasured;
  /// What the spread explains: three standard errors of the difference; empty: not known.
  std::optional<Micros> margin = {};
  Significance significance = Significance::kReal;
};

struct MatrixDifference {
  std::vector<std::string> added, removed;  ///< names
  std::vector<PairDifference> pairs;        ///< by (from, to); of names that both matrices have
  std::size_t same = 0;                     ///< ordered pairs with equal RTTs, measured in both

  /// Anything that noise does not explain: names, pairs that appeared or vanished, moves that are
  /// real or of which nobody knows.
  bool differs() const;
};

/// The standard error of `pair`'s `value`, which is one of its statistics, from the samples' number
/// and spread; a normal distribution's, so a heavy tail has more. Empty where either is unknown,
/// for estimates, and for values that are no mean, p50, p95 or p99.
///
/// Units    microseconds, rounded up.
/// Source   sqrt(p (1 - p) / n) / density at the quantile (Stuart and Ord, Kendall's Advanced
/// Theory
///          of Statistics I, 10.10); the spread is mdev, else (p95 - p50) / 1.645.
std::optional<Micros> standard_error(const PairStats& pair, Rtt value);

/// Compares what the matrices say of each ordered pair. A move is real if it is more than three
/// standard errors: one in 370 pairs that did not move exceeds that by chance. Cost: O(N^2).
MatrixDifference diff_matrices(const KnownMatrix& before, const KnownMatrix& after);

}  // namespace gedge
