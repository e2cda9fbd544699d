// gedge/latency/complete.hpp - what unmeasured pairs probably are, and how wrong that may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge {

struct CompletionOptions {
  std::uint64_t seed = 0;  ///< of the places that nodes start from, and of the folds
  /// Share of the unmeasured pairs that may lie above their upper bound, and as many below the
  /// lower one. Both together stay under 5 %, with room for what a sample cannot tell.
  double miss = 0.0125;
};

/// A pair that nobody measured.
struct Estimate {
  Rtt rtt;           ///< as likely too small as too large
  Rtt lower, upper;  ///< lower <= rtt <= upper
};

/// Estimates of the pairs of a matrix that were measured in neither direction. They lie apart from
/// the matrix, in a type of their own: none can pass for a measurement by accident.
class Completion {
 public:
  /// Of a matrix of that many names, all pairs without an estimate.
  explicit Completion(std::size_t names);

  std::size_t size() const { return names_; }
  /// The same both ways. None where the pair was measured, and where nothing can be said: on the
  /// diagonal, of a name with fewer than kLeastPeers measured pairs, between groups of names that
  /// no measured pair links.
  std::optional<Estimate> between(NameIndex a, NameIndex b) const;
  /// Pairs with an estimate, each counted once.
  std::size_t count() const;

  /// `measured` with the upper bound of each estimate in both of its cells: what budgets are
  /// compared with. `measured` is the matrix that was completed. Cost: O(N * N).
  RttMatrix for_budgets(const RttMatrix& measured) const;

  void set(NameIndex a, NameIndex b, const Estimate& estimate);
  /// None is known of the pair any more.
  void reset(NameIndex a, NameIndex b);

 private:
  std::size_t place(NameIndex a, NameIndex b) const;

  std::size_t names_;
  std::vector<Estimate> pairs_;  // [N*(N-1)/2], of a > b at a*(a-1)/2 + b; kUnmeasured: none
};

/// A name with fewer measured pairs gets no estimates: a place and a height are as many numbers.
inline constexpr std::size_t kLeastPeers = 4;
/// With fewer measured pairs no bound can be stated.
inline constexpr std::size_t kLeastPairs = 100;

/// Estimates every pair that `measured` knows in neither direction.
///
/// Units    microseconds of round-trip time; a measured 0 counts as 1.
/// Bounds   are those that pairs held: the measured pairs are left out a fifth at a time, estimated
///          from the rest, and what they miss by sets the bounds. They hold for unmeasured pairs as
///          far as these are like the measured ones, which is so if chance chose what to measure.
/// Errors   kInvalidInput if fewer than kLeastPairs pairs are measured or `miss` is not above 0
///          and below 0.5; no other.
/// Cost     O(N * N + pairs measured) with large constants: 1,000 names and 16,000 pairs in half a
///          second. Same matrix, same options, same answer.
/// Source   height vectors of Vivaldi (SIGCOMM 2004), fitted by Gauss and Newton's method; a
///          smoother over pairs of neighbours for what triangles cannot tell; split conformal
///          prediction (Vovk, Gammerman, Shafer 2005; Lei et al. 2018) for the bounds.
Result<Completion> complete(const RttMatrix& measured, const CompletionOptions& options);

/// A matrix as it is written down: what was measured, and beside it the estimates, which take a
/// twelfth of what details of each would.
struct CompletedMatrix {
  RttMatrix matrix;     ///< as it was measured
  PairDetails details;  ///< of pairs without an estimate
  Completion estimates;
  std::uint32_t method{};                                ///< row of details.methods: "estimate"
  std::size_t measured = 0, estimated = 0, unknown = 0;  ///< pairs, each counted once

  /// Of a pair with an estimate: estimated, p50, upper and method.
  std::optional<PairStats> estimate(NameIndex from, NameIndex to) const;
};

/// The same of a matrix with what else is known of its pairs. Pairs that `details` call estimated
/// are not measured: they are estimated anew. A pair whose probes were all lost gets no estimate;
/// that nothing answers is known of it. Errors and cost as above.
Result<CompletedMatrix> complete(const RttMatrix& matrix, const PairDetails& details,
                                 const CompletionOptions& options);

}  // namespace gedge
