#include "support/latency_space.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "support/dice.hpp"

namespace gedge::test {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kMostNoise = 3;  // deviations

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

/// 0 (included) to 1 (not).
double even(Dice& dice) { return static_cast<double>(dice.next() >> 11U) * 0x1p-53; }
double exponential(Dice& dice, double mean) { return -mean * std::log1p(-even(dice)); }
/// Box and Muller's, one of the two.
double normal(Dice& dice) {
  const double radius = std::sqrt(exponential(dice, 2));
  return radius * std::cos(kTwoPi * even(dice));
}

struct Place {
  double x, y;
};

struct Nodes {
  std::vector<std::size_t> site;
  std::vector<Place> place;
  std::vector<double> access;
};

Nodes scatter(const LatencySpace& space, Dice& dice) {
  std::vector<Place> middles;
  for (std::size_t i = 0; i < space.sites; ++i) {
    const double x = space.plane_ms * even(dice);
    middles.push_back({x, space.plane_ms * even(dice)});
  }
  Nodes nodes;
  for (std::size_t i = 0; i < space.nodes; ++i) {
    nodes.site.push_back(dice.below(space.sites));
    const Place middle = middles[nodes.site.back()];
    const double x = middle.x + space.site_ms * normal(dice);
    nodes.place.push_back({x, middle.y + space.site_ms * normal(dice)});
    nodes.access.push_back(exponential(dice, space.access_ms));
  }
  return nodes;
}

/// A factor for each pair of sites, the same both ways.
std::vector<double> make_detours(const LatencySpace& space, Dice& dice) {
  std::vector<double> detours(space.sites * space.sites, 1);
  for (std::size_t a = 0; a < space.sites; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (even(dice) >= space.detour_share) continue;
      const double factor = 1 + space.detour_most * even(dice);
      detours[a * space.sites + b] = detours[b * space.sites + a] = factor;
    }
  }
  return detours;
}

bool says(const RttMatrix& matrix, std::size_t from, std::size_t to) {
  return matrix.at(index_of(from), index_of(to)) != kUnmeasured;
}

}  // namespace

RttMatrix make_latency_space(const LatencySpace& space) {
  if (space.sites == 0) return {};
  Dice dice(space.seed);
  const Nodes nodes = scatter(space, dice);
  const std::vector<double> detours = make_detours(space, dice);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < space.nodes; ++i) {
    const std::string digits = std::to_string(i);
    names.push_back("n" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits);
  }
  RttMatrix matrix(std::move(names));
  for (std::size_t a = 0; a < space.nodes; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double way =
          std::hypot(nodes.place[a].x - nodes.place[b].x, nodes.place[a].y - nodes.place[b].y);
      const double detour = detours[nodes.site[a] * space.sites + nodes.site[b]];
      const double noise = std::clamp(normal(dice), -kMostNoise, kMostNoise);
      const double ms =
          (way * detour + nodes.access[a] + nodes.access[b]) * (1 + space.noise * noise);
      const Rtt rtt{static_cast<std::uint32_t>(std::lround(1000 * ms))};
      matrix.set(index_of(a), index_of(b), rtt);
      matrix.set(index_of(b), index_of(a), rtt);
    }
  }
  return matrix;
}

RttMatrix show_some(const RttMatrix& truth, std::size_t count, std::uint64_t seed) {
  Dice dice(seed);
  RttMatrix shown(truth.names());
  for (std::size_t from = 0; from < truth.size(); ++from) {
    std::vector<std::size_t> known;
    for (std::size_t to = 0; to < truth.size(); ++to)
      if (to != from && (says(truth, from, to) || says(truth, to, from))) known.push_back(to);
    for (const std::size_t to : dice.some(known, count)) {
      const bool there = says(truth, from, to);
      const NameIndex a = index_of(there ? from : to), b = index_of(there ? to : from);
      shown.set(a, b, truth.at(a, b));
    }
  }
  return shown;
}

std::vector<Cell> hidden_cells(const RttMatrix& truth, const RttMatrix& shown) {
  std::vector<Cell> cells;
  for (std::size_t from = 0; from < truth.size(); ++from)
    for (std::size_t to = 0; to < truth.size(); ++to)
      if (from != to && says(truth, from, to) && !says(shown, from, to) && !says(shown, to, from))
        cells.push_back({index_of(from), index_of(to)});
  return cells;
}

}  // namespace gedge::test
