// latency/chance.hpp - numbers that a seed repeats on every machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gedge {

/// SplitMix64 (Steele, Lea, Flood 2014): every 64-bit seed is a good one.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// 0 to count - 1; the bias is far below anything that shows.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// 0 (included) to 1 (not).
  double even() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace gedge
