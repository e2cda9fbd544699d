// gedge/base/split_mix.hpp - numbers that a seed repeats on every machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gedge {

/// The golden ratio's fraction, odd.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;

/// SplitMix64 (Steele, Lea, Flood 2014), one number of it: well mixed for every input.
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The same one after another: every 64-bit seed is a good one.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    const std::uint64_t number = split_mix(state_);
    state_ += kSplitMixStep;
    return number;
  }
  /// 0 to count - 1; the bias is far below anything that shows.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// 0 (included) to 1 (not).
  double even() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace gedge
