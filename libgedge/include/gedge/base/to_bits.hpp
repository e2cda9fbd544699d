// gedge/base/to_bits.hpp - answers that a loop wrote as bytes become bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gedge {

/// Bit i: good[i], which is 0 or 1. N is a multiple of 8, at most 64. For loops that compilers turn
/// into vectors: those write bytes well, and single bits badly.
template <std::size_t N>
[[gnu::always_inline]] inline std::uint64_t to_bits(const std::array<std::uint8_t, N>& good) {
  static_assert(N % 8 == 0 && N <= 64);
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < N / 8; ++byte) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, good.data() + 8 * byte, sizeof eight);
    // The multiplication moves each of eight to the top byte.
    bits |= (eight * 0x0102040810204080U >> 56) << (8 * byte);
  }
  return bits;
}

}  // namespace gedge
