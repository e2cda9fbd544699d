// support/reference/scores.hpp - every score, one pod over its feasible nodes.
#pragma once

#include <vector>

#include "gedge/policy/profile.hpp"
#include "support/reference/world.hpp"

namespace gedge::reference {

using Nodes = std::vector<const Node*>;

struct Score {
  std::int64_t raw = 0, normalized = 0;
};
using Scores = std::vector<Score>;  ///< parallel to the feasible nodes

/// Runs the score that `entry` names; `known` becomes false for a name that the reference does not
/// know.
Scores score(const ProfileEntry& entry, const World& world, const Seat& pod, const Nodes& feasible,
             bool& known);

// 3.3, in place.
void normalize_by_max(Scores& scores, bool reverse);
void normalize_min_max(Scores& scores, bool zero_joins);
/// Raw of a node that stands outside: `ignored`, shown as 0 and normalised to 0.
void normalize_spread(Scores& scores, const std::vector<bool>& ignored);

// The functions of 3.4 on plain numbers, for golden vectors.
std::int64_t least_allocated(std::int64_t requested, std::int64_t capacity);
std::int64_t most_allocated(std::int64_t requested, std::int64_t capacity, Compat compat);
double balance(const std::vector<double>& fractions);
std::int64_t on_shape(const std::vector<std::pair<std::int64_t, std::int64_t>>& shape,
                      std::int64_t utilization);
std::int64_t image_score(std::int64_t sum, std::size_t containers);
std::int64_t scaled_image(std::int64_t size, std::size_t nodes_with_it, std::size_t all_nodes);
double spread_term(std::int64_t count, std::size_t domains, std::int32_t max_skew);

Scores resource_score(const ProfileEntry& entry, const World& world, const Seat& pod,
                      const Nodes& feasible);
Scores balanced_allocation(const PolicyArgs& args, const World& world, const Seat& pod,
                           const Nodes& feasible);
Scores image_locality(const World& world, const Seat& pod, const Nodes& feasible);
Scores node_affinity_score(const PolicyArgs& args, const Seat& pod, const Nodes& feasible);
Scores taint_score(const Seat& pod, const Nodes& feasible);
Scores avoid_pods(const Seat& pod, const Nodes& feasible);
Scores inter_pod_score(const PolicyArgs& args, const World& world, const Seat& pod,
                       const Nodes& feasible);
Scores topology_spread_score(const PolicyArgs& args, const World& world, const Seat& pod,
                             const Nodes& feasible);
Scores selector_spread(const World& world, const Seat& pod, const Nodes& feasible);
Scores latency_slack(const World& world, const Seat& pod, const Nodes& feasible);

Scores low_latency(const World& world, const Seat& pod, const Nodes& feasible);
Scores g_most_requested(const World& world, const Seat& pod, const Nodes& feasible);
Scores most_free_memory(const World& world, const Nodes& feasible);

}  // namespace gedge::reference
