// Triangles are a product of the matrix with itself in which times are added and the least sum
// counts: to a few rows at once, all rows are added one after the other, many cells at a time.
// Which detour it was is asked only of the few pairs that have one.
#include "gedge/latency/check.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "latency/detours.hpp"

namespace gedge {
namespace {

using latency::kFar;

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

/// `between` of all pairs; kFar where nobody measured, or where it takes as long. The diagonal is
/// kFar, so that no detour goes through an end. Square tiles, for the sake of the cache.
std::vector<std::uint32_t> plain_times(const RttMatrix& matrix) {
  constexpr std::size_t kTile = 64;
  const std::size_t n = matrix.size();
  std::vector<std::uint32_t> times(n * n);
  for (std::size_t top = 0; top < n; top += kTile)
    for (std::size_t left = 0; left < n; left += kTile)
      for (std::size_t i = top; i < std::min(top + kTile, n); ++i)
        for (std::size_t j = left; j < std::min(left + kTile, n); ++j)
          times[i * n + j] = std::min(matrix.between(index_of(i), index_of(j)).us, kFar);
  for (std::size_t i = 0; i < n; ++i) times[i * n + i] = kFar;
  return times;
}

/// As many names as detours through all of them can be looked for, spread evenly.
std::vector<std::uint32_t> spread_vias(std::size_t names, std::uint64_t most_steps) {
  const std::uint64_t pairs = std::uint64_t{names} * names;
  const std::uint64_t count =
      pairs == 0 ? 0 : std::clamp<std::uint64_t>(most_steps / pairs, 1, names);
  std::vector<std::uint32_t> vias(count);
  for (std::uint64_t i = 0; i < count; ++i) vias[i] = static_cast<std::uint32_t>(i * names / count);
  return vias;
}

class Checker {
 public:
  Checker(const RttMatrix& matrix, const PairDetails& details, const CheckOptions& options)
      : matrix_(matrix), details_(details), options_(options) {}

  MatrixCheck check() {
    for (std::size_t i = 0; i < matrix_.size(); ++i)
      for (std::size_t j = i + 1; j < matrix_.size(); ++j) check_pair(index_of(i), index_of(j));
    if (wants(Oddity::kTriangle)) check_triangles();
    check_details();
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](const Finding& a, const Finding& b) {
                       return std::tuple(a.oddity, raw(a.from), raw(a.to)) <
                              std::tuple(b.oddity, raw(b.from), raw(b.to));
                     });
    return std::move(out_);
  }

 private:
  bool wants(Oddity oddity) const { return options_.wanted[static_cast<std::size_t>(oddity)]; }

  /// Counts one more of that kind; false if it is not to be kept.
  bool takes(Oddity oddity) {
    if (!wants(oddity)) return false;
    return ++out_.counts[static_cast<std::size_t>(oddity)] <= options_.most_of_a_kind;
  }

  void add(const Finding& finding) {
    if (takes(finding.oddity)) out_.findings.push_back(finding);
  }

  void check_pair(NameIndex a, NameIndex b) {
    const Rtt there = matrix_.at(a, b), back = matrix_.at(b, a);
    if (there == back) {
      if (there == kUnmeasured && takes(Oddity::kGap))
        out_.findings.push_back({Oddity::kGap, a, b, there, back, {}, kNever, was_lost(a, b)});
      return;
    }
    const bool backwards = back < there;  // kUnmeasured is the largest
    const NameIndex from = backwards ? b : a, to = backwards ? a : b;
    const Rtt less = std::min(there, back), more = std::max(there, back);
    if (more == kUnmeasured)
      add({Oddity::kOneWay, from, to, less, more, {}, kNever, was_lost(to, from)});
    else if (exceeds(more, less, options_))
      add({Oddity::kAsymmetric, from, to, less, more});
  }

  bool was_lost(NameIndex a, NameIndex b) const {
    constexpr std::uint32_t kAll = 1'000'000;
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      if (const PairStats* pair = details_.find(from, to);
          pair != nullptr && pair->loss_ppm == kAll)
        return true;
    return false;
  }

  void check_triangles() {
    constexpr std::size_t kRows = 8;  // at once: what a via leads to is in the cache then
    const std::size_t n = matrix_.size();
    times_ = plain_times(matrix_);
    vias_ = spread_vias(n, options_.most_steps);
    out_.vias = vias_.size();
    std::vector<std::uint32_t> shortest(kRows * n);
    for (std::size_t first = 0; first < n; first += kRows) {
      const std::size_t rows = std::min(kRows, n - first);
      const auto all = std::span(shortest).first(rows * n);
      latency::shortest_detours(times_, first, rows, vias_, all);
      for (std::size_t row = 0; row < rows; ++row)
        check_detours(first + row, all.subspan(row * n, n));
    }
  }

  void check_detours(std::size_t from, std::span<const std::uint32_t> shortest) {
    const std::size_t n = matrix_.size();
    for (std::size_t to = from + 1; to < n; ++to) {
      const Rtt direct = matrix_.between(index_of(from), index_of(to)), detour{shortest[to]};
      if (direct == kUnmeasured || detour.us >= kFar || !exceeds(direct, detour, options_))
        continue;
      if (!takes(Oddity::kTriangle)) continue;
      const std::uint32_t *there = times_.data() + from * n, *back = times_.data() + to * n;
      const auto via = std::find_if(vias_.begin(), vias_.end(), [&](std::uint32_t name) {
        return there[name] + back[name] == detour.us;
      });
      out_.findings.push_back(
          {Oddity::kTriangle, index_of(from), index_of(to), direct, detour, NameIndex{*via}});
    }
  }

  void check_details() {
    for (const PairStats& pair : details_.pairs) {
      const Rtt rtt = matrix_.at(pair.from, pair.to);
      if (pair.suspicious) add({Oddity::kSuspicious, pair.from, pair.to, rtt});
      if (!options_.max_age || !options_.now || pair.measured_at == kNever) continue;
      const std::chrono::seconds age{*options_.now - pair.measured_at};
      if (age >= -kMostAhead && age <= *options_.max_age) continue;
      Finding finding{Oddity::kStale, pair.from, pair.to, rtt};
      finding.measured_at = pair.measured_at;
      add(finding);
    }
  }

  const RttMatrix& matrix_;
  const PairDetails& details_;
  const CheckOptions& options_;
  std::vector<std::uint32_t> times_, vias_;
  MatrixCheck out_;
};

}  // namespace

std::string_view to_string(Oddity oddity) {
  constexpr std::array<std::string_view, kOddities> names{"gap",      "one-way", "asymmetric",
                                                          "triangle", "stale",   "suspicious"};
  return names[static_cast<std::size_t>(oddity)];
}

bool exceeds(Rtt larger, Rtt smaller, const CheckOptions& options) {
  if (larger <= smaller) return false;
  const std::uint64_t extra = larger.us - smaller.us;
  return Micros(extra) > options.at_least &&
         extra * 100 > std::uint64_t{smaller.us} * options.tolerance_percent;
}

bool MatrixCheck::is_odd() const {
  return std::any_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count > 0; });
}

MatrixCheck check_matrix(const RttMatrix& matrix, const PairDetails& details,
                         const CheckOptions& options) {
  return Checker(matrix, details, options).check();
}

}  // namespace gedge
