// Centers against every choice that there is.
#include "gedge/latency/centers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "latency/center_radii.hpp"
#include "support/random_matrix.hpp"

namespace gedge {
namespace {

using Choice = std::vector<NameIndex>;

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

// Pair by pair, no row shared with what is tested.
CentersCost plain_cost(const RttMatrix& matrix, const Choice& chosen) {
  CentersCost cost;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    Rtt nearest = kUnmeasured;
    for (const NameIndex center : chosen)
      nearest = std::min(nearest, raw(center) == i ? Rtt{0} : matrix.between(at(i), center));
    if (nearest == kUnmeasured) {
      ++cost.unreached;
      continue;
    }
    cost.radius = std::max(cost.radius, nearest);
    cost.total_us += nearest.us;
  }
  return cost;
}

auto rank(const CentersCost& cost, CentersGoal goal) {
  const std::uint64_t radius = cost.radius.us;
  return goal == CentersGoal::kRadius ? std::tuple(cost.unreached, radius, cost.total_us)
                                      : std::tuple(cost.unreached, cost.total_us, radius);
}

template <typename F>
void for_each_choice(std::size_t names, std::size_t count, Choice& chosen, F&& visit) {
  if (chosen.size() == count) return visit(chosen);
  for (std::size_t i = chosen.empty() ? 0 : raw(chosen.back()) + 1; i < names; ++i) {
    chosen.push_back(at(i));
    for_each_choice(names, count, chosen, visit);
    chosen.pop_back();
  }
}

// True if giving up any center for any name would not be better.
bool no_exchange_helps(const RttMatrix& matrix, const Centers& centers, CentersGoal goal) {
  for (std::size_t out = 0; out < centers.chosen.size(); ++out)
    for (std::size_t name = 0; name < matrix.size(); ++name) {
      Choice other = centers.chosen;
      if (std::find(other.begin(), other.end(), at(name)) != other.end()) continue;
      other[out] = at(name);
      if (rank(plain_cost(matrix, other), goal) < rank(centers.cost, goal)) return false;
    }
  return true;
}

void check_answer(const RttMatrix& matrix, std::uint32_t count, const Centers& centers) {
  REQUIRE(centers.chosen.size() == std::min<std::size_t>(count, matrix.size()));
  REQUIRE(std::is_sorted(centers.chosen.begin(), centers.chosen.end()));
  REQUIRE(std::adjacent_find(centers.chosen.begin(), centers.chosen.end()) == centers.chosen.end());
  REQUIRE(centers.cost == plain_cost(matrix, centers.chosen));
  REQUIRE(centers.cost == cost_of(matrix, centers.chosen));
  REQUIRE(centers.center_of.size() == matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    Rtt nearest = kUnmeasured;
    NameIndex center = kNoCenter;
    for (const NameIndex one : centers.chosen) {
      const Rtt rtt = raw(one) == i ? Rtt{0} : matrix.between(at(i), one);
      if (rtt >= nearest) continue;
      nearest = rtt;
      center = one;
    }
    REQUIRE(centers.center_of[i] == center);
  }
}

TEST_CASE("centers: near the best of all choices, and never above what is proven") {
  test::Dice dice(11);
  std::size_t best_radius = 0, best_mean = 0, tight = 0, unreached = 0;
  constexpr std::size_t kRounds = 600;
  for (std::size_t round = 0; round < kRounds; ++round) {
    RttMatrix matrix = test::any_matrix(dice, 9);
    if (matrix.empty()) matrix = RttMatrix({"a"});
    const auto count = static_cast<std::uint32_t>(1 + dice.below(4));
    for (const CentersGoal goal : {CentersGoal::kRadius, CentersGoal::kMean}) {
      const Centers centers = find_centers(matrix, count, goal);
      check_answer(matrix, count, centers);
      REQUIRE(centers.is_settled);
      CHECK(no_exchange_helps(matrix, centers, goal));
      auto best = rank(centers.cost, goal);
      Rtt least_radius = centers.cost.radius;
      Choice none;
      for_each_choice(matrix.size(), centers.chosen.size(), none, [&](const Choice& choice) {
        const CentersCost cost = plain_cost(matrix, choice);
        best = std::min(best, rank(cost, goal));
        if (cost.unreached <= centers.cost.unreached)
          least_radius = std::min(least_radius, cost.radius);
      });
      REQUIRE(centers.radius_at_least <= least_radius);
      if (goal == CentersGoal::kRadius) {
        best_radius += rank(centers.cost, goal) == best ? 1 : 0;
        tight += centers.radius_at_least == least_radius ? 1 : 0;
        unreached += centers.cost.unreached;
      } else {
        best_mean += rank(centers.cost, goal) == best ? 1 : 0;
      }
    }
  }
  CHECK(best_radius * 100 >= kRounds * 90);
  CHECK(best_mean * 100 >= kRounds * 90);
  CHECK(tight * 100 >= kRounds * 40);
  CHECK(unreached > 20);
}

TEST_CASE("centers: twice the least radius at most where the triangle inequality holds") {
  test::Dice dice(12);
  for (int round = 0; round < 300; ++round) {
    // On a line: no noise, both directions equal.
    std::vector<std::int64_t> places(2 + dice.below(9));
    for (std::int64_t& place : places) place = dice.between(0, 200);
    test::MatrixShape shape;
    shape.size = places.size();
    shape.is_symmetric = true;
    RttMatrix matrix = test::random_matrix(dice, shape);
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = 0; j < places.size(); ++j)
        matrix.set(at(i), at(j),
                   Rtt{static_cast<std::uint32_t>(std::max(places[i], places[j]) -
                                                  std::min(places[i], places[j]))});
    matrix.note_symmetry();
    const auto count = static_cast<std::uint32_t>(1 + dice.below(3));
    const Centers centers = find_centers(matrix, count, CentersGoal::kRadius);
    Rtt least = centers.cost.radius;
    Choice none;
    for_each_choice(places.size(), centers.chosen.size(), none, [&](const Choice& choice) {
      least = std::min(least, plain_cost(matrix, choice).radius);
    });
    CHECK(centers.cost.radius.us <= 2 * least.us);
    CHECK(centers.cost.unreached == 0);
    CHECK(centers.radius_at_least <= least);
  }
}

TEST_CASE("centers: an unmeasured pair is out of reach, never near") {
  RttMatrix matrix({"a", "b", "c", "d"});
  matrix.set(at(0), at(1), Rtt{900});
  matrix.set(at(2), at(3), Rtt{800});
  for (const CentersGoal goal : {CentersGoal::kRadius, CentersGoal::kMean}) {
    const Centers one = find_centers(matrix, 1, goal);
    CHECK(one.cost == CentersCost{2, Rtt{800}, 800});
    CHECK(std::count(one.center_of.begin(), one.center_of.end(), kNoCenter) == 2);
    const Centers two = find_centers(matrix, 2, goal);
    CHECK(two.cost == CentersCost{0, Rtt{900}, 1700});
    CHECK(two.chosen == Choice{at(0), at(2)});
    CHECK(find_centers(matrix, 9, goal).cost == CentersCost{0, Rtt{0}, 0});
  }
  CHECK(find_centers(RttMatrix(), 3, CentersGoal::kMean).chosen.empty());
}

TEST_CASE("centers: a diagonal that a reader set is no distance from oneself") {
  RttMatrix matrix({"a", "b"});
  matrix.set(at(0), at(0), Rtt{500});
  matrix.set(at(0), at(1), Rtt{70});
  const Centers one = find_centers(matrix, 1, CentersGoal::kRadius);
  CHECK(one.chosen == Choice{at(0)});
  CHECK(one.cost == CentersCost{0, Rtt{70}, 70});
  CHECK(one.radius_at_least == Rtt{70});
}

TEST_CASE("centers: larger matrices keep the same promises") {
  test::Dice dice(13);
  for (int round = 0; round < 6; ++round) {
    const RttMatrix matrix =
        test::line_of_sites(dice, {100 + dice.below(60), 5'000, dice.below(30), round % 2 == 0});
    for (const CentersGoal goal : {CentersGoal::kRadius, CentersGoal::kMean}) {
      const auto count = static_cast<std::uint32_t>(2 + dice.below(6));
      const Centers centers = find_centers(matrix, count, goal);
      check_answer(matrix, count, centers);
      REQUIRE(centers.is_settled);
      CHECK(no_exchange_helps(matrix, centers, goal));
      CHECK(centers.radius_at_least <= centers.cost.radius);
      CHECK(2 * centers.radius_at_least.us >= centers.cost.radius.us / 2);
    }
  }
}

TEST_CASE("center radii: a smaller radius is one that so many centers have") {
  test::Dice dice(14);
  std::size_t found = 0;
  for (int round = 0; round < 200; ++round) {
    const RttMatrix matrix = test::line_of_sites(dice, {2 + dice.below(30), 60, 0, true});
    const RadiusGoal goal{static_cast<std::uint32_t>(1 + dice.below(4)), dice.below(3),
                          Rtt{static_cast<std::uint32_t>(dice.below(60))}};
    const std::vector<std::uint32_t> names = smaller_radius(matrix, goal);
    if (names.empty()) continue;
    ++found;
    CHECK(names.size() <= goal.count);
    std::size_t beyond = 0;
    for (std::size_t i = 0; i < matrix.size(); ++i)
      beyond += std::all_of(names.begin(), names.end(),
                            [&](std::uint32_t name) {
                              return name != i && matrix.between(at(i), at(name)) >= goal.radius;
                            })
                    ? 1
                    : 0;
    CHECK(beyond <= goal.unreached);
  }
  CHECK(found > 50);
}

}  // namespace
}  // namespace gedge
