#include "latency/misses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gedge {
namespace {

constexpr std::size_t kPoints = 48, kLeastMisses = 60;  // of the curve; a point stands for so many
constexpr double kMostRatio = 10;  // one wild pair shall not widen the bounds of all around it
constexpr double kDoubt = 4;       // pairs as usual that count beside the known ones
constexpr double kLeastSize = 1e-6;

double size_of(const Miss& miss) { return std::max(std::abs(miss.low), std::abs(miss.high)); }

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

MissModel::MissModel(std::vector<Miss> misses, const Nearby& near, double miss) {
  // Pairs of one node in a row: sums turn to a node once.
  std::sort(misses.begin(), misses.end(),
            [](const Miss& x, const Miss& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  learn_sizes(misses);
  learn_ratios(misses, near);
  learn_quantiles(misses, miss);
}

void MissModel::learn_sizes(std::span<const Miss> misses) {
  std::vector<Miss> sorted(misses.begin(), misses.end());
  std::sort(sorted.begin(), sorted.end(), [](const Miss& x, const Miss& y) {
    if (x.estimate != y.estimate) return x.estimate < y.estimate;
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  const std::size_t points = std::clamp<std::size_t>(sorted.size() / kLeastMisses, 1, kPoints);
  for (std::size_t point = 0; point < points; ++point) {
    const std::size_t begin = point * sorted.size() / points;
    const std::size_t end = (point + 1) * sorted.size() / points;
    std::vector<double> sizes;
    for (std::size_t i = begin; i < end; ++i) sizes.push_back(size_of(sorted[i]));
    sizes_.push_back({sorted[(begin + end) / 2].estimate, std::max(median(sizes), kLeastSize)});
  }
}

double MissModel::usual(double log_estimate) const {
  const auto after =
      std::lower_bound(sizes_.begin(), sizes_.end(), log_estimate,
                       [](const Point& p, double value) { return p.log_estimate < value; });
  if (after == sizes_.begin()) return after->size;
  const auto before = after - 1;
  if (after == sizes_.end()) return before->size;
  const double share =
      (log_estimate - before->log_estimate) / (after->log_estimate - before->log_estimate);
  return before->size + share * (after->size - before->size);
}

void MissModel::learn_ratios(std::span<const Miss> misses, const Nearby& near) {
  std::vector<Link> ratios;
  for (const Miss& miss : misses)
    ratios.push_back({miss.a, miss.b, std::min(size_of(miss) / usual(miss.estimate), kMostRatio)});
  known_.emplace(near.nodes(), ratios);
  ratios_.emplace(near, *known_);
}

void MissModel::learn_quantiles(std::span<const Miss> misses, double miss) {
  std::vector<double> low, high;
  std::size_t turned = known_->nodes();
  for (const Miss& one : misses) {
    if (one.a != turned) ratios_->turn_to(turned = one.a);
    const double own = std::min(size_of(one) / usual(one.estimate), kMostRatio);
    const double size = usual(one.estimate) * ratios_->without(one.b, own).mean(kDoubt, 1);
    low.push_back(-one.low / size);
    high.push_back(one.high / size);
  }
  // The finite sample's quantile: with n misses and one more to come, that one is beyond the r-th
  // of them with probability 1 - r / (n + 1).
  const auto count = static_cast<double>(misses.size());
  const auto rank = std::min(std::ceil((1 - miss) * (count + 1)), count);
  const auto place = static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(low.begin(), low.begin() + place, low.end());
  std::nth_element(high.begin(), high.begin() + place, high.end());
  low_ = std::max(low[static_cast<std::size_t>(place)], 0.0);
  high_ = std::max(high[static_cast<std::size_t>(place)], 0.0);
}

MissModel::Factors MissModel::factors(std::size_t b, double estimate_us) const {
  const double size = usual(std::log(estimate_us)) * ratios_->of(b).mean(kDoubt, 1);
  return {std::exp(-low_ * size), std::exp(high_ * size)};
}

}  // namespace gedge
