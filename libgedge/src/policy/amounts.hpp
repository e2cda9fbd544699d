// policy/amounts.hpp - arithmetic on amounts that may be as large as int64, and what names of
// resources mean.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "gedge/effect/reason.hpp"

namespace gedge {

__extension__ using Wide = __int128;  // products of amounts

inline constexpr std::int64_t kMaxAmount = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMaxScore = 100;

/// Both at least 0; the sum stops at the largest amount.
constexpr std::int64_t add_amounts(std::int64_t a, std::int64_t b) {
  return a > kMaxAmount - b ? kMaxAmount : a + b;
}

/// idiv(100 * part, whole) for 0 <= part <= whole, whole > 0, without overflow.
constexpr std::int64_t percent_of(std::int64_t part, std::int64_t whole) {
  if (part <= kMaxAmount / kMaxScore) return part * kMaxScore / whole;
  return static_cast<std::int64_t>(Wide{part} * kMaxScore / whole);
}

/// Source: k8s.io/kubernetes/pkg/apis/core/v1/helper IsExtendedResourceName, without the check of
/// the name's syntax, which the API server has done.
constexpr bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos && !name.starts_with("requests.");
}

/// Source: IsScalarResourceName of the same package: what the scheduler counts beyond cpu, memory,
/// ephemeral-storage and pods.
constexpr bool is_scalar_resource(std::string_view name) {
  return is_extended_resource(name) || name.starts_with("hugepages-") ||
         name.starts_with("attachable-volumes-") ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

constexpr Unit unit_of_resource(std::string_view name) {
  if (name == "cpu") return Unit::kMilliCpu;
  const bool bytes =
      name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-");
  return bytes ? Unit::kBytes : Unit::kCount;
}

}  // namespace gedge
