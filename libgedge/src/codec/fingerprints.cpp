// Hashes of a few bytes each, so the hash is compiled in.
#define XXH_INLINE_ALL
#include "codec/fingerprints.hpp"

#include <xxhash.h>

#include <bit>

namespace gedge::codec {

Fingerprint digest(std::string_view text, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
  return {hash.low64, hash.high64};
}

Fingerprint text_of(std::string_view text) {
  return digest(text, kTypeSeed + static_cast<std::uint64_t>(ScalarType::kText));
}

Way way_of(const Fingerprint& key) {
  const std::uint64_t c = (key.low ^ std::rotl(key.high, 32)) * kNext.a;
  const std::uint64_t d = (key.high ^ std::rotl(key.low, 32)) * kNext.d;
  return {key.low | 1, key.high, c << 1, d | 1};
}

}  // namespace gedge::codec
