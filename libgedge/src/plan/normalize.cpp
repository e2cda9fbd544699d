// plan/normalize.cpp
#include "plan/normalize.hpp"

#include <algorithm>
#include <array>

namespace gedge {
namespace {

constexpr std::int64_t kMaxScore = 100;
__extension__ using Wide = __int128;  // 100 * raw leaves int64 for raw scores in bytes
// Three of them and a factor of 100 stay within int64, which divides in a third of the time.
constexpr std::int64_t kNarrow = std::int64_t{1} << 54;

bool is_narrow(std::int64_t score) { return score >= -kNarrow && score <= kNarrow; }

std::int64_t share(std::int64_t part, std::int64_t whole) {
  if (is_narrow(part)) return kMaxScore * part / whole;
  return static_cast<std::int64_t>(Wide{kMaxScore} * part / whole);
}

std::int64_t spread(std::int64_t score, ScoreRange range) {
  if (is_narrow(score) && is_narrow(range.min) && is_narrow(range.max))
    return kMaxScore * (range.max + range.min - score) / range.max;
  return static_cast<std::int64_t>(Wide{kMaxScore} * (Wide{range.max} + range.min - score) /
                                   range.max);
}

ScoreRange range_of(const NodeMask& feasible, const std::vector<std::int64_t>& scores) {
  ScoreRange range{kNoBound, std::numeric_limits<std::int64_t>::min()};
  feasible.for_each([&](NodeIndex n) {
    const std::int64_t score = scores[raw(n)];
    if (score == kIgnored) return;
    range.min = std::min(range.min, score);
    range.max = std::max(range.max, score);
  });
  return range.min > range.max ? ScoreRange{} : range;
}

// Scores of domains and images come in few values, and a division takes longer than to find one
// again.
class Remembered {
 public:
  Remembered() {
    for (std::size_t i = 0; i < kPlaces; ++i)
      entries_[i].score = static_cast<std::int64_t>(i) + 1;  // belongs elsewhere
  }

  template <typename F>
  std::int64_t of(std::int64_t score, F&& work_out) {
    Entry& entry = entries_[static_cast<std::uint64_t>(score) % kPlaces];
    if (entry.score != score) entry = {score, work_out()};
    return entry.result;
  }

 private:
  struct Entry {
    std::int64_t score = 0, result = 0;
  };
  static constexpr std::size_t kPlaces = 64;
  std::array<Entry, kPlaces> entries_;
};

std::int64_t between(std::int64_t score, ScoreRange range) {
  if (range.max == range.min) return 0;
  const double above = static_cast<double>(score - range.min);
  return static_cast<std::int64_t>(100.0 * (above / static_cast<double>(range.max - range.min)));
}

}  // namespace

ScoreRange widened(Normalize how, ScoreRange range) {
  // Upstream starts the maximum at 0 everywhere but in 1.36's MinMax.
  if (how != Normalize::kMinMax) range.max = std::max<std::int64_t>(range.max, 0);
  if (how == Normalize::kMinMaxZero) range.min = std::min<std::int64_t>(range.min, 0);
  return range;
}

std::int64_t normalized(Normalize how, std::int64_t score, ScoreRange range) {
  if (score == kIgnored) return 0;
  switch (how) {
    case Normalize::kNone:
    case Normalize::kOwn:
      return score;
    case Normalize::kMax:
      return range.max == 0 ? score : share(score, range.max);
    case Normalize::kMaxReverse:
      return range.max == 0 ? kMaxScore : kMaxScore - share(score, range.max);
    case Normalize::kMinMax:
    case Normalize::kMinMaxZero:
      return between(score, range);
    case Normalize::kSpread:
      return range.max == 0 ? kMaxScore : spread(score, range);
  }
  return score;
}

std::int64_t normalized_alone(Normalize how, std::int64_t score) {
  const ScoreRange range = score == kIgnored ? ScoreRange{} : ScoreRange{score, score};
  return normalized(how, score, widened(how, range));
}

void normalize(Normalize how, const NodeMask& feasible, std::vector<std::int64_t>& scores) {
  const ScoreRange range = widened(how, range_of(feasible, scores));
  Remembered known;
  feasible.for_each([&](NodeIndex n) {
    std::int64_t& score = scores[raw(n)];
    score = known.of(score, [&] { return normalized(how, score, range); });
  });
}

}  // namespace gedge
