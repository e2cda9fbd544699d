// gedge/base/saturated.hpp - sums and products of amounts that stop at the largest there is.
#pragma once

#include <cstdint>
#include <limits>

namespace gedge {

/// Of amounts that are not negative.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}
constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return b > 0 && a > kMost / b ? kMost : a * b;
}

}  // namespace gedge
