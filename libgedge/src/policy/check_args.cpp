// Source: kube-scheduler pkg/scheduler/apis/config/validation/validation_pluginargs.go.
#include "policy/check_args.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "gedge/base/nearest.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMaxWeight = 100;       // of a resource and of hard pod affinity
constexpr std::int64_t kMaxUtilization = 100;  // percent
constexpr std::int64_t kMaxShapeScore = 10;

Error out_of_range(const std::string& what, std::int64_t value, std::int64_t low,
                   std::int64_t high) {
  return invalid_input(what + " is " + std::to_string(value), {},
                       "use " + std::to_string(low) + " to " + std::to_string(high));
}

Status check_resources(const std::vector<WeightedResource>& resources) {
  for (const WeightedResource& resource : resources) {
    if (resource.name.empty()) return invalid_input("a scored resource has no name");
    if (resource.weight < 0 || resource.weight > kMaxWeight)
      return out_of_range("weight of resource '" + resource.name + "'", resource.weight, 1,
                          kMaxWeight);
  }
  return {};
}

Status check_shape(const std::vector<std::pair<std::int64_t, std::int64_t>>& shape) {
  if (shape.empty())
    return invalid_input("shape has no points", {}, "give at least one utilization and score");
  std::int64_t last = -1;
  for (const auto& [utilization, score] : shape) {
    if (utilization < 0 || utilization > kMaxUtilization)
      return out_of_range("utilization", utilization, 0, kMaxUtilization);
    if (score < 0 || score > kMaxShapeScore)
      return out_of_range("shape score", score, 0, kMaxShapeScore);
    if (utilization <= last)
      return invalid_input("utilization " + std::to_string(utilization) + " does not ascend", {},
                           "sort the shape points, each utilization once");
    last = utilization;
  }
  return {};
}

Status check_strategy(const PolicyArgs& args) {
  const std::vector<std::string> known{"LeastAllocated", "MostAllocated",
                                       "RequestedToCapacityRatio"};
  if (args.strategy == "RequestedToCapacityRatio") return check_shape(args.shape);
  if (args.strategy.empty() || std::find(known.begin(), known.end(), args.strategy) != known.end())
    return {};
  const auto meant = nearest(args.strategy, known);
  return invalid_input("unknown scoring strategy '" + args.strategy + "'", {},
                       meant ? "did you mean " + *meant + "?" : "");
}

Status check_ignored(const PolicyArgs& args) {
  for (const std::string& group : args.ignored_resource_groups)
    if (group.find('/') != std::string::npos)
      return invalid_input("ignored resource group '" + group + "' is no group", {},
                           "write the part before '/'");
  return {};
}

Status check_spread(const PolicyArgs& args) {
  if (!args.list_defaulting && !args.default_spread.empty())
    return invalid_input("default constraints are given for system defaulting", {},
                         "set defaultingType to List");
  for (std::size_t i = 0; i < args.default_spread.size(); ++i) {
    const TopologySpread& spread = args.default_spread[i];
    if (spread.topology_key.empty())
      return invalid_input("a default spread constraint has no topology key");
    if (spread.max_skew <= 0)
      return invalid_input("maxSkew is " + std::to_string(spread.max_skew), {}, "use 1 or more");
    for (std::size_t j = 0; j < i; ++j)
      if (args.default_spread[j].topology_key == spread.topology_key &&
          args.default_spread[j].hard == spread.hard)
        return invalid_input("two default spread constraints for '" + spread.topology_key + "'");
  }
  return {};
}

Status check_affinity_weight(const PolicyArgs& args) {
  if (args.hard_pod_affinity_weight < 0 || args.hard_pod_affinity_weight > kMaxWeight)
    return out_of_range("hardPodAffinityWeight", args.hard_pod_affinity_weight, 0, kMaxWeight);
  return {};
}

}  // namespace

Status check_args(std::string_view policy, const PolicyArgs& args) {
  GEDGE_TRY(check_resources(args.resources));
  if (policy == "RequestedToCapacityRatio") return check_shape(args.shape);
  if (policy == "NodeResourcesFit") {
    GEDGE_TRY(check_ignored(args));
    return check_strategy(args);
  }
  if (policy == "PodTopologySpread") return check_spread(args);
  if (policy == "InterPodAffinity") return check_affinity_weight(args);
  return {};
}

}  // namespace gedge
