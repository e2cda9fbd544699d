// gedge/latency/check.hpp - what is odd about a matrix: gaps, directions that contradict each
// other, detours that are faster than the direct way, samples that are too old.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge {

enum class Oddity : std::uint8_t {
  kGap,         ///< neither direction was measured
  kOneWay,      ///< only `from` to `to` was measured
  kAsymmetric,  ///< `to` to `from` takes longer by more than the tolerance
  kTriangle,    ///< the way over `via` is shorter by more than the tolerance
  kStale,       ///< measured longer ago than the largest age, or by its date not yet
  kSuspicious,  ///< who measured or merged it said so
};
inline constexpr std::size_t kOddities = 6;
/// "gap", "one-way", "asymmetric", "triangle", "stale", "suspicious".
std::string_view to_string(Oddity oddity);

struct Finding {
  Oddity oddity{};
  NameIndex from{}, to{};
  Rtt rtt = kUnmeasured;    ///< what the matrix says of the pair
  Rtt other = kUnmeasured;  ///< of the other direction, or of the detour
  std::optional<NameIndex> via = {};
  UnixSeconds measured_at = kNever;  ///< of stale pairs
  bool lost = false;                 ///< of gaps: it was probed, and nothing came back
};

struct CheckOptions {
  /// Oddly much is more than that share and more than that time. A round trip takes the same way in
  /// both directions, so what differs is noise: a fifth is beyond it on links that are not idle,
  /// and below a millisecond no budget tells the difference.
  std::uint32_t tolerance_percent = 20;
  Micros at_least{1'000};
  std::optional<Micros> max_age = {};  ///< together with `now`; else nothing is stale
  std::optional<UnixSeconds> now = {};
  /// By Oddity: which kinds are looked for.
  std::array<bool, kOddities> wanted{true, true, true, true, true, true};
  /// More of one kind are counted, but not kept.
  std::size_t most_of_a_kind = 1'000'000;
  /// Additions that looking for detours may take: those of all detours among 4,600 names.
  std::uint64_t most_steps = 100'000'000'000;
};

struct MatrixCheck {
  std::vector<Finding> findings;  ///< by kind and then by name
  /// By Oddity: all that there are, kept or not.
  std::array<std::uint64_t, kOddities> counts{};
  /// Names that detours were looked for through: all of them, or where most_steps does not allow
  /// that, some that are spread evenly; triangles over the others are not found then. 0: they were
  /// not asked for.
  std::size_t vias = 0;

  bool is_odd() const;
};

/// Findings of both directions count once, from the lower name or from the direction that is meant.
/// Of each pair the fastest detour only: `between` on all three sides, and none longer than 35
/// minutes. Cost: O(N^3 / 8) steps for triangles, up to most_steps / 8; 4 N^2 bytes.
MatrixCheck check_matrix(const RttMatrix& matrix, const PairDetails& details,
                         const CheckOptions& options);

/// True if `larger` exceeds `smaller` by more than the options tolerate.
bool exceeds(Rtt larger, Rtt smaller, const CheckOptions& options);

}  // namespace gedge
