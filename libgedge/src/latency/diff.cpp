#include "gedge/latency/diff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace gedge {
namespace {

constexpr std::int64_t kStandardErrors = 3;
constexpr std::int64_t kThousand = 1000;
constexpr std::int64_t kZ95 = 1645;  // the 95th percentile of a normal distribution, in thousandths

/// The standard deviation of the samples.
std::optional<Micros> spread_of(const PairStats& pair) {
  if (pair.mdev != kUnmeasured) return Micros(pair.mdev.us);
  if (pair.p50 == kUnmeasured || pair.p95 == kUnmeasured || pair.p95 < pair.p50)
    return std::nullopt;
  return Micros(std::int64_t{pair.p95.us - pair.p50.us} * kThousand / kZ95);
}

/// What the error of a mean is multiplied with for the statistic that has this value, in
/// thousandths; 0 for none.
std::int64_t factor_of(const PairStats& pair, Rtt value) {
  const std::array<std::pair<Rtt, std::int64_t>, 4> factors{
      {{pair.mean, 1000}, {pair.p50, 1253}, {pair.p95, 2113}, {pair.p99, 3733}}};
  for (const auto& [statistic, factor] : factors)
    if (statistic == value) return factor;
  return 0;
}

std::optional<Micros> margin_of(const PairStats* before, Rtt was, const PairStats* after, Rtt is) {
  if (before == nullptr || after == nullptr) return std::nullopt;
  const auto first = standard_error(*before, was), second = standard_error(*after, is);
  if (!first || !second) return std::nullopt;
  const double both =
      std::hypot(static_cast<double>(first->count()), static_cast<double>(second->count()));
  return Micros(kStandardErrors * static_cast<std::int64_t>(std::ceil(both)));
}

/// Rows of the names that both have, in name order.
std::vector<std::pair<NameIndex, NameIndex>> common_names(const RttMatrix& a, const RttMatrix& b) {
  std::vector<std::pair<NameIndex, NameIndex>> common;
  for (std::uint32_t i = 0; i < a.size(); ++i)
    if (const auto other = b.find(a.name(NameIndex{i}))) common.emplace_back(NameIndex{i}, *other);
  return common;
}

std::vector<std::string> names_missing(const RttMatrix& from, const RttMatrix& in) {
  std::vector<std::string> missing;
  std::set_difference(in.names().begin(), in.names().end(), from.names().begin(),
                      from.names().end(), std::back_inserter(missing));
  return missing;
}

}  // namespace

std::string_view to_string(PairChange change) {
  constexpr std::array<std::string_view, 3> names{"appeared", "vanished", "moved"};
  return names[static_cast<std::size_t>(change)];
}

std::string_view to_string(Significance significance) {
  constexpr std::array<std::string_view, 3> names{"noise", "unknown", "real"};
  return names[static_cast<std::size_t>(significance)];
}

bool MatrixDifference::differs() const {
  return !added.empty() || !removed.empty() ||
         std::any_of(pairs.begin(), pairs.end(), [](const PairDifference& pair) {
           return pair.significance != Significance::kNoise;
         });
}

std::optional<Micros> standard_error(const PairStats& pair, Rtt value) {
  if (pair.estimated || pair.samples == kNotKnown || pair.samples < 2 || value == kUnmeasured)
    return std::nullopt;
  const auto spread = spread_of(pair);
  const std::int64_t factor = factor_of(pair, value);
  if (!spread || factor == 0) return std::nullopt;
  const double error = static_cast<double>(spread->count() * factor) /
                       (static_cast<double>(kThousand) * std::sqrt(pair.samples));
  return Micros(static_cast<std::int64_t>(std::ceil(error)));
}

MatrixDifference diff_matrices(const KnownMatrix& before, const KnownMatrix& after) {
  MatrixDifference difference;
  difference.added = names_missing(before.matrix, after.matrix);
  difference.removed = names_missing(after.matrix, before.matrix);
  const auto common = common_names(before.matrix, after.matrix);
  for (const auto& from : common)
    for (const auto& to : common) {
      const Rtt was = before.matrix.at(from.first, to.first);
      const Rtt is = after.matrix.at(from.second, to.second);
      if (was == is) {
        if (was != kUnmeasured && from != to) ++difference.same;
        continue;
      }
      PairDifference pair{before.matrix.name(from.first), before.matrix.name(to.first)};
      pair.before = was;
      pair.after = is;
      pair.change = was == kUnmeasured  ? PairChange::kAppeared
                    : is == kUnmeasured ? PairChange::kVanished
                                        : PairChange::kMoved;
      if (pair.change == PairChange::kMoved) {
        pair.margin = margin_of(before.details.find(from.first, to.first), was,
                                after.details.find(from.second, to.second), is);
        const std::int64_t moved = was < is ? is.us - was.us : was.us - is.us;
        pair.significance = !pair.margin                   ? Significance::kUnknown
                            : Micros(moved) > *pair.margin ? Significance::kReal
                                                           : Significance::kNoise;
      }
      difference.pairs.push_back(std::move(pair));
    }
  return difference;
}

}  // namespace gedge
