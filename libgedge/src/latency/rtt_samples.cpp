#include "gedge/latency/rtt_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gedge {
namespace {

constexpr std::int64_t kNanosInMicro = 1'000;
constexpr std::uint32_t kMillion = 1'000'000;

// Ten significant bits: the width of a class is at most 1/512 of what it holds.
constexpr std::uint32_t kBits = 10, kHalf = 1U << (kBits - 1);
constexpr std::size_t kClasses = std::size_t{kHalf} * (32 - kBits + 2);

std::uint32_t class_of(Rtt rtt) {
  if (rtt.us < 2 * kHalf) return rtt.us;
  const auto beyond = static_cast<std::uint32_t>(std::bit_width(rtt.us)) - kBits;
  return kHalf * beyond + (rtt.us >> beyond);
}

Rtt upper_end(std::uint32_t index) {
  if (index < 2 * kHalf) return Rtt{index};
  const std::uint32_t beyond = index / kHalf - 1;
  const std::uint64_t next = std::uint64_t{index - kHalf * beyond + 1} << beyond;
  return Rtt{static_cast<std::uint32_t>(next - 1)};
}

Rtt rounded_up(std::int64_t nanos) {
  const std::int64_t micros = (nanos + kNanosInMicro - 1) / kNanosInMicro;
  return Rtt{static_cast<std::uint32_t>(std::min<std::int64_t>(micros, kMaxRtt.us))};
}

// How many answers do not exceed the percentile, at least; from 1 on.
std::uint64_t rank_of(std::uint32_t percent, std::uint32_t count) {
  return (std::uint64_t{percent} * count + 99) / 100;
}

}  // namespace

void RttSamples::add(Nanos rtt) {
  constexpr std::int64_t kLargest = std::int64_t{kMaxRtt.us} * kNanosInMicro;
  const std::int64_t nanos = std::clamp<std::int64_t>(rtt.count(), 1, kLargest);
  const Rtt micros = rounded_up(nanos);
  ++answered_;
  min_ = std::min(min_, micros);
  max_ = std::max(max_, micros);
  sum_ns_ += nanos;
  const double off = static_cast<double>(nanos) - mean_ns_;
  mean_ns_ += off / answered_;
  squares_ += off * (static_cast<double>(nanos) - mean_ns_);

  const std::int64_t deviation = std::abs(srtt_ns_ - nanos);
  if (answered_ == 2) rttvar_ns_ = deviation;
  if (answered_ > 2) rttvar_ns_ += (deviation - rttvar_ns_) / 4;
  srtt_ns_ = answered_ == 1 ? nanos : srtt_ns_ + (nanos - srtt_ns_) / 8;
  count(micros);
}

void RttSamples::count(Rtt rtt) {
  if (classes_.empty() && exact_.size() < kExactSamples) {
    exact_.push_back(rtt);
    return;
  }
  if (classes_.empty()) {
    classes_.resize(kClasses);
    for (const Rtt earlier : exact_) ++classes_[class_of(earlier)];
    exact_ = {};
  }
  ++classes_[class_of(rtt)];
}

Rtt RttSamples::percentile(std::uint32_t percent, std::vector<Rtt>& exact) const {
  const std::uint64_t rank = rank_of(percent, answered_);
  if (classes_.empty()) {
    const auto at = exact.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(exact.begin(), at, exact.end());
    return *at;
  }
  std::uint64_t seen = 0;
  std::uint32_t index = 0;
  while ((seen += classes_[index]) < rank) ++index;
  return std::min(upper_end(index), max_);
}

RttSummary RttSamples::summary() const {
  RttSummary summary;
  summary.samples = answered_;
  summary.probes = answered_ + lost_;
  if (summary.probes > 0)
    summary.loss_ppm = static_cast<std::uint32_t>(
        (std::uint64_t{lost_} * kMillion + summary.probes - 1) / summary.probes);
  if (answered_ == 0) return summary;

  std::vector<Rtt> exact = exact_;
  summary.min = min_;
  summary.p50 = percentile(50, exact);
  summary.p95 = percentile(95, exact);
  summary.p99 = percentile(99, exact);
  summary.max = max_;
  summary.mean = rounded_up((sum_ns_ + answered_ - 1) / answered_);
  summary.mdev = rounded_up(std::llround(std::sqrt(squares_ / answered_)));
  summary.jitter = rounded_up(rttvar_ns_);
  return summary;
}

}  // namespace gedge
