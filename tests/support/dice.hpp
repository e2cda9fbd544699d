// support/dice.hpp - random choices that a seed repeats on every machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace gedge::test {

class Dice : public SplitMix {
 public:
  using SplitMix::SplitMix;

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
};

}  // namespace gedge::test
