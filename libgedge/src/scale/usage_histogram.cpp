#include "gedge/scale/usage_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace gedge {
namespace {

constexpr double kGrowth = 1.05;
constexpr double kEmpty = 1e-4;  // what a bucket must weigh to count
constexpr UnixSeconds kHalfLife = 24 * 3'600;
constexpr int kMostHalfLives = 100;  // then weights are scaled down

std::size_t buckets_of(UsageHistogram::Scheme scheme) {
  const double last = std::log(scheme.most * (kGrowth - 1) / scheme.first + 1) / std::log(kGrowth);
  return static_cast<std::size_t>(std::ceil(last)) + 1;
}

}  // namespace

UsageHistogram::UsageHistogram(Scheme scheme)
    : scheme_(scheme), weights_(buckets_of(scheme)), first_(weights_.size() - 1) {}

// Bucket n begins at first * (growth^n - 1) / (growth - 1).
std::size_t UsageHistogram::bucket_of(double value) const {
  if (!(value >= scheme_.first)) return 0;
  const double bucket = std::log(value * (kGrowth - 1) / scheme_.first + 1) / std::log(kGrowth);
  const std::size_t last = weights_.size() - 1;
  return bucket >= static_cast<double>(last) ? last : static_cast<std::size_t>(bucket);
}

double UsageHistogram::start_of(std::size_t bucket) const {
  if (bucket == 0) return 0;
  return scheme_.first * (std::pow(kGrowth, static_cast<double>(bucket)) - 1) / (kGrowth - 1);
}

void UsageHistogram::shift(UnixSeconds at) {
  const UnixSeconds half = kHalfLife / 2;
  const UnixSeconds to = (at + half) / kHalfLife * kHalfLife;
  const UnixSeconds halvings = (reference_ - to) / kHalfLife;
  const double factor = std::exp2(static_cast<double>(halvings));
  for (double& weight : weights_) weight *= factor;
  total_ *= factor;
  reference_ = to;
  find_ends();
}

double UsageHistogram::factor(UnixSeconds at) {
  if (!has_reference_) {
    has_reference_ = true;
    reference_ = (at + kHalfLife / 2) / kHalfLife * kHalfLife;
  }
  if (at > reference_ + kMostHalfLives * kHalfLife) shift(at);
  return std::exp2(static_cast<double>(at - reference_) / static_cast<double>(kHalfLife));
}

void UsageHistogram::add(double value, double weight, UnixSeconds at) {
  weight *= factor(at);
  const std::size_t bucket = bucket_of(value);
  weights_[bucket] += weight;
  total_ += weight;
  if (weights_[bucket] < kEmpty) return;
  first_ = std::min(first_, bucket);
  last_ = std::max(last_, bucket);
}

void UsageHistogram::subtract(double value, double weight, UnixSeconds at) {
  weight *= factor(at);
  double& held = weights_[bucket_of(value)];
  if (weight > held - kEmpty) weight = held;
  held -= weight;
  total_ -= weight;
  find_ends();
}

void UsageHistogram::find_ends() {
  while (weights_[first_] < kEmpty && first_ + 1 < weights_.size()) ++first_;
  while (weights_[last_] < kEmpty && last_ > 0) --last_;
}

bool UsageHistogram::empty() const { return weights_[first_] < kEmpty; }

double UsageHistogram::percentile(double share) const {
  if (empty()) return 0;
  const double threshold = share * total_;
  std::size_t bucket = first_;
  for (double sum = 0; bucket < last_; ++bucket) {
    sum += weights_[bucket];
    if (sum >= threshold) break;
  }
  return start_of(std::min(bucket + 1, weights_.size() - 1));
}

}  // namespace gedge
