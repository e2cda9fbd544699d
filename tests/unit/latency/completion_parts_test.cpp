// What completion is made of, each part against the plainest way to say the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gedge/base/split_mix.hpp"
#include "latency/coordinates.hpp"
#include "latency/links.hpp"
#include "latency/misses.hpp"
#include "latency/nearby.hpp"

namespace gedge {
namespace {

Coordinates scattered(std::size_t count, std::uint64_t seed) {
  SplitMix chance(seed);
  Coordinates nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (double& part : nodes[i].at) part = 20'000 * chance.even();
    nodes[i].height = 100 + 900 * chance.even();
  }
  return nodes;
}

std::vector<Link> some_links(const Coordinates& nodes, std::size_t each, std::uint64_t seed) {
  SplitMix chance(seed);
  std::vector<Link> links;
  for (std::uint32_t a = 1; a < nodes.size(); ++a) {
    for (std::size_t i = 0; i < each; ++i) {
      const auto b = static_cast<std::uint32_t>(chance.below(a));
      const bool twice = std::any_of(links.begin(), links.end(), [a, b](const Link& link) {
        return link.a == a && link.b == b;
      });
      if (!twice) links.push_back({a, b, nodes.between(a, b)});
    }
  }
  return links;
}

TEST_CASE("links: each is seen from both of its ends") {
  const std::vector<Link> all{{2, 0, 5}, {2, 1, 7}};
  const Links links(4, all);
  CHECK(links.nodes() == 4);
  REQUIRE(links.of(2).size() == 2);
  CHECK(links.of(2)[0].node == 0);
  CHECK(links.of(2)[1].value == 7);
  REQUIRE(links.of(0).size() == 1);
  CHECK(links.of(0)[0].node == 2);
  CHECK(links.of(3).empty());
}

TEST_CASE("coordinates: distances are found again from a third of them") {
  const Coordinates truth = scattered(90, 1);
  const std::vector<Link> links = some_links(truth, 20, 2);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Coordinates found = place_nodes(Links(90, links), seed);
    std::vector<double> errors;
    for (std::size_t a = 0; a < 90; ++a)
      for (std::size_t b = 0; b < a; ++b)
        errors.push_back(std::abs(std::log(found.between(a, b) / truth.between(a, b))));
    std::sort(errors.begin(), errors.end());
    CHECK(errors[errors.size() * 95 / 100] < 0.02);
  }
}

TEST_CASE("coordinates: a flat network stays flat, the third axis is given up") {
  Coordinates truth = scattered(120, 5);
  for (std::size_t i = 0; i < 120; ++i) truth[i].at[2] = 0;
  std::vector<Link> links = some_links(truth, 24, 2);
  SplitMix chance(3);
  for (Link& link : links) link.value *= 0.95 + 0.1 * chance.even();
  const Coordinates found = place_nodes(Links(120, links), 1);
  // Volume of the cloud against that of a cube: the determinant of the covariance.
  double c[3][3] = {}, mean[3] = {};
  for (std::size_t i = 0; i < 120; ++i)
    for (int k = 0; k < 3; ++k) mean[k] += found[i].at[static_cast<std::size_t>(k)] / 120;
  for (std::size_t i = 0; i < 120; ++i)
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        c[k][l] += (found[i].at[static_cast<std::size_t>(k)] - mean[k]) *
                   (found[i].at[static_cast<std::size_t>(l)] - mean[l]) / 120;
  const double volume = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                        c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                        c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
  const double side = (c[0][0] + c[1][1] + c[2][2]) / 3;
  CHECK(volume < 1e-4 * side * side * side);
}

TEST_CASE("coordinates: settling follows links that changed a little") {
  Coordinates nodes = scattered(60, 4);
  std::vector<Link> links = some_links(nodes, 16, 1);
  const auto off = [&] {
    double sum = 0;
    for (const Link& link : links)
      sum += std::abs(std::log(link.value / nodes.between(link.a, link.b)));
    return sum / static_cast<double>(links.size());
  };
  for (Link& link : links) link.value *= 1.1;  // all is farther apart
  const double before = off();
  settle_nodes(nodes, Links(60, links));
  CHECK(before > 0.09);
  CHECK(off() < 0.03);
}

TEST_CASE("nearby: itself first, then by distance, weights falling") {
  const Coordinates nodes = scattered(80, 1);
  const Nearby near(nodes);
  for (std::size_t node = 0; node < 80; ++node) {
    const auto list = near.of(node);
    REQUIRE(list.size() > 4);
    CHECK(list.size() <= 25);
    CHECK(list[0].node == node);
    CHECK(list[0].weight == 1);
    for (std::size_t i = 2; i < list.size(); ++i) {
      CHECK(nodes.way(node, list[i - 1].node) <= nodes.way(node, list[i].node));
      CHECK(list[i - 1].weight >= list[i].weight);
    }
    CHECK(near.weight(node, list[2].node) == list[2].weight);
  }
  CHECK(Nearby(Coordinates(1)).of(0).size() == 1);
}

TEST_CASE("nearby: sums over pairs are those of four loops, with and without the pair itself") {
  const Coordinates nodes = scattered(40, 1);
  const Nearby near(nodes);
  const std::vector<Link> known = some_links(nodes, 6, 1);
  const Links links(40, known);
  PairSums sums(near, links);
  const auto by_hand = [&](std::uint32_t a, std::uint32_t b, bool with) {
    double value = 0, weight = 0;
    for (const Link& link : known) {
      if (!with && ((link.a == a && link.b == b) || (link.a == b && link.b == a))) continue;
      const double w = near.weight(a, link.a) * near.weight(b, link.b) +
                       near.weight(a, link.b) * near.weight(b, link.a);
      value += w * link.value;
      weight += w;
    }
    return std::pair(value, weight);
  };
  for (std::uint32_t a = 0; a < 40; ++a) {
    sums.turn_to(a);
    for (std::uint32_t b = 0; b < 40; ++b) {
      if (a == b) continue;
      const auto [value, weight] = by_hand(a, b, true);
      CHECK(sums.of(b).value == doctest::Approx(value).epsilon(1e-4));
      CHECK(sums.of(b).weight == doctest::Approx(weight).epsilon(1e-4));
    }
  }
  for (const Link& link : known) {
    sums.turn_to(link.a);
    const auto [value, weight] = by_hand(link.a, link.b, false);
    const PairSums::Sum found = sums.without(link.b, link.value);
    CHECK(found.weight == doctest::Approx(weight).epsilon(1e-3));
    CHECK(std::abs(found.value - value) < 1e-3 * (std::abs(value) + link.value));
  }
}

TEST_CASE("nearby: a mean of little leans on what it is told") {
  CHECK(PairSums::Sum{}.mean(2, 7) == 7);
  CHECK(PairSums::Sum{6, 2}.mean(0) == 3);
  CHECK(PairSums::Sum{6, 2}.mean(2, 1) == 2);
}

TEST_CASE("misses: bounds leave out the share that they were asked to, each side") {
  // Sizes of misses that differ a hundredfold by estimate: bounds follow.
  const Coordinates nodes = scattered(200, 1);
  const Nearby near(nodes);
  SplitMix chance(7);
  const auto miss_of = [&](std::uint32_t a, std::uint32_t b) {
    const double estimate = 5 + 5 * chance.even();
    const double size = estimate < 7 ? 0.5 : 0.005;
    const double off = size * (chance.even() + chance.even() - 1);
    return Miss{a, b, estimate, off, off};
  };
  std::vector<Miss> learned, later;
  for (std::uint32_t a = 0; a < 200; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      (chance.below(4) == 0 ? learned : later).push_back(miss_of(a, b));
  MissModel model(learned, near, 0.05);
  std::size_t above = 0, below = 0, wide = 0, narrow = 0;
  std::uint32_t turned = 200;
  for (const Miss& miss : later) {
    if (miss.a != turned) model.turn_to(turned = miss.a);
    const auto [lower, upper] = model.factors(miss.b, std::exp(miss.estimate));
    CHECK(lower <= 1);
    CHECK(upper >= 1);
    above += miss.high > std::log(upper) ? 1 : 0;
    below += miss.low < std::log(lower) ? 1 : 0;
    wide += miss.estimate < 6.8 && upper > 1.2 ? 1 : 0;
    narrow += miss.estimate > 7.2 && upper < 1.02 ? 1 : 0;
  }
  CHECK(static_cast<double>(above) < 0.06 * static_cast<double>(later.size()));
  CHECK(static_cast<double>(above) > 0.04 * static_cast<double>(later.size()));
  CHECK(static_cast<double>(below) < 0.06 * static_cast<double>(later.size()));
  CHECK(static_cast<double>(below) > 0.04 * static_cast<double>(later.size()));
  CHECK(static_cast<double>(wide + narrow) > 0.8 * static_cast<double>(later.size()));
}

}  // namespace
}  // namespace gedge
