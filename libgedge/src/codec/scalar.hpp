// codec/scalar.hpp - what a plain (unquoted) scalar means, exactly as kubectl reads it.
//
// Source   sigs.k8s.io/yaml goyaml.v2 resolve(), as in kubectl 1.32: yes/no/on/off/y/n are
// booleans,
//          017 and 0o17 are 15, 1_000 is 1000, 12:30 and dates are text. JSON's scalars read the
//          same way, except that a number JSON allows is never text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gedge::codec {

/// Without blanks, tabs and line ends around it.
std::string_view trim(std::string_view text);

enum class ScalarType : std::uint8_t { kNull, kBool, kInteger, kFloat, kText };

/// Cost: O(length), no allocation for text.
ScalarType classify_plain(std::string_view text);

/// The boolean that a plain scalar of type kBool means.
bool bool_value(std::string_view text);

/// The exact integer that a plain kInteger or kFloat means ("1e3" is 1000, "1.0" is 1).
/// Empty where it is no whole number or leaves int64.
std::optional<std::int64_t> integer_value(std::string_view text);

/// A plain kInteger or kFloat in decimal notation, fit for parse_quantity and from_chars: "0x1F" is
/// "31", "1_000" is "1000", "1.50" stays. Empty for infinities, NaN and integers beyond uint64.
std::optional<std::string> decimal_text(std::string_view text);

}  // namespace gedge::codec
