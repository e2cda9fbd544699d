// gedge/scale/usage_histogram.hpp - how much a container uses, newer samples weighing more.
//
// Idea     weights in buckets that grow by 5 %; a sample loses half of its weight every 24 hours.
// Cost     O(1) a sample, O(buckets) a percentile; 176 buckets of cpu, 176 of memory, 1.4 KB each.
// Source   kubernetes/autoscaler, vertical-pod-autoscaler/pkg/recommender/util; its newest form
//          begins the buckets of cpu at 0.001 core, not at 0.01.
#pragma once

#include <cstddef>
#include <vector>

#include "gedge/base/units.hpp"

namespace gedge {

class UsageHistogram {
 public:
  /// The size of the first bucket, and a value that the last one reaches.
  struct Scheme {
    double first = 0, most = 0;
  };
  static constexpr Scheme kCores{0.01, 1e3}, kBytes{1e7, 1e12};

  explicit UsageHistogram(Scheme scheme);

  /// `weight` is that of a sample of now; values beyond the buckets count in the nearest.
  void add(double value, double weight, UnixSeconds at);
  /// Takes back what `add` was told.
  void subtract(double value, double weight, UnixSeconds at);
  /// The end of the bucket in which the share of all weights is reached; 0 if there are none.
  double percentile(double share) const;
  bool empty() const;

 private:
  std::size_t bucket_of(double value) const;
  double start_of(std::size_t bucket) const;
  double factor(UnixSeconds at);
  void shift(UnixSeconds at);
  void find_ends();

  Scheme scheme_;
  std::vector<double> weights_;
  double total_ = 0;
  std::size_t first_ = 0, last_ = 0;  // buckets that are not empty; nothing yet: crossed over
  UnixSeconds reference_ = 0;         // of weight 1; a multiple of the half-life
  bool has_reference_ = false;
};

}  // namespace gedge
