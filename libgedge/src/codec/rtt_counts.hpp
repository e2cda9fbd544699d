// codec/rtt_counts.hpp - how many of many RTTs are suspect.
#pragma once

#include <cstdint>
#include <span>

#include "gedge/base/units.hpp"

namespace gedge::codec {

/// Nobody has a network where half of all RTTs are this long: the unit is wrong.
inline constexpr Rtt kUnlikely{10'000'000};

struct RttCounts {
  std::uint32_t measured = 0;
  std::uint32_t zeros = 0, unlikely = 0;  // of the measured ones

  // Without branches, so that a loop becomes vectors.
  void add(std::uint32_t us) {
    measured += us != kUnmeasured.us;
    zeros += us == 0;
    unlikely += us - kUnlikely.us < kUnmeasured.us - kUnlikely.us;
  }
};

/// Of at most 2^32 - 1.
RttCounts count_rtts(std::span<const Rtt> rtts);

}  // namespace gedge::codec
