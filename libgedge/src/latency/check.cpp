// Triangles are a product of the matrix with itself in which times are added and the least sum
// counts: for every row, all rows are added to it one after the other, many cells at a time. Which
// detour it was is asked only of the few pairs that have one.
#include "gedge/latency/check.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "latency/detours.hpp"

namespace gedge {
namespace {

using latency::kFar;

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

/// `between` of all pairs; kFar where nobody measured, or where it takes as long. The diagonal is
/// kFar, so that no detour goes through an end.
std::vector<std::uint32_t> plain_times(const RttMatrix& matrix) {
  const std::size_t n = matrix.size();
  std::vector<std::uint32_t> times(n * n, kFar);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      times[i * n + j] = times[j * n + i] =
          std::min(matrix.between(index_of(i), index_of(j)).us, kFar);
  return times;
}

class Checker {
 public:
  Checker(const RttMatrix& matrix, const PairDetails& details, const CheckOptions& options)
      : matrix_(matrix), details_(details), options_(options) {}

  std::vector<Finding> check() {
    for (std::size_t i = 0; i < matrix_.size(); ++i)
      for (std::size_t j = i + 1; j < matrix_.size(); ++j) check_pair(index_of(i), index_of(j));
    check_triangles();
    check_details();
    std::stable_sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
      return std::tuple(a.oddity, raw(a.from), raw(a.to)) <
             std::tuple(b.oddity, raw(b.from), raw(b.to));
    });
    return std::move(found_);
  }

 private:
  void check_pair(NameIndex a, NameIndex b) {
    const Rtt there = matrix_.at(a, b), back = matrix_.at(b, a);
    if (there == back) {
      if (there == kUnmeasured)
        found_.push_back({Oddity::kGap, a, b, there, back, {}, kNever, was_lost(a, b)});
      return;
    }
    const bool backwards = back < there;  // kUnmeasured is the largest
    const NameIndex from = backwards ? b : a, to = backwards ? a : b;
    const Rtt less = std::min(there, back), more = std::max(there, back);
    if (more == kUnmeasured)
      found_.push_back({Oddity::kOneWay, from, to, less, more, {}, kNever, was_lost(to, from)});
    else if (exceeds(more, less, options_))
      found_.push_back({Oddity::kAsymmetric, from, to, less, more});
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
    const std::size_t n = matrix_.size();
    const std::vector<std::uint32_t> times = plain_times(matrix_);
    std::vector<std::uint32_t> shortest(n);
    for (std::size_t i = 0; i < n; ++i) {
      latency::shortest_detours(times, i, shortest);
      for (std::size_t j = i + 1; j < n; ++j) {
        const Rtt direct = matrix_.between(index_of(i), index_of(j)), detour{shortest[j]};
        if (direct == kUnmeasured || detour.us >= kFar || !exceeds(direct, detour, options_))
          continue;
        std::size_t via = 0;
        while (times[i * n + via] + times[via * n + j] != detour.us) ++via;
        found_.push_back(
            {Oddity::kTriangle, index_of(i), index_of(j), direct, detour, index_of(via)});
      }
    }
  }

  void check_details() {
    for (const PairStats& pair : details_.pairs) {
      const Rtt rtt = matrix_.at(pair.from, pair.to);
      if (pair.suspicious) found_.push_back({Oddity::kSuspicious, pair.from, pair.to, rtt});
      if (!options_.max_age || !options_.now || pair.measured_at == kNever) continue;
      const std::chrono::seconds age{*options_.now - pair.measured_at};
      if (age <= *options_.max_age) continue;
      Finding finding{Oddity::kStale, pair.from, pair.to, rtt};
      finding.measured_at = pair.measured_at;
      found_.push_back(finding);
    }
  }

  const RttMatrix& matrix_;
  const PairDetails& details_;
  const CheckOptions& options_;
  std::vector<Finding> found_;
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

std::vector<Finding> check_matrix(const RttMatrix& matrix, const PairDetails& details,
                                  const CheckOptions& options) {
  return Checker(matrix, details, options).check();
}

}  // namespace gedge
