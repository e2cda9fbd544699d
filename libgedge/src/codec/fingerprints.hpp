// codec/fingerprints.hpp - how the fingerprints of values are put together.
//
// Each scalar and each container adds its digest, multiplied by a matrix for every step from the
// root to it: sums do not depend on the order of fields, and products do on that of steps. So what
// is known of a value of which one text is new is all but the digest of that text.
#pragma once

#include <cstdint>
#include <string_view>

#include "codec/cursor.hpp"

namespace gedge::codec {

enum FingerprintSeed : std::uint64_t { kTypeSeed = 4 };

/// Two rows of two, modulo 2^64. The determinant of each that stands for a step is odd: nothing is
/// lost on the way.
struct Way {
  std::uint64_t a = 1, b = 0, c = 0, d = 1;
};
inline Fingerprint operator+(const Fingerprint& one, const Fingerprint& other) {
  return {one.low + other.low, one.high + other.high};
}
inline Fingerprint operator*(const Way& way, const Fingerprint& value) {
  return {way.a * value.low + way.b * value.high, way.c * value.low + way.d * value.high};
}
inline Way operator*(const Way& first, const Way& then) {
  return {first.a * then.a + first.b * then.c, first.a * then.b + first.b * then.d,
          first.c * then.a + first.d * then.c, first.c * then.b + first.d * then.d};
}

// Digits of the square roots of the primes from 2 to 41, behind the point.
/// From the items of a list to one of them, and past the item behind it.
inline constexpr Way kItem{0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0xCBBB9D5DC1059ED8,
                           0x1F83D9ABFB41BD6B};
inline constexpr Way kNext{0xBB67AE8584CAA73B, 0x6A09E667F3BCC908, 0x3C6EF372FE94F82B,
                           0xA54FF53A5F1D36F1};
inline constexpr Fingerprint kEmptyMap{0x629A292A367CD507, 0x9159015A3070DD17};
inline constexpr Fingerprint kEmptyList{0x152FECD8F70E5939, 0x67332667FFC00B31};

Fingerprint digest(std::string_view text, std::uint64_t seed);
/// Of a scalar that is text.
Fingerprint text_of(std::string_view text);

/// From a map to a field, from the digest of its key.
Way way_of(const Fingerprint& key);
/// What a field adds to a map; one that is null is absent.
inline Fingerprint field_of(const Fingerprint& key, const Fingerprint& value) {
  return way_of(key) * value;
}
/// The seed of the digest that a field adds whose value is text.
inline std::uint64_t text_seed(const Fingerprint& key) { return key.low + kTypeSeed; }
/// Of a list with one item more.
inline Fingerprint with_item(const Fingerprint& list, const Fingerprint& item) {
  return kNext * list + kItem * item;
}

}  // namespace gedge::codec
