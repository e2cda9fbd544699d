// The index against the published pipeline, step by step: matrices of clusters, graphs, the list of
// all maximal cliques.
#include "gedge/latency/delay_layers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "latency/largest_cliques.hpp"
#include "support/random_matrix.hpp"

namespace gedge {
namespace {

using Group = std::vector<std::size_t>;
using Groups = std::vector<Group>;

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

// Bron and Kerbosch without a pivot.
void list_cliques(const std::vector<std::vector<bool>>& near, Group& chosen, Group open, Group shut,
                  Groups& out) {
  if (open.empty() && shut.empty()) out.push_back(chosen);
  while (!open.empty()) {
    const std::size_t name = open.front();
    Group still_open, still_shut;
    for (const std::size_t other : open)
      if (near[name][other]) still_open.push_back(other);
    for (const std::size_t other : shut)
      if (near[name][other]) still_shut.push_back(other);
    chosen.push_back(name);
    list_cliques(near, chosen, still_open, still_shut, out);
    chosen.pop_back();
    open.erase(open.begin());
    shut.push_back(name);
  }
}

Groups greedy_cover(const std::vector<std::vector<bool>>& near) {
  Groups cliques, cover;
  Group all, none;
  for (std::size_t i = 0; i < near.size(); ++i) all.push_back(i);
  list_cliques(near, none, all, {}, cliques);
  for (Group& clique : cliques) std::sort(clique.begin(), clique.end());
  while (true) {
    // The largest; of several the one that comes first member by member.
    const auto best = std::min_element(cliques.begin(), cliques.end(), [](auto& a, auto& b) {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    if (best == cliques.end() || best->empty()) return cover;
    cover.push_back(*best);
    const Group taken = *best;
    for (Group& clique : cliques) {
      Group left;
      std::set_difference(clique.begin(), clique.end(), taken.begin(), taken.end(),
                          std::back_inserter(left));
      clique = left;
    }
  }
}

/// Layers by delay, each a partition of the names, built as the published program does.
class Pipeline {
 public:
  explicit Pipeline(const RttMatrix& matrix) : matrix_(matrix) {
    std::set<Rtt, std::greater<>> delays;
    for (std::size_t i = 0; i < matrix.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) delays.insert(matrix.between(at(i), at(j)));
    delays.erase(kUnmeasured);
    delays.erase(Rtt{0});
    Groups alone;
    for (std::size_t i = 0; i < matrix.size(); ++i) alone.push_back({i});
    layers[Rtt{0}] = alone;
    for (const Rtt delay : delays) keep_if_complete(delay);
  }

  const Groups& within(Rtt delay) {
    const auto below = std::prev(layers.upper_bound(delay));
    if (below->first == delay || below->second.size() <= 1) return below->second;
    const Groups under = below->second;
    std::vector<std::vector<bool>> near(under.size(), std::vector<bool>(under.size()));
    for (std::size_t a = 0; a < under.size(); ++a)
      for (std::size_t b = 0; b < under.size(); ++b)
        near[a][b] = a != b && is_near(under[a], under[b], delay);
    Groups merged;
    for (const Group& clique : greedy_cover(near)) {
      Group names;
      for (const std::size_t cluster : clique)
        names.insert(names.end(), under[cluster].begin(), under[cluster].end());
      merged.push_back(names);
    }
    return layers[delay] = in_order(merged);
  }

  std::map<Rtt, Groups> layers;

 private:
  static Groups in_order(Groups groups) {
    for (Group& group : groups) std::sort(group.begin(), group.end());
    std::sort(groups.begin(), groups.end());
    return groups;
  }
  // The largest RTT between members counts; one that was never measured is larger than all.
  bool is_near(const Group& a, const Group& b, Rtt delay) const {
    for (const std::size_t i : a)
      for (const std::size_t j : b)
        if (matrix_.between(at(i), at(j)) > delay) return false;
    return true;
  }
  void keep_if_complete(Rtt delay) {
    Groups components;
    std::vector<bool> seen(matrix_.size());
    for (std::size_t first = 0; first < matrix_.size(); ++first) {
      if (seen[first]) continue;
      Group component{first};
      seen[first] = true;
      for (std::size_t i = 0; i < component.size(); ++i)
        for (std::size_t j = 0; j < matrix_.size(); ++j) {
          if (seen[j] || matrix_.between(at(component[i]), at(j)) > delay) continue;
          seen[j] = true;
          component.push_back(j);
        }
      for (const std::size_t i : component)
        for (const std::size_t j : component)
          if (i != j && matrix_.between(at(i), at(j)) > delay) return;
      components.push_back(component);
    }
    layers[delay] = in_order(components);
  }

  const RttMatrix& matrix_;
};

Groups groups_of(const Clusters& clusters) {
  Groups out;
  for (const auto& members : clusters.members) {
    Group group;
    for (const NameIndex name : members) group.push_back(raw(name));
    out.push_back(group);
  }
  return out;
}

TEST_CASE("delay layers: those of the published pipeline, on matrices of every kind") {
  test::Dice dice(7);
  std::size_t found = 0, merged = 0;
  for (int round = 0; round < 1500; ++round) {
    const RttMatrix matrix = test::any_matrix(dice, 12);
    DelayLayers layers(matrix);
    Pipeline pipeline(matrix);
    std::vector<Rtt> delays;
    for (const auto& [delay, groups] : pipeline.layers) delays.push_back(delay);
    REQUIRE(layers.delays() == delays);
    found += delays.size() - 1;
    for (const auto& [delay, groups] : pipeline.layers)
      REQUIRE(groups_of(layers.below(delay).clusters) == groups);
    // Delays in any order, some twice: each is built on what is there by then.
    for (int asked = 0; asked < 6; ++asked) {
      const Rtt delay{static_cast<std::uint32_t>(dice.below(33))};
      const DelayLayers::Layer layer = layers.within(delay);
      REQUIRE(layer.is_exact);
      REQUIRE(layer.delay <= delay);
      REQUIRE(groups_of(layer.clusters) == pipeline.within(delay));
      REQUIRE(groups_of(layers.below(delay).clusters) == pipeline.within(delay));
      merged += layer.clusters.size() < matrix.size() ? 1 : 0;
    }
    REQUIRE(layers.delays().size() == pipeline.layers.size());
  }
  CHECK(found > 1000);
  CHECK(merged > 2000);
}

TEST_CASE("delay layers: the largest delay of a complete matrix leaves one cluster") {
  test::Dice dice(8);
  for (int round = 0; round < 50; ++round) {
    const RttMatrix matrix = test::random_matrix(dice, {2 + dice.below(60), 20, 0, false});
    Rtt largest{0};
    for (std::size_t i = 0; i < matrix.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) largest = std::max(largest, matrix.between(at(i), at(j)));
    if (largest.us == 0) continue;
    DelayLayers layers(matrix);
    CHECK(layers.delays().back() == largest);
    CHECK(layers.below(largest).clusters.size() == 1);
    // One cluster is reused; no layer is added.
    CHECK(layers.within(kMaxRtt).delay == largest);
    CHECK(layers.delays().back() == largest);
  }
}

TEST_CASE("delay layers: two clusters of which one pair was never measured stay apart") {
  RttMatrix matrix({"a", "b", "c"});
  matrix.set(at(0), at(1), Rtt{5});
  matrix.set(at(2), at(1), Rtt{5});
  matrix.note_symmetry();
  DelayLayers layers(matrix);
  CHECK(layers.delays() == std::vector<Rtt>{Rtt{0}});
  CHECK(groups_of(layers.within(Rtt{5}).clusters) == Groups{{0, 1}, {2}});
  CHECK(groups_of(layers.within(kMaxRtt).clusters) == Groups{{0, 1}, {2}});
}

TEST_CASE("largest cliques: a search that is cut short says so, and covers with cliques") {
  test::Dice dice(9);
  const RttMatrix matrix = test::random_matrix(dice, {90, 9, 0, true});
  const NearRows near(matrix, Rtt{6});
  for (const std::uint64_t steps : {0U, 20U, 400U}) {
    const LargestCliques cover = largest_cliques(near, steps);
    CHECK_FALSE(cover.is_exact);
    for (std::size_t i = 0; i < near.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (cover.cluster_of[i] == cover.cluster_of[j]) CHECK(near.test(i, j));
  }
  CHECK(largest_cliques(near, 1'000'000'000).is_exact);
  CHECK(largest_cliques(NearRows(0), 0).count == 0);
}

}  // namespace
}  // namespace gedge
