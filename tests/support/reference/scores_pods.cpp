// Scores that look at other pods: inter-pod affinity, topology spread, selector spread.
#include <algorithm>
#include <cmath>
#include <map>

#include "support/reference/affinity.hpp"
#include "support/reference/scores.hpp"
#include "support/reference/spreading.hpp"

namespace gedge::reference {
namespace {

using Points =
    std::map<std::pair<std::string, std::string>, std::int64_t>;  // by topology key and value

void add_points(Points& points, const Node& node, const std::string& key, std::int64_t weight) {
  if (const std::string* value = node.labels.find(key)) points[{key, *value}] += weight;
}

void add_preferred(Points& points, const World& world, const Seat& owner, const Seat& spoken_of,
                   const Node& node) {
  for (const PreferredPodTerm& t : owner.spec->preferred_affinity)
    if (speaks_of(world, owner, t.term, spoken_of))
      add_points(points, node, t.term.topology_key, t.weight);
  for (const PreferredPodTerm& t : owner.spec->preferred_anti_affinity)
    if (speaks_of(world, owner, t.term, spoken_of))
      add_points(points, node, t.term.topology_key, -t.weight);
}

Points inter_pod_points(const PolicyArgs& args, const World& world, const Seat& pod) {
  Points points;
  for (const Seat& other : world.seats) {
    if (other.node == nullptr) continue;
    add_preferred(points, world, pod, other, *other.node);
    add_preferred(points, world, other, pod, *other.node);
    if (args.hard_pod_affinity_weight <= 0) continue;
    for (const PodAffinityTerm& term : other.spec->required_affinity)
      if (speaks_of(world, other, term, pod))
        add_points(points, *other.node, term.topology_key, args.hard_pod_affinity_weight);
  }
  return points;
}

/// Pods of the domain of `node`, for a key that is not the hostname.
std::int64_t count_in_domain(const World& world, const Seat& pod, const Constraints& constraints,
                             const TopologySpread& constraint, const std::string& value) {
  std::int64_t count = 0;
  for (const Node& other : world.facts->nodes) {
    const bool keys_matter = world.is_1_20() || !constraints.system_defaults;
    if (keys_matter && !has_all_keys(other, constraints.list)) continue;
    if (!is_eligible(world, pod, other, constraint)) continue;
    const std::string* have = other.labels.find(constraint.topology_key);
    if (have != nullptr && *have == value) count += count_on(world, pod, other, constraint);
  }
  return count;
}

/// Number of domains among the feasible nodes that are not ignored; lacking the label is a domain
/// of its own.
std::size_t count_domains(const Nodes& feasible, const std::vector<bool>& ignored,
                          const std::string& key) {
  if (key == kHostname)
    return static_cast<std::size_t>(std::count(ignored.begin(), ignored.end(), false));
  std::map<std::string, bool> domains;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (ignored[i]) continue;
    const std::string* value = feasible[i]->labels.find(key);
    domains[value == nullptr ? "" : *value] = true;
  }
  return domains.size();
}

double spread_sum(const World& world, const Seat& pod, const Constraints& constraints,
                  const Node& node, const std::vector<std::size_t>& domains) {
  double sum = 0;
  for (std::size_t i = 0; i < constraints.list.size(); ++i) {
    const TopologySpread& constraint = constraints.list[i];
    const std::string* value = node.labels.find(constraint.topology_key);
    if (value == nullptr) continue;
    const std::int64_t count = constraint.topology_key == kHostname
                                   ? count_on(world, pod, node, constraint)
                                   : count_in_domain(world, pod, constraints, constraint, *value);
    sum += spread_term(count, domains[i], constraint.max_skew);
  }
  return sum;
}

std::string zone_of(const Node& node) {
  // 1.20 looks at the old label first.
  const auto either = [&](const char* stable, const char* beta) {
    const std::string* value = node.labels.find(beta);
    if (value == nullptr) value = node.labels.find(stable);
    return value == nullptr ? std::string() : *value;
  };
  const std::string region =
      either("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region");
  const std::string zone = either(kZone, "failure-domain.beta.kubernetes.io/zone");
  return region.empty() && zone.empty() ? "" : region + ":" + zone;
}

}  // namespace

double spread_term(std::int64_t count, std::size_t domains, std::int32_t max_skew) {
  return static_cast<double>(count) * std::log(static_cast<double>(domains + 2)) +
         static_cast<double>(max_skew - 1);
}

Scores inter_pod_score(const PolicyArgs& args, const World& world, const Seat& pod,
                       const Nodes& feasible) {
  Scores out(feasible.size());
  const bool prefers =
      !pod.spec->preferred_affinity.empty() || !pod.spec->preferred_anti_affinity.empty();
  if (args.ignore_preferred_terms_of_existing_pods && !prefers) return out;
  const Points points = inter_pod_points(args, world, pod);
  if (points.empty()) return out;
  for (std::size_t i = 0; i < feasible.size(); ++i)
    for (const auto& [domain, weight] : points) {
      const std::string* value = feasible[i]->labels.find(domain.first);
      if (value != nullptr && *value == domain.second) out[i].raw += weight;
    }
  normalize_min_max(out, world.is_1_20());
  return out;
}

Scores topology_spread_score(const PolicyArgs& args, const World& world, const Seat& pod,
                             const Nodes& feasible) {
  Scores out(feasible.size());
  const Constraints constraints = constraints_of(args, world, pod, false);
  if (constraints.list.empty()) {
    // 1.20 gives everybody 100, 1.36 does not score at all.
    for (Score& s : out) s.normalized = world.is_1_20() ? 100 : 0;
    return out;
  }
  const bool all_keys = world.is_1_20() || !constraints.system_defaults;
  std::vector<bool> ignored;
  for (const Node* node : feasible)
    ignored.push_back(all_keys && !has_all_keys(*node, constraints.list));
  std::vector<std::size_t> domains;
  for (const TopologySpread& c : constraints.list)
    domains.push_back(count_domains(feasible, ignored, c.topology_key));
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (ignored[i]) continue;
    const double sum = spread_sum(world, pod, constraints, *feasible[i], domains);
    out[i].raw = static_cast<std::int64_t>(world.is_1_20() ? sum : std::round(sum));
  }
  normalize_spread(out, ignored);
  return out;
}

Scores selector_spread(const World& world, const Seat& pod, const Nodes& feasible) {
  Scores out(feasible.size());
  if (!pod.spec->spread.empty()) return out;
  TopologySpread constraint;
  constraint.selector = owners_selector(world, pod);
  std::map<std::string, std::int64_t> by_zone;
  std::int64_t most = 0, most_in_zone = 0;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (!constraint.selector.requirements.empty())
      out[i].raw = count_on(world, pod, *feasible[i], constraint);
    most = std::max(most, out[i].raw);
    if (const std::string zone = zone_of(*feasible[i]); !zone.empty()) by_zone[zone] += out[i].raw;
  }
  for (const auto& [zone, count] : by_zone) most_in_zone = std::max(most_in_zone, count);
  const auto share = [](std::int64_t max, std::int64_t count) {
    return max > 0 ? 100.0 * (static_cast<double>(max - count) / static_cast<double>(max)) : 100.0;
  };
  constexpr double kZoneWeight = 2.0 / 3.0;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    double value = share(most, out[i].raw);
    if (const std::string zone = zone_of(*feasible[i]); !zone.empty())
      value = value * (1.0 - kZoneWeight) + kZoneWeight * share(most_in_zone, by_zone[zone]);
    out[i].normalized = static_cast<std::int64_t>(value);
  }
  return out;
}

}  // namespace gedge::reference
