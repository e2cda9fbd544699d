// gedge/base/units.hpp - quantities that the compiler refuses to mix up.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace gedge {

using Micros = std::chrono::duration<std::int64_t, std::micro>;

/// Round-trip time, whole microseconds, as it lies in a matrix: 4 bytes a pair, never negative.
struct Rtt {
  std::uint32_t us = 0;
  friend constexpr auto operator<=>(Rtt, Rtt) = default;
};

/// "Nobody measured it" is not zero: it is worse than every budget.
inline constexpr Rtt kUnmeasured{std::numeric_limits<std::uint32_t>::max()};
/// Longest RTT that can be written down: 71 minutes. Readers refuse more.
inline constexpr Rtt kMaxRtt{std::numeric_limits<std::uint32_t>::max() - 1};

/// Seconds since 1970-01-01T00:00:00Z; kNever where an object carries no such time.
using UnixSeconds = std::int64_t;
inline constexpr UnixSeconds kNever = std::numeric_limits<UnixSeconds>::max();

/// Slot of a node in one ClusterState. A slot never moves while its node exists; `rank` gives name
/// order.
enum class NodeIndex : std::uint32_t {};
constexpr std::uint32_t raw(NodeIndex n) { return static_cast<std::uint32_t>(n); }
inline constexpr NodeIndex kNoNode{std::numeric_limits<std::uint32_t>::max()};

/// The Kubernetes minor whose formulas, defaults and policy names are meant.
enum class Compat : std::uint8_t { k1_20, k1_36 };

}  // namespace gedge
