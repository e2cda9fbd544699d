// The parts of an amount as written, and what they are worth in a fixed unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gedge/base/quantity.hpp"

namespace gedge {

struct QuantityText {
  bool negative = false;
  bool has_digits = false;    ///< at least one, leading zeros count
  std::string_view whole;     ///< digits before the point, leading zeros stripped
  std::string_view fraction;  ///< digits behind the point
  QuantityFormat format = QuantityFormat::kDecimalSI;
  std::int32_t exponent = 0;  ///< of 2 for kBinarySI, else of 10
};

/// Splits `text`; empty where its form is wrong. Cost: O(length), no allocation.
std::optional<QuantityText> scan_quantity(std::string_view text);

/// True if Kubernetes holds the amount in an int64 with a decimal scale, not in a big decimal.
bool fits_int64_amount(const QuantityText& text);

/// Magnitude of a binary amount: whole units and billionths, rounded up, capped at 2^63-1.
struct BinaryAmount {
  std::uint64_t whole = 0;
  std::uint64_t nano = 0;  ///< below 10^9
};
BinaryAmount binary_amount(const QuantityText& text);

/// The amount times 10^`shift`, rounded away from zero; empty where it leaves int64. `shift` is 0
/// or 3.
std::optional<std::int64_t> scaled_value(const QuantityText& text, int shift);

}  // namespace gedge
