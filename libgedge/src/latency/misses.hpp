// latency/misses.hpp - how far estimates may lie from what would have been measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "latency/nearby.hpp"

namespace gedge {

/// A measured pair beside the estimate from links that it was not among. Natural logarithms.
struct Miss {
  std::uint32_t a, b;
  double estimate;   // of microseconds
  double low, high;  // of measured / estimate: the smaller direction, the larger one
};

/// Split conformal prediction: misses divided by their usual size there, and quantiles of these.
/// The usual size of a miss depends on the estimate (what is near is missed by more percent) and on
/// where the pair lies (some networks are odd in places).
class MissModel {
 public:
  struct Factors {
    double lower, upper;  // of an estimate: at most 1, at least 1
  };

  /// `miss`: share of pairs beyond either bound. `near` outlives it; there are at least 1 / miss
  /// misses.
  MissModel(std::vector<Miss> misses, const Nearby& near, double miss);

  /// Turns to pairs of `a`, then `factors` asks for one of them.
  void turn_to(std::size_t a) { ratios_->turn_to(a); }
  Factors factors(std::size_t b, double estimate_us) const;

 private:
  void learn_sizes(std::span<const Miss> misses);
  void learn_ratios(std::span<const Miss> misses, const Nearby& near);
  void learn_quantiles(std::span<const Miss> misses, double miss);
  double usual(double log_estimate) const;

  struct Point {
    double log_estimate, size;
  };
  std::vector<Point> sizes_;    // by estimate: the usual size, straight between points
  std::optional<Links> known_;  // size of a miss / usual(estimate)
  std::optional<PairSums> ratios_;
  double low_ = 0, high_ = 0;  // quantiles of miss / (usual * ratio)
};

}  // namespace gedge
