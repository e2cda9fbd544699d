#include "gedge/latency/clusters.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/random_matrix.hpp"

namespace gedge {
namespace {

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

bool is_near(const RttMatrix& matrix, std::size_t a, std::size_t b, Rtt limit) {
  const Rtt rtt = matrix.between(at(a), at(b));
  return rtt != kUnmeasured && rtt <= limit;
}

bool is_cover_of_cliques(const RttMatrix& matrix, Rtt limit, const Clusters& clusters) {
  std::vector<int> times(matrix.size(), 0);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (clusters.members[c].empty()) return false;
    for (const NameIndex a : clusters.members[c]) {
      ++times[raw(a)];
      if (clusters.cluster_of[raw(a)] != c) return false;
      for (const NameIndex b : clusters.members[c])
        if (a != b && !is_near(matrix, raw(a), raw(b), limit)) return false;
    }
  }
  return std::all_of(times.begin(), times.end(), [](int count) { return count == 1; });
}

// The fewest cliques: names one after another, each into any cluster that it fits, or its own.
std::size_t fewest(const RttMatrix& matrix, Rtt limit, std::vector<std::vector<std::size_t>>& in,
                   std::size_t name, std::size_t best) {
  if (in.size() >= best) return best;
  if (name == matrix.size()) return in.size();
  for (std::size_t c = 0; c < in.size(); ++c) {
    if (!std::all_of(in[c].begin(), in[c].end(),
                     [&](std::size_t other) { return is_near(matrix, name, other, limit); }))
      continue;
    in[c].push_back(name);
    best = fewest(matrix, limit, in, name + 1, best);
    in[c].pop_back();
  }
  in.push_back({name});
  best = fewest(matrix, limit, in, name + 1, best);
  in.pop_back();
  return best;
}

TEST_CASE("clusters: numbers are given in the order of names") {
  const Clusters clusters = clusters_of({2, 0, 2, 1, 0}, 3);
  CHECK(clusters.cluster_of == std::vector<std::uint32_t>{0, 1, 0, 2, 1});
  CHECK(clusters.members ==
        std::vector<std::vector<NameIndex>>{{at(0), at(2)}, {at(1), at(4)}, {at(3)}});
  CHECK(clusters_of({}, 0).size() == 0);
}

TEST_CASE("clusters: a cover has cliques only, and near the fewest that there can be") {
  test::Dice dice(3);
  std::size_t found = 0, needed = 0, met = 0, rounds = 0;
  for (int round = 0; round < 1500; ++round) {
    const RttMatrix matrix = test::any_matrix(dice, 10);
    const Rtt limit{static_cast<std::uint32_t>(dice.below(16))};
    const CliqueCover cover = cover_within(matrix, limit);
    REQUIRE(is_cover_of_cliques(matrix, limit, cover.clusters));
    std::vector<std::vector<std::size_t>> none;
    const std::size_t least = fewest(matrix, limit, none, 0, matrix.size() + 1);
    REQUIRE(cover.at_least <= least);
    REQUIRE(least <= cover.clusters.size());
    found += cover.clusters.size();
    needed += least;
    met += cover.clusters.size() == least ? 1 : 0;
    ++rounds;
  }
  CHECK(met * 100 >= rounds * 98);
  CHECK(found * 100 <= needed * 101);
}

TEST_CASE("clusters: large ones are cliques too, and rounds never add a cluster") {
  test::Dice dice(4);
  for (int round = 0; round < 12; ++round) {
    const RttMatrix matrix =
        test::line_of_sites(dice, {150 + dice.below(150), 400, dice.below(10), round % 2 == 0});
    const Rtt limit{static_cast<std::uint32_t>(10 + dice.below(60))};
    std::size_t before = matrix.size();
    for (const std::uint32_t rounds : {0U, 1U, 2U, 3U, 7U, 30U}) {
      const CliqueCover cover = cover_within(matrix, limit, rounds);
      REQUIRE(is_cover_of_cliques(matrix, limit, cover.clusters));
      CHECK(cover.at_least <= cover.clusters.size());
      CHECK(cover.clusters.size() <= before);
      CHECK(cover_within(matrix, limit, rounds).clusters == cover.clusters);
      before = cover.clusters.size();
    }
  }
}

TEST_CASE("clusters: nobody is near where nothing was measured, everybody at the longest RTT") {
  const RttMatrix unmeasured({"a", "b", "c"});
  CHECK(cover_within(unmeasured, kMaxRtt).clusters.size() == 3);
  CHECK(cover_within(unmeasured, kUnmeasured).clusters.size() == 3);
  CHECK(cover_within(RttMatrix(), Rtt{5}).clusters.size() == 0);
  RttMatrix all({"a", "b", "c"});
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < i; ++j) all.set(NameIndex{i}, NameIndex{j}, kMaxRtt);
  CHECK(cover_within(all, kMaxRtt).clusters.size() == 1);
  CHECK(cover_within(all, Rtt{kMaxRtt.us - 1}).clusters.size() == 3);
}

TEST_CASE("clusters: what a radius loses, pair by pair") {
  test::Dice dice(5);
  for (int round = 0; round < 300; ++round) {
    const RttMatrix matrix = test::any_matrix(dice, 12);
    const Rtt limit{static_cast<std::uint32_t>(dice.below(16))};
    const Clusters clusters = cover_within(matrix, limit, 0).clusters;
    const RadiusLoss loss = radius_loss(matrix, limit, clusters);
    std::uint64_t near = 0, kept = 0;
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      std::uint32_t lost = 0, here = 0, with = 0;
      for (std::size_t j = 0; j < matrix.size(); ++j) {
        if (i == j || !is_near(matrix, i, j, limit)) continue;
        ++here;
        if (clusters.cluster_of[i] == clusters.cluster_of[j])
          ++with;
        else
          ++lost;
      }
      near += here;
      kept += with;
      if (i == raw(loss.worst)) CHECK(here == loss.worst_near);
      if (i == raw(loss.worst)) CHECK(with == loss.worst_kept);
      if (i < raw(loss.worst)) CHECK(lost < loss.worst_near - loss.worst_kept);
      most = std::max(most, lost);
    }
    CHECK(loss.near == near / 2);
    CHECK(loss.kept == kept / 2);
    CHECK(loss.worst_near - loss.worst_kept == most);
  }
}

TEST_CASE("clusters: the RTT between two is the largest between their members") {
  test::Dice dice(6);
  for (int round = 0; round < 200; ++round) {
    const RttMatrix matrix = test::any_matrix(dice, 12);
    const Clusters clusters = cover_within(matrix, Rtt{5}, 0).clusters;
    const std::vector<Rtt> between = largest_between(matrix, clusters);
    const std::size_t count = clusters.size();
    REQUIRE(between.size() == count * count);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) {
        Rtt largest{0};
        for (const NameIndex i : clusters.members[a])
          for (const NameIndex j : clusters.members[b])
            if (a != b) largest = std::max(largest, matrix.between(i, j));
        CHECK(between[a * count + b] == largest);
      }
  }
}

}  // namespace
}  // namespace gedge
