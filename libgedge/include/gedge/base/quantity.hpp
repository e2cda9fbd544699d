// gedge/base/quantity.hpp - Kubernetes amounts ("250m", "1.5Gi", "1e3"), exact, never through a
// double.
//
// Source   apimachinery resource.Quantity of Kubernetes 1.20; vectors:
// tests/data/conformance/quantity.jsonl.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gedge {

enum class QuantityFormat : std::uint8_t { kBinarySI, kDecimalSI, kDecimalExponent };

/// What one amount says. `value` and `milli` are rounded away from zero and are empty where they
/// leave int64.
struct Quantity {
  std::optional<std::int64_t> value;  ///< in units
  std::optional<std::int64_t> milli;  ///< in thousandths
  int sign = 0;                       ///< -1, 0 or 1
  QuantityFormat format = QuantityFormat::kDecimalSI;
  std::string canonical;           ///< the form Kubernetes prints; 1.20 drops an exponent above "E"
  bool prints_as_written = false;  ///< Kubernetes takes the text for canonical and keeps it
};

/// Reads one amount, without white space around it. Errors: empty where Kubernetes refuses the
/// text, and for a decimal exponent outside int32. Binary amounts are capped at 2^63-1.
/// Cost: O(length).
std::optional<Quantity> parse_quantity(std::string_view text);

/// `text` without the Unicode white space around it, which Kubernetes drops where an amount comes
/// from an object.
std::string_view trim_quantity(std::string_view text);

/// Hot path: thousandths of `text` rounded up, without building a canonical form.
/// Empty where `text` is no quantity or leaves int64.
std::optional<std::int64_t> parse_milli(std::string_view text);
/// Hot path: units of `text` rounded up.
std::optional<std::int64_t> parse_units(std::string_view text);

/// "1500m", "2", for thousandths of a core; "3Gi", "700Mi", "12345" for bytes: the shortest exact
/// form.
std::string format_milli(std::int64_t milli);
std::string format_bytes(std::int64_t bytes);

}  // namespace gedge
