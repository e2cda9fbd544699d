#include "support/lying_agents.hpp"

#include <algorithm>
#include <cmath>

#include "support/dice.hpp"
#include "support/latency_space.hpp"

namespace gedge::test {
namespace {

constexpr double kNoise = 0.02;
constexpr double kMostNoise = 2;  // times that: evenly between
constexpr double kMedianUs = 25'000;

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

double even(Dice& dice) { return static_cast<double>(dice.next() >> 11U) * 0x1p-53; }

double lie_of(Lie how, const Reports& all, std::size_t from, std::size_t to, Dice& dice) {
  const double truth = all.truth.at(at(from), at(to)).us;
  switch (how) {
    case Lie::kArbitrary:
      return 4 * kMedianUs * even(dice);
    case Lie::kTiny:
      return 100;
    case Lie::kTenth:
      return truth / 10;
    case Lie::kHalf:
      return truth / 2;
    case Lie::kTriple:
      return 3 * truth;
    case Lie::kShuffled:
      return all.truth.at(at(from), at(dice.below(all.truth.size()))).us;
    case Lie::kTogether:
      return all.lies[to] ? 200 : 500;
    case Lie::kThird:
      return dice.below(3) == 0 ? 100 : truth;
  }
  return truth;
}

}  // namespace

std::string_view to_string(Lie lie) {
  constexpr std::string_view kNames[] = {"anything", "0.1 ms",   "a tenth",       "half",
                                         "triple",   "shuffled", "one for other", "each third"};
  return kNames[static_cast<std::size_t>(lie)];
}

Reports make_reports(std::size_t nodes, std::size_t percent, const std::vector<Lie>& how,
                     std::uint64_t seed) {
  LatencySpace space;
  space.nodes = nodes;
  space.sites = 12;
  space.seed = seed;
  Reports all{make_latency_space(space), {}, std::vector<bool>(nodes, false)};
  all.reports = RttMatrix(all.truth.names());
  Dice dice(seed + 1);
  std::vector<std::size_t> order(nodes);
  for (std::size_t i = 0; i < nodes; ++i) order[i] = i;
  for (const std::size_t liar : dice.some(order, nodes * percent / 100)) all.lies[liar] = true;
  for (std::size_t from = 0; from < nodes; ++from) {
    const Lie own = dice.pick(how);
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const double noise = 1 + kNoise * kMostNoise * (2 * even(dice) - 1);
      const double us = all.lies[from] ? lie_of(own, all, from, to, dice)
                                       : all.truth.at(at(from), at(to)).us * noise;
      all.reports.set(at(from), at(to), Rtt{static_cast<std::uint32_t>(std::lround(us))});
    }
  }
  return all;
}

RttMatrix average(const RttMatrix& reports) {
  RttMatrix averages = reports;
  for (std::size_t a = 0; a < reports.size(); ++a) {
    for (std::size_t b = 0; b < reports.size(); ++b) {
      const Rtt there = reports.at(at(a), at(b)), back = reports.at(at(b), at(a));
      if (a == b || there == kUnmeasured || back == kUnmeasured) continue;
      averages.set(at(a), at(b), Rtt{there.us / 2 + back.us / 2});
    }
  }
  return averages;
}

double wrong_choices(const RttMatrix& truth, const RttMatrix& matrix) {
  constexpr double kTolerance = 1.1;
  std::size_t wrong = 0;
  for (std::size_t from = 0; from < truth.size(); ++from) {
    Rtt best = kUnmeasured, near = kUnmeasured;
    std::size_t chosen = from;
    for (std::size_t to = 0; to < truth.size(); ++to) {
      if (to == from) continue;
      best = std::min(best, truth.at(at(from), at(to)));
      if (matrix.between(at(from), at(to)) >= near) continue;
      near = matrix.between(at(from), at(to));
      chosen = to;
    }
    const bool is_right =
        chosen != from && truth.at(at(from), at(chosen)).us <= kTolerance * best.us;
    wrong += is_right ? 0 : 1;
  }
  return static_cast<double>(wrong) / static_cast<double>(truth.size());
}

}  // namespace gedge::test
