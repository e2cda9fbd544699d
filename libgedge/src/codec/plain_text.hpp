// codec/plain_text.hpp - texts of JSON that mean what their bytes are, eight bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "codec/source.hpp"

namespace gedge::codec {

inline constexpr std::uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;

/// The bits at the top of the first of eight bytes that ends a plain text, and of some behind it.
inline std::uint64_t special_bytes(std::uint64_t word) {
  const auto equal = [](std::uint64_t bytes, std::uint64_t c) {
    const std::uint64_t difference = bytes ^ (kOnes * c);
    return (difference - kOnes) & ~difference;
  };
  const std::uint64_t control = (word - kOnes * 0x20) & ~word;
  return (equal(word, '"') | equal(word, '\\') | control) & kTops;
}

/// The end of a text's content that begins at `at`, if that is plain: without escapes and control
/// characters, in UTF-8. Else null. Eight bytes behind `end` may be read.
inline const char* end_of_plain(const char* at, const char* end) {
  std::uint64_t all = 0, found = 0;
  const char* const begin = at;
  for (; at < end; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    all |= word;
    found = special_bytes(word);
    if (found != 0) break;
  }
  if (found == 0) return nullptr;
  at += std::countr_zero(found) / 8;
  if (at >= end || *at != '"') return nullptr;
  const bool is_ascii = (all & kTops) == 0;
  if (is_ascii || is_utf8({begin, static_cast<std::size_t>(at - begin)})) return at;
  return nullptr;
}

}  // namespace gedge::codec
