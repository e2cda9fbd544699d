// gedge/base/durations.hpp - how long something took each time, counted by classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gedge/base/nanos.hpp"

namespace gedge {

struct Durations {
  /// The longest of each class but the last, which has none.
  static constexpr std::array<Nanos, 13> kBounds{
      Nanos{1'000'000},     Nanos{2'500'000},     Nanos{5'000'000},     Nanos{10'000'000},
      Nanos{25'000'000},    Nanos{50'000'000},    Nanos{100'000'000},   Nanos{250'000'000},
      Nanos{500'000'000},   Nanos{1'000'000'000}, Nanos{2'500'000'000}, Nanos{5'000'000'000},
      Nanos{10'000'000'000}};

  std::array<std::uint64_t, kBounds.size() + 1> counts{};
  Nanos sum{0};

  void add(Nanos took) {
    const auto at = std::lower_bound(kBounds.begin(), kBounds.end(), took);
    ++counts[static_cast<std::size_t>(at - kBounds.begin())];
    sum += took;
  }
};

}  // namespace gedge
