// Hashes of a few bytes each, so the hash is compiled in.
#define XXH_INLINE_ALL
#include "codec/fingerprints.hpp"

#include <xxhash.h>

namespace gedge::codec {
namespace {

Fingerprint mix(const Fingerprint& a, const Fingerprint& b, std::uint64_t seed) {
  const std::uint64_t words[4] = {a.low, a.high, b.low, b.high};
  const XXH128_hash_t hash = XXH3_128bits_withSeed(words, sizeof words, seed);
  return {hash.low64, hash.high64};
}

}  // namespace

Fingerprint digest(std::string_view text, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
  return {hash.low64, hash.high64};
}

Fingerprint text_of(std::string_view text) {
  return digest(text, kTypeSeed + static_cast<std::uint64_t>(ScalarType::kText));
}

Fingerprint field_of(const Fingerprint& key, const Fingerprint& value) {
  return mix(key, value, kFieldSeed);
}

Fingerprint text_field_of(const Fingerprint& key, std::string_view text) {
  return digest(text, key.low + kTypeSeed);
}

Fingerprint map_of(const Fingerprint& sum) { return mix(sum, {}, kMapSeed); }

Fingerprint with_item(const Fingerprint& list, const Fingerprint& item) {
  return mix(list, item, kListSeed);
}

}  // namespace gedge::codec
