#include "gedge/latency/pair_stats.hpp"

#include <algorithm>
#include <utility>

namespace gedge {

const PairStats* PairDetails::find(NameIndex from, NameIndex to) const {
  const auto key = [](const PairStats& pair) { return std::pair(raw(pair.from), raw(pair.to)); };
  const std::pair wanted(raw(from), raw(to));
  const auto at =
      std::lower_bound(pairs.begin(), pairs.end(), wanted,
                       [&](const PairStats& pair, const auto& k) { return key(pair) < k; });
  return at != pairs.end() && key(*at) == wanted ? &*at : nullptr;
}

std::uint32_t PairDetails::method(std::string_view name) {
  const auto at = std::find(methods.begin(), methods.end(), name);
  if (at == methods.end()) {
    methods.emplace_back(name);
    return static_cast<std::uint32_t>(methods.size() - 1);
  }
  return static_cast<std::uint32_t>(at - methods.begin());
}

}  // namespace gedge
