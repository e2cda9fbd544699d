// support/dice.hpp - random choices that a seed repeats on every machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gedge::test {

/// SplitMix64 (Steele, Lea, Flood 2014): every 64-bit seed is a good one.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// 0 to count - 1; the bias is far below anything a test notices.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// first to last, both possible.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::size_t>(last - first + 1)));
  }
  bool chance(std::size_t percent) { return below(100) < percent; }

  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }
  /// `count` different ones, or all of them.
  template <typename T>
  std::vector<T> some(std::vector<T> from, std::size_t count) {
    shuffle(from);
    if (from.size() > count) from.resize(count);
    return from;
  }

 private:
  std::uint64_t state_;
};

}  // namespace gedge::test
