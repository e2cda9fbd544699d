#include "gedge/latency/material_change.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

namespace gedge {
namespace {

struct Known {
  Rtt rtt = kUnmeasured;
  UnixSeconds measured_at = kNever;
  bool is_told = false, is_suspicious = false;
};

Known known_of(const RttMatrix& matrix, const PairDetails& details, std::optional<NameIndex> from,
               std::optional<NameIndex> to) {
  Known known;
  if (!from || !to) return known;
  const PairStats* const stats = details.find(*from, *to);
  known.rtt = matrix.at(*from, *to);
  known.is_told = stats != nullptr || known.rtt != kUnmeasured;
  if (stats == nullptr) return known;
  known.measured_at = stats->measured_at;
  known.is_suspicious = stats->suspicious;
  return known;
}

bool has_moved(Rtt then, Rtt now, const MaterialChange& bounds) {
  if (then == kUnmeasured || now == kUnmeasured) return then != now;
  const std::int64_t moved = std::abs(std::int64_t{then.us} - std::int64_t{now.us});
  return moved > bounds.least.us && moved * 1'000 > std::int64_t{then.us} * bounds.permille;
}

bool differs(const Known& then, const Known& now, const MaterialChange& bounds) {
  if (then.is_told != now.is_told || then.is_suspicious != now.is_suspicious) return true;
  if (has_moved(then.rtt, now.rtt, bounds)) return true;
  if (now.measured_at == kNever) return false;
  if (then.measured_at == kNever) return true;
  // A clock that was ahead has told a time that would stay young until it comes.
  if (then.measured_at - now.measured_at > kMostAhead.count()) return true;
  return now.measured_at - then.measured_at >= bounds.seconds;
}

}  // namespace

bool is_material(NameIndex from, const RttMatrix& now, const PairDetails& details,
                 const RttMatrix& then, const PairDetails& details_then,
                 const MaterialChange& bounds) {
  const auto before = then.find(now.name(from));
  for (std::uint32_t i = 0; i < now.size(); ++i) {
    const NameIndex to{i};
    if (to == from) continue;
    if (differs(known_of(then, details_then, before, then.find(now.name(to))),
                known_of(now, details, from, to), bounds))
      return true;
  }
  if (!before) return false;
  for (std::uint32_t i = 0; i < then.size(); ++i) {
    const NameIndex to{i};
    if (to == *before || now.find(then.name(to))) continue;
    if (known_of(then, details_then, before, to).is_told) return true;
  }
  return false;
}

}  // namespace gedge
