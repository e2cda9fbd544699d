// PodTopologySpread, the filter.
#include <algorithm>
#include <limits>
#include <map>

#include "support/reference/filters.hpp"
#include "support/reference/spreading.hpp"

namespace gedge::reference {
namespace {

using Counts = std::map<std::string, std::int64_t>;  // by domain

/// The domains of one constraint and how many pods count in each.
Counts domains(const World& world, const Seat& pod, const TopologySpread& constraint,
               const std::vector<TopologySpread>& all) {
  Counts counts;
  for (const Node& node : world.facts->nodes) {
    if (!has_all_keys(node, all) || !is_eligible(world, pod, node, constraint)) continue;
    const std::int64_t here = world.is_1_20() ? 0 : count_on(world, pod, node, constraint);
    counts[*node.labels.find(constraint.topology_key)] += here;
  }
  if (!world.is_1_20()) return counts;
  // 1.20: the domains are known now; pods of every node that names one of them count.
  for (const Node& node : world.facts->nodes) {
    const std::string* value = node.labels.find(constraint.topology_key);
    if (value != nullptr && counts.count(*value) != 0)
      counts[*value] += count_on(world, pod, node, constraint);
  }
  return counts;
}

std::int64_t smallest(const World& world, const Counts& counts, const TopologySpread& constraint) {
  std::int64_t least = std::numeric_limits<std::int32_t>::max();
  for (const auto& [domain, count] : counts) least = std::min(least, count);
  if (world.is_1_20()) return least;
  const auto wanted = static_cast<std::size_t>(constraint.min_domains.value_or(1));
  return counts.size() < wanted ? 0 : least;
}

}  // namespace

Objections topology_spread(const PolicyArgs& args, const World& world, const Seat& pod,
                           const Node& node) {
  const auto constraints = constraints_of(args, world, pod, true).list;
  for (const TopologySpread& constraint : constraints) {
    const std::string* value = node.labels.find(constraint.topology_key);
    if (value == nullptr)
      return {{Reason::kSpreadLabelMissing, Verdict::kUnresolvable, kNoNumber, kNoNumber,
               Unit::kNone, constraint.topology_key}};
    const Counts counts = domains(world, pod, constraint, constraints);
    const auto here = counts.find(*value);
    const std::int64_t matching = here == counts.end() ? 0 : here->second;
    const std::int64_t self = constraint.selector.matches(pod.labels) ? 1 : 0;
    const std::int64_t skew = matching + self - smallest(world, counts, constraint);
    if (skew > constraint.max_skew)
      return {{Reason::kSpread, Verdict::kUnschedulable, skew, constraint.max_skew, Unit::kCount,
               constraint.topology_key}};
  }
  return {};
}

}  // namespace gedge::reference
