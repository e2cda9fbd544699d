// codec/fingerprints.hpp - how the fingerprints of values are put together.
#pragma once

#include <cstdint>
#include <string_view>

#include "codec/cursor.hpp"

namespace gedge::codec {

enum FingerprintSeed : std::uint64_t { kMapSeed = 1, kListSeed, kFieldSeed, kTypeSeed };

inline constexpr Fingerprint kEmptyMap{0, static_cast<std::uint64_t>(Shape::kMap)};
inline constexpr Fingerprint kEmptyList{0, static_cast<std::uint64_t>(Shape::kList)};

Fingerprint digest(std::string_view text, std::uint64_t seed);
/// Of a scalar that is text.
Fingerprint text_of(std::string_view text);

/// Of one field, from the digest of its key.
Fingerprint field_of(const Fingerprint& key, const Fingerprint& value);
/// The same of a value that is text.
Fingerprint text_field_of(const Fingerprint& key, std::string_view text);
/// A sum does not depend on the order of its terms; a field that is null is absent.
inline Fingerprint with_field(const Fingerprint& sum, const Fingerprint& field) {
  return {sum.low + field.low, sum.high + field.high};
}
/// Of a map, from the sum of its fields.
Fingerprint map_of(const Fingerprint& sum);
/// Of a list with one item more.
Fingerprint with_item(const Fingerprint& list, const Fingerprint& item);

}  // namespace gedge::codec
